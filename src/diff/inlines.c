/*
 * What a compiler inlines, or what debug information tells of it, may be all that is new or gone: with
 * it on one side only, main;parse;next of A and main;parse of B are two paths. So what is on one side
 * alone is weighed a second time, without the frames that either side has inlined; if that is less,
 * --no-inline takes the rest away. A function counts as inlined on a side where it is so anywhere, for
 * that is what is known of it.
 */
#include "diff/inlines.h"

#include <errno.h>
#include <stdlib.h>

/* Of the tree without those frames. */
struct outlined_node {
	uint32_t parent;
	double weight[DIFF_SIDES]; /* A's scaled */
};

static bool is_lone(const struct outlined_node *n)
{
	return !(n->weight[DIFF_A] > 0) || !(n->weight[DIFF_B] > 0);
}

/* How much of both sides is on paths of one alone, in parts of both. @outlined: as if nothing was
 * inlined. 0, or -ENOMEM. */
static int weigh_lone(const struct difference *d, bool outlined, double *ret)
{
	size_t count = d->nodes.count;
	ARRAY(struct outlined_node) nodes = { 0 };
	struct hash_map children = { 0 };
	double scales[DIFF_SIDES] = { d->scale, 1 }, lone = 0, all = 0;
	/* By node and side: where it is in the tree without. */
	uint32_t *places = calloc(count * DIFF_SIDES, sizeof(*places));
	int err = places && array_add(&nodes) ? 0 : -ENOMEM;

	for (size_t i = 0; i < count * DIFF_SIDES && err == 0; i++) {
		uint32_t node = (uint32_t)(i / DIFF_SIDES);
		const struct diff_node *n = &d->nodes.v[node];
		unsigned s = i % DIFF_SIDES;
		uint32_t parent = places[n->parent * DIFF_SIDES + s];
		uint64_t key = (uint64_t)parent << 32 | n->function;
		const uint32_t *known;

		if (i < DIFF_SIDES || (outlined && d->inlined[n->function] & 1 << s)) {
			places[i] = parent;
		} else if ((known = hash_map_get(&children, key))) {
			places[i] = *known;
		} else {
			places[i] = (uint32_t)nodes.count;
			if (!array_add(&nodes) ||
			    !hash_map_set(&children, key, places[i]))
				err = -ENOMEM;
			else
				nodes.v[places[i]].parent = parent;
		}
		if (err == 0)
			nodes.v[places[i]].weight[s] +=
				scales[s] * (double)difference_value(d, node)->self[s];
	}
	for (size_t i = nodes.count; i-- > 1 && err == 0;)
		for (int s = 0; s < DIFF_SIDES; s++)
			nodes.v[nodes.v[i].parent].weight[s] += nodes.v[i].weight[s];
	for (size_t i = 0; i < nodes.count && err == 0; i++) {
		const struct outlined_node *n = &nodes.v[i];

		/* The first one below what both have. */
		if (is_lone(n) && !is_lone(&nodes.v[n->parent]))
			lone += n->weight[DIFF_A] + n->weight[DIFF_B];
	}
	if (err == 0)
		all = nodes.v[0].weight[DIFF_A] + nodes.v[0].weight[DIFF_B];
	array_release(&nodes);
	hash_map_release(&children);
	free(places);
	*ret = all > 0 ? lone / all : 0;
	return err;
}

int inlines_weigh(struct difference *d)
{
	int err = d->inlined ? weigh_lone(d, false, &d->lone) : 0;

	return d->inlined && err == 0 ? weigh_lone(d, true, &d->lone_outlined) : err;
}
