/*
 * Children of a node are a list in the order of their frames. Most come in that order, as what is read
 * was sorted by the same names, so the last one is looked at first.
 */
#include "store/placed.h"

#include <errno.h>

int placed_init(struct placed *p, const struct store_tables *tables)
{
	*p = (struct placed){ .columns = (uint32_t)tables->columns.count };
	for (size_t i = 0; i < tables->columns.count; i++)
		p->sliced += tables->columns.v[i].has_slices;
	if (!array_add(&p->nodes) || !array_reserve(&p->values, p->columns + 1))
		return -ENOMEM;
	memset(p->values.v, 0, p->columns * sizeof(*p->values.v));
	p->values.count = p->columns;
	return 0;
}

void placed_release(struct placed *p)
{
	array_release(&p->nodes);
	array_release(&p->values);
	array_release(&p->slices);
}

int placed_child(struct placed *p, uint32_t parent, uint32_t frame, uint32_t *ret)
{
	struct placed_node *nodes = p->nodes.v, *slot;
	uint32_t before = nodes[parent].last, after = 0;

	if (before && nodes[before].frame > frame) {
		before = 0;
		after = nodes[parent].first;
		while (nodes[after].frame < frame) {
			before = after;
			after = nodes[after].next;
		}
		/* The one that is sought stands behind @before, or would. */
		if (nodes[after].frame == frame)
			before = after;
	}
	if (before && nodes[before].frame == frame) {
		*ret = before;
		return 0;
	}
	slot = array_add(&p->nodes);
	if (!slot || !array_reserve(&p->values, p->columns))
		return -ENOMEM;
	memset(p->values.v + p->values.count, 0, p->columns * sizeof(*p->values.v));
	p->values.count += p->columns;
	nodes = p->nodes.v;
	*ret = (uint32_t)p->nodes.count - 1;
	*slot = (struct placed_node){ .frame = frame, .parent = parent, .next = after };
	if (before)
		nodes[before].next = *ret;
	else
		nodes[parent].first = *ret;
	if (!after)
		nodes[parent].last = *ret;
	return 0;
}

uint64_t *placed_slices(struct placed *p, uint32_t node)
{
	size_t size = (size_t)p->sliced * STORE_SLICES;

	if (!p->nodes.v[node].slices) {
		if (!array_reserve(&p->slices, size))
			return NULL;
		memset(p->slices.v + p->slices.count, 0, size * sizeof(*p->slices.v));
		p->slices.count += size;
		p->nodes.v[node].slices = (uint32_t)(p->slices.count / size);
	}
	return p->slices.v + (p->nodes.v[node].slices - 1) * size;
}

int placed_write(const struct placed *p, struct store_sink *sink,
		 const struct store_tables *tables)
{
	const struct placed_node *nodes = p->nodes.v;
	uint32_t at = 0, depth = 0;
	struct store_node_writer to;
	int err = store_node_writer_init(&to, sink, tables);

	for (bool more = err == 0; more;) {
		uint32_t sliced[STORE_COLUMNS_MOST] = { 0 };
		const uint64_t *slices = p->slices.v;
		struct store_node node = {
			.depth = depth,
			.frame = nodes[at].frame,
			.values = p->values.v + (size_t)at * p->columns,
		};

		if (nodes[at].slices) {
			slices +=
				(size_t)(nodes[at].slices - 1) * p->sliced * STORE_SLICES;
			node.sliced = sliced;
			node.slices = slices;
		}
		for (uint32_t i = 0; node.slices && i < p->sliced * STORE_SLICES; i++)
			if (slices[i])
				sliced[i / STORE_SLICES] |= 1u << i % STORE_SLICES;
		store_node_add(&to, &node);
		more = nodes[at].first != 0;
		if (more) {
			at = nodes[at].first;
			depth++;
			continue;
		}
		while (at && !nodes[at].next) {
			at = nodes[at].parent;
			depth--;
		}
		at = nodes[at].next;
		more = at != 0;
	}
	if (err == 0)
		err = store_node_end(&to);
	store_node_writer_release(&to);
	return err;
}
