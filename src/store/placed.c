/*
 * Children of a node are a list in the order of their frames. Most come in that order, as what is read
 * was sorted by the same names, so the last one is looked at first.
 */
#include "store/placed.h"

#include "tree/tree.h"

#include <errno.h>
#include <stdlib.h>

int placed_init(struct placed *p, const struct store_tables *tables, size_t nodes)
{
	*p = (struct placed){ .columns = (uint32_t)tables->columns.count };
	for (size_t i = 0; i < tables->columns.count; i++)
		p->sliced += tables->columns.v[i].has_slices;
	if (!array_reserve(&p->nodes, nodes + 1) || !array_add(&p->nodes) ||
	    !array_reserve(&p->values, (nodes + 1) * p->columns + 1) ||
	    !array_add(&p->slices))
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
	heat_release(&p->heat);
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

/* Slices of a node come mostly in their order: the search goes on where the last one was. */
int placed_add_slice(struct placed *p, uint32_t node, uint32_t place, uint64_t value)
{
	const struct placed_slice *v = p->slices.v;
	uint32_t before = 0, after;
	struct placed_slice *slot;

	if (p->last_slice && p->last_node == node && v[p->last_slice].place <= place)
		before = p->last_slice;
	after = before ? v[before].next : p->nodes.v[node].slices;
	for (; after && v[after].place <= place; after = v[after].next)
		before = after;
	if (!before || v[before].place != place) {
		slot = p->slices.count < UINT32_MAX ? array_add(&p->slices) : NULL;
		if (!slot)
			return -ENOMEM;
		*slot = (struct placed_slice){ .place = place, .next = after };
		after = (uint32_t)p->slices.count - 1;
		if (before)
			p->slices.v[before].next = after;
		else
			p->nodes.v[node].slices = after;
		before = after;
	}
	p->slices.v[before].value += value;
	p->last_node = node;
	p->last_slice = before;
	return 0;
}

/* A section of heat: parts as columns of a picture are. @number: of each node, as it was told; @depth: by such a
 * number. */
static int encode_heat(struct placed *p, const uint32_t *number, const uint32_t *depth,
		       struct bytes *ret)
{
	struct bytes columns[STORE_HEAT_PARTS + STORE_PROCESSOR_PARTS] = { { 0 } };
	int err = heat_remap(&p->heat, number), parts = STORE_HEAT_PARTS;

	if (err == 0)
		err = saved_heat_encode(
			columns, &p->heat,
			&(struct heat_nodes){ p->nodes.count, NULL, depth });
	if (err == 0 && heat_is_wanted(p->processors) && p->processors->cells.count) {
		parts += STORE_PROCESSOR_PARTS;
		err = saved_processors_encode(&columns[STORE_HEAT_PARTS], p->processors);
	}
	for (int i = 0; i < parts; i++) {
		bytes_varint(ret, columns[i].count);
		bytes_add(ret, columns[i].v, columns[i].count);
		ret->failed |= columns[i].failed;
		bytes_release(&columns[i]);
	}
	return ret->failed ? -ENOMEM : err;
}

int placed_write(struct placed *p, struct store_sink *sink,
		 const struct store_tables *tables)
{
	const struct placed_node *nodes = p->nodes.v;
	uint64_t *slices = calloc(p->sliced * STORE_SLICES + 1, sizeof(*slices));
	uint32_t *number = malloc(p->nodes.count * sizeof(*number));
	uint32_t *depths = malloc(p->nodes.count * sizeof(*depths));
	uint32_t at = 0, depth = 0;
	struct store_node_writer to = { 0 };
	struct bytes heat = { 0 };
	int err = slices && number && depths ? store_node_writer_init(&to, sink, tables)
					     : -ENOMEM;

	for (bool more = err == 0; more;) {
		uint32_t sliced[STORE_COLUMNS_MOST] = { 0 };
		struct store_node node = {
			.depth = depth,
			.frame = nodes[at].frame,
			.values = p->values.v + (size_t)at * p->columns,
		};

		if (nodes[at].slices) {
			node.sliced = sliced;
			node.slices = slices;
		}
		for (uint32_t i = nodes[at].slices; i; i = p->slices.v[i].next) {
			const struct placed_slice *s = &p->slices.v[i];

			/* Those without a bit are not looked at. */
			slices[s->place] = s->value;
			if (s->value)
				sliced[s->place / STORE_SLICES] |=
					1u << s->place % STORE_SLICES;
		}
		number[at] = (uint32_t)to.nodes;
		depths[to.nodes] = depth;
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
	if (err == 0 && tables->has_heat) {
		err = encode_heat(p, number, depths, &heat);
		to.heat = &heat;
	}
	if (err == 0)
		err = store_node_end(&to);
	store_node_writer_release(&to);
	bytes_release(&heat);
	free(depths);
	free(number);
	free(slices);
	return err;
}
