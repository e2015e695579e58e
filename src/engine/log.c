/*
 * Samples that are kept: what they are called outside, and where they are in the named tree.
 *
 * A stack's node in the trie says which frames it has, and a frame which functions; the way
 * from the root of the named tree over these functions leads to the sample's node there. Each
 * node of the trie is looked up once, from its parent's place on, so the number of samples
 * counts only in the sort.
 */
#include <errno.h>
#include <stdlib.h>

#include "engine/profile.h"

/* As a node of the named tree: the sample's stack is not in it. */
enum { NOWHERE = (int)TIME_BLOCKS_NOWHERE };
_Static_assert(TIME_BLOCKS_NOWHERE == CHART_NOWHERE, "one map is for both");

/* The child of a named node for a function. */
static uint64_t child_key(uint32_t parent, uint32_t function)
{
	return (uint64_t)parent << 32 | function;
}

/* On to a child, or nowhere; what is left out of the tree has no node of its own. */
static void step_to_child(const struct ff_profile *p, const struct hash_map *children,
			  uint32_t function, uint32_t *node)
{
	const uint32_t *child;

	/* A dropped function leaves its callees with its caller, so the sample stays
	 * where it is. */
	if (*node == (uint32_t)NOWHERE || p->symbols.functions.v[function].dropped)
		return;
	child = hash_map_get(children, child_key(*node, function));
	*node = child ? *child : (uint32_t)NOWHERE;
}

/* By all that tells two apart, so that the order is the same for any number of threads. */
static int samples_by_time(const void *a, const void *b)
{
	const struct kept_sample *x = a, *y = b;

	if (x->input != y->input)
		return x->input < y->input ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->position != y->position)
		return x->position < y->position ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

int place_samples(struct ff_profile *p, const uint8_t *left_out)
{
	/* .node of each: of the trie before this, of the named tree after it. */
	struct kept_sample *samples = p->collected.samples.list.v;
	const struct trie *t = &p->collected.trie;
	struct hash_map children = { 0 };
	struct heat *heat = &p->collected.heat;
	uint64_t factor = 1, timed = 0;
	size_t count = 0;
	uint32_t *nodes; /* by node of the trie its node in the named tree */
	int err = 0;

	chart_release(&p->chart);
	if (!p->collected.samples.list.count && !p->collected.blocks.cells.count &&
	    !p->collected.chart.runs.count && !p->collected.heat.cells.count)
		return 0;
	nodes = malloc(t->count * sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	for (uint32_t i = 1; i < p->named.nodes.count && err == 0; i++) {
		const struct named_node *n = &p->named.nodes.v[i];

		if (!hash_map_set(&children, child_key(n->parent, n->function), i))
			err = -ENOMEM;
	}
	if (err < 0)
		goto out;
	/* The empty stack is the root of both trees. */
	nodes[0] = 0;
	for (uint32_t i = 1; i < t->count; i++) {
		uint32_t frame = t->nodes[i].frame, inlined_count;
		const uint32_t *inlined =
			symbols_inlined(&p->symbols, frame, &inlined_count);

		nodes[i] = left_out && left_out[i] ? (uint32_t)NOWHERE
						   : nodes[t->nodes[i].parent];
		step_to_child(p, &children, p->symbols.of_frame.v[frame], &nodes[i]);
		/* Outermost first, as they lie below each other in the named tree. */
		for (uint32_t k = 0; k < inlined_count; k++)
			step_to_child(p, &children, inlined[k], &nodes[i]);
	}
	hash_map_release(&children);
	/* Weights are in the tree's unit, and samples that are not in the tree go. */
	for (unsigned i = 0; i < p->collected.decimals; i++)
		factor *= 10;
	for (size_t i = 0; i < p->collected.samples.list.count; i++) {
		struct kept_sample sample = samples[i];

		sample.node = nodes[sample.node];
		if (sample.node == (uint32_t)NOWHERE || sample.weight == WEIGHT_UNKNOWN)
			continue;
		sample.weight *= factor;
		/* In place: what stays is never behind what is read. */
		samples[count++] = sample;
	}
	p->collected.samples.list.count = count;
	if (count)
		qsort(samples, count, sizeof(*samples), samples_by_time);
	err = chart_make(&p->collected.chart, nodes, &p->chart);
	if (err == 0)
		err = time_blocks_remap(&p->collected.blocks, nodes);
	if (err == 0)
		err = time_blocks_sort(&p->collected.blocks, factor);
	/* A filter by frames may have taken all of a stack, and left others that go on from it. */
	for (uint32_t i = 1; i < t->count; i++)
		if (!trie_self(t, i, COLUMN_WEIGHT))
			nodes[i] = HEAT_NOWHERE;
	if (err == 0)
		err = heat_remap(heat, nodes);
	for (size_t i = 0; i < heat->cells.count; i++)
		timed += heat->cells.v[i].weight;
	/* Inputs without times may have been added. */
	if (err == 0 && heat->cells.count && timed != named_total(&p->named, 0))
		heat_drop(heat, HEAT_UNTIMED);
	heat_match(&p->collected.processors, heat);
out:
	hash_map_release(&children);
	free(nodes);
	return err;
}

/* struct ff_sample is never defined: outside, a kept sample has no other name. */
static const struct kept_sample *kept_of(const struct ff_sample *s)
{
	return (const struct kept_sample *)(const void *)s;
}

const struct ff_sample *ff_sample_next(const struct ff_profile *p,
				       const struct ff_sample *s)
{
	const struct kept_sample *next = s ? kept_of(s) + 1 : p->collected.samples.list.v;

	return p->finished && next &&
			       next < p->collected.samples.list.v +
					       p->collected.samples.list.count
		       ? (const struct ff_sample *)(const void *)next
		       : NULL;
}

uint64_t ff_sample_number(const struct ff_sample *s, enum ff_sample_number which)
{
	const struct kept_sample *kept = kept_of(s);

	switch (which) {
	case FF_SAMPLE_TIME:
		return kept->time;
	case FF_SAMPLE_WEIGHT:
		return kept->weight;
	case FF_SAMPLE_PID:
		return kept->pid;
	case FF_SAMPLE_TID:
		return kept->tid;
	case FF_SAMPLE_CPU:
		/* Not recorded, in the width of the public number. */
		return kept->cpu == UINT32_MAX ? UINT64_MAX : kept->cpu;
	}
	return 0;
}

const char *ff_sample_comm(const struct ff_profile *p, const struct ff_sample *s)
{
	return intern_text(&p->strings, kept_of(s)->comm);
}

const struct ff_node *ff_sample_node(const struct ff_profile *p,
				     const struct ff_sample *s)
{
	return (const struct ff_node *)(const void *)&p->named.nodes.v[kept_of(s)->node];
}

const struct ff_input *ff_sample_input(const struct ff_profile *p,
				       const struct ff_sample *s)
{
	return p->inputs.v[kept_of(s)->input];
}

const struct ff_event *ff_sample_event(const struct ff_profile *p,
				       const struct ff_sample *s)
{
	return &p->inputs.v[kept_of(s)->input]->events[kept_of(s)->event];
}
