/*
 * Heat as columns of a saved tree: which cells there are, and of each the nodes that have something in it, and how
 * many samples, as tree/heat_code.c codes them. Where samples do not weigh the same, or one has weight in
 * several cells, that code says which pairs there are, and what each of them has are columns of their own.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "tree/heat_code.h"
#include "tree/saved.h"

/* What divides all weights: of samples that are taken by time it is what one of them weighs, and the weights
 * become numbers of samples. */
static uint64_t unit_of(const struct heat *h)
{
	uint64_t unit = 0;

	for (size_t i = 0; i < h->cells.count && unit != 1; i++)
		for (uint64_t rest = h->cells.v[i].weight; rest;) {
			uint64_t next = unit % rest;

			unit = rest;
			rest = next;
		}
	return unit ? unit : 1;
}

/* Are numbers of samples enough to know what pairs weigh? Not of waits, which weigh what they last and are in
 * many cells with one sample in the last of them; nor of events whose periods differ. */
static bool weighs_the_same(const struct heat *h, uint64_t unit)
{
	uint64_t all = 0;

	for (size_t i = 0; i < h->cells.count; i++) {
		const struct heat_cell *c = &h->cells.v[i];

		if (!c->samples || c->samples > HEAT_COUNT_MOST - all ||
		    c->weight / unit != c->samples)
			return false;
		all += c->samples;
	}
	return true;
}

/* What is written, as the code has it. */
struct coded_heat {
	struct heat_plan plan;
	uint64_t *counts;
	uint32_t *fences;
	uint32_t *leaf; /* by node */
	uint32_t *order; /* indexes of the heat's cells: by leaf, and then as they are */
	struct heat_item *items;
};

static void coded_release(struct coded_heat *c)
{
	free(c->counts);
	free(c->fences);
	free(c->leaf);
	free(c->order);
	free(c->items);
}

static uint64_t items_count(const struct coded_heat *c, const struct heat_cell *of)
{
	return c->plan.counted ? of->samples : 1;
}

/*
 * Nodes that have something become leaves, in the order of their numbers in the data, which is that of a walk.
 * The fence before a leaf is the least depth that the walk came to since the leaf before:
 *
 *	a            b and c have a fence of 2 between them, and c and e one of 1: a range of leaves
 *	  b   leaf   is rather split before e, where nothing but the root is common to both sides
 *	  c   leaf
 *	d
 *	  e   leaf
 */
static void number_leaves(struct coded_heat *c, const struct heat *h,
			  const struct heat_nodes *nodes)
{
	uint32_t fence = UINT32_MAX;

	for (size_t i = 0; i < h->cells.count; i++)
		c->leaf[h->cells.v[i].node] = 1;
	for (size_t k = 0; k < nodes->count; k++) {
		uint32_t *leaf = &c->leaf[nodes->order ? nodes->order[k] : k];
		uint32_t depth = nodes->depth ? nodes->depth[k] : 0;

		fence = depth < fence ? depth : fence;
		if (!*leaf)
			continue;
		c->fences[c->plan.leaves] = fence;
		*leaf = c->plan.leaves++;
		fence = UINT32_MAX;
	}
	for (size_t i = 0; i < h->cells.count; i++)
		c->counts[c->leaf[h->cells.v[i].node]] += items_count(c, &h->cells.v[i]);
}

/*
 * By leaf, and so, as the sort keeps the order of equal ones, by cell: each cell then takes its items from the
 * leaves in their order. Both are counting sorts: the heat's cells come by cell, and their nodes' numbers are
 * dense, so there is nothing to compare.
 */
static int sort_items(struct coded_heat *c, const struct heat *h)
{
	const struct heat_cell *v = h->cells.v;
	size_t pairs = h->cells.count;
	uint32_t *begins = calloc((size_t)c->plan.leaves + 1, sizeof(*begins));
	uint32_t *number = malloc(pairs * sizeof(*number)),
		 *next = malloc(pairs * sizeof(*next));
	uint32_t cells = 0;

	if (begins && number && next) {
		for (size_t i = 0; i < pairs; i++)
			begins[c->leaf[v[i].node] + 1]++;
		for (uint32_t i = 1; i < c->plan.leaves; i++)
			begins[i] += begins[i - 1];
		for (size_t i = 0; i < pairs; i++) {
			if (i == 0 || v[i].cell != v[i - 1].cell)
				next[cells++] = (uint32_t)i;
			number[i] = cells - 1;
			c->order[begins[c->leaf[v[i].node]]++] = (uint32_t)i;
		}
		for (size_t k = 0; k < pairs; k++) {
			uint32_t i = c->order[k];

			c->items[next[number[i]]++] =
				(struct heat_item){ number[i], c->leaf[v[i].node],
						    items_count(c, &v[i]) };
		}
		c->plan.cells = cells;
	}
	free(begins);
	free(number);
	free(next);
	return begins && number && next ? 0 : -ENOMEM;
}

/* @c: to be released in either case. */
static int coded_of(struct coded_heat *c, const struct heat *h,
		    const struct heat_nodes *nodes)
{
	size_t pairs = h->cells.count;
	uint32_t most = 0;

	for (size_t i = 0; i < pairs; i++)
		most = h->cells.v[i].node > most ? h->cells.v[i].node : most;
	c->counts = calloc(nodes->count, sizeof(*c->counts));
	c->fences = calloc(nodes->count, sizeof(*c->fences));
	c->leaf = calloc((size_t)most + nodes->count, sizeof(*c->leaf));
	c->order = malloc(pairs * sizeof(*c->order));
	c->items = malloc(pairs * sizeof(*c->items));
	if (!c->counts || !c->fences || !c->leaf || !c->order || !c->items)
		return -ENOMEM;
	number_leaves(c, h, nodes);
	c->plan.counts = c->counts;
	c->plan.fences = c->fences;
	return sort_items(c, h);
}

/* Of pairs by leaf: how many each leaf has, and what each of them is. */
static void add_pair_values(struct bytes *columns, const struct coded_heat *c,
			    const struct heat *h, uint64_t unit)
{
	for (uint32_t i = 0; i < c->plan.leaves; i++)
		bytes_varint(&columns[SAVED_HEAT_PAIRS - SAVED_HEAT], c->counts[i] - 1);
	for (size_t k = 0; k < h->cells.count; k++) {
		const struct heat_cell *v = &h->cells.v[c->order[k]];

		bytes_varint(&columns[SAVED_HEAT_SAMPLES - SAVED_HEAT], v->samples);
		bytes_varint(&columns[SAVED_HEAT_WEIGHTS - SAVED_HEAT], v->weight / unit);
	}
}

/* Of nodes that all weigh something. */
static int encode_whole(struct bytes *columns, const struct heat *h,
			const struct heat_nodes *nodes)
{
	const struct heat_cell *v = h->cells.v;
	struct bytes *cells = &columns[SAVED_HEAT_CELLS - SAVED_HEAT];
	uint64_t unit = unit_of(h);
	struct coded_heat c = { .plan.counted = weighs_the_same(h, unit) };
	int err = coded_of(&c, h, nodes);

	for (size_t i = 0; i < h->cells.count; i++)
		if (i == 0 || v[i].cell != v[i - 1].cell)
			bytes_varint(cells,
				     i ? v[i].cell - v[i - 1].cell - 1 : v[i].cell);
	bytes_varint(columns, h->width);
	bytes_varint(columns, unit);
	bytes_varint(columns, !c.plan.counted);
	bytes_varint(columns, c.plan.cells);
	bytes_varint(columns, h->cells.count);
	if (err == 0 && !c.plan.counted)
		add_pair_values(columns, &c, h, unit);
	if (err == 0 && h->cells.count)
		err = heat_code_write(&columns[SAVED_HEAT_CODES - SAVED_HEAT], &c.plan,
				      c.items, h->cells.count);
	coded_release(&c);
	return err;
}

/* Whose samples all weigh nothing is no leaf: a reader knows leaves by their weight. @map: by node, where it is
 * then. Returns whether there is any such node. */
static bool find_weightless(const struct heat *h, uint32_t *map)
{
	bool found = false;

	for (size_t i = 0; i < h->cells.count; i++)
		map[h->cells.v[i].node] = HEAT_NOWHERE;
	for (size_t i = 0; i < h->cells.count; i++)
		if (h->cells.v[i].weight)
			map[h->cells.v[i].node] = h->cells.v[i].node;
	for (size_t i = 0; i < h->cells.count; i++)
		found |= map[h->cells.v[i].node] == HEAT_NOWHERE;
	return found;
}

int saved_heat_encode(struct bytes *columns, const struct heat *h,
		      const struct heat_nodes *nodes)
{
	uint32_t most = 0, *map;
	struct heat some = { 0 };
	int err;

	for (size_t i = 0; i < h->cells.count; i++)
		most = h->cells.v[i].node > most ? h->cells.v[i].node : most;
	map = malloc(((size_t)most + 1) * sizeof(*map));
	if (!map)
		return -ENOMEM;
	if (find_weightless(h, map)) {
		err = heat_copy(&some, h);
		if (err == 0)
			err = heat_remap(&some, map);
		if (err == 0)
			err = encode_whole(columns, &some, nodes);
		heat_release(&some);
	} else {
		err = encode_whole(columns, h, nodes);
	}
	free(map);
	return err;
}

/* Numbers of processors become those of a list, as if each of them were a node: of 65,536 that there may be a
 * machine has a few. What each weighs is said with it, as nodes have their values in columns of their own. */
int saved_processors_encode(struct bytes *columns, const struct heat *h)
{
	uint64_t *own = calloc(HEAT_PROCESSORS, sizeof(*own));
	uint32_t *number = calloc(HEAT_PROCESSORS, sizeof(*number));
	uint32_t count = 0, next = 0;
	struct heat listed = { 0 };
	int err = own && number ? heat_copy(&listed, h) : -ENOMEM;

	for (size_t i = 0; i < h->cells.count && err == 0; i++)
		own[h->cells.v[i].node] += h->cells.v[i].weight;
	for (uint32_t i = 0; i < HEAT_PROCESSORS && err == 0; i++) {
		number[i] = own[i] ? count++ : HEAT_NOWHERE;
		if (!own[i])
			continue;
		bytes_varint(columns, i - next);
		bytes_varint(columns, own[i]);
		next = i + 1;
	}
	if (err == 0)
		err = heat_remap(&listed, number);
	if (err == 0)
		err = saved_heat_encode(columns + 1, &listed,
					&(struct heat_nodes){ .count = count });
	heat_release(&listed);
	free(number);
	free(own);
	return err;
}
