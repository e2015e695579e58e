/*
 * When it was, of a picture that says so: pairs of a node and a cell of time, as encode_heat.c has written
 * them; Documentation/svg-format.md has their columns. As in decode.c nothing is believed: there is one pair at
 * least of each cell and of each node that has something, and what those of a node weigh is what it has.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "tree/heat_code.h"
#include "tree/saved.h"

struct heat_reader {
	struct cursor *columns; /* of SAVED_HEAT, and the next ones */
	uint64_t width, unit, weighs, cells, pairs;
	uint32_t *cell; /* by number, of those that have something */
	/* By leaf, which is a node with a value of its own. */
	uint32_t *node, *fences, *begins;
	uint64_t *counts;
	struct heat_item *items; /* by cell, then leaf */
	struct heat_plan plan;
};

static struct cursor *heat_column(const struct heat_reader *r, enum saved_column id)
{
	return &r->columns[id - SAVED_HEAT];
}

static void heat_reader_release(struct heat_reader *r)
{
	free(r->cell);
	free(r->node);
	free(r->fences);
	free(r->begins);
	free(r->counts);
	free(r->items);
}

/* The number of each cell that has something. Times are below 2^63, so that who adds a width to one does not
 * have to ask. */
static int read_cells(struct heat_reader *r)
{
	uint64_t at = 0;

	for (uint64_t i = 0; i < r->cells; i++, at++) {
		uint64_t empty = cursor_varint(heat_column(r, SAVED_HEAT_CELLS));

		if (__builtin_add_overflow(at, empty, &at) || at >= UINT32_MAX ||
		    at + 1 > INT64_MAX / r->width)
			return -EBADMSG;
		r->cell[i] = (uint32_t)at;
	}
	return 0;
}

/* @depth: of each node. Leaves and fences as encode_heat.c has them: whose value is not 0 is a leaf, so the picture
 * does not have to say which nodes are. */
static void find_leaves(struct heat_reader *r, const struct saved_nodes *nodes,
			const uint32_t *depth)
{
	uint32_t fence = UINT32_MAX;

	for (uint32_t node = 0; node < nodes->count; node++) {
		fence = depth[node] < fence ? depth[node] : fence;
		if (!nodes->own[node])
			continue;
		r->fences[r->plan.leaves] = fence;
		r->node[r->plan.leaves++] = node;
		fence = UINT32_MAX;
	}
}

/*
 * How many each leaf has: its samples, or, where these do not say what they weigh, its pairs. The code is read
 * by these, and ends when all of them have come: so its own numbers cannot ask for more than the tree has.
 */
static int read_leaf_counts(struct heat_reader *r, const struct saved_nodes *nodes)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < r->plan.leaves; i++) {
		uint64_t own = nodes->own[r->node[i]], count = own / r->unit;

		if (r->weighs)
			count = cursor_varint(heat_column(r, SAVED_HEAT_PAIRS)) + 1;
		if (!count || count > HEAT_COUNT_MOST - all ||
		    (!r->weighs && own % r->unit))
			return -EBADMSG;
		all += r->counts[i] = count;
	}
	/* Each of the cells has a pair, and so has each leaf. */
	return (r->weighs ? all != r->pairs : all < r->pairs) ||
			       r->plan.leaves > r->pairs || r->cells > r->pairs
		       ? -EBADMSG
		       : 0;
}

/* Pairs by leaf, and of each by cell: the code has them by cell, and a counting sort keeps that order within a
 * leaf. */
static void sort_pairs(struct heat_reader *r, struct saved_heat *h)
{
	for (uint64_t i = 0; i < r->pairs; i++)
		r->begins[r->items[i].leaf + 1]++;
	for (uint32_t i = 1; i < r->plan.leaves; i++)
		r->begins[i] += r->begins[i - 1];
	for (uint64_t i = 0; i < r->pairs; i++) {
		const struct heat_item *item = &r->items[i];

		h->pairs.v[r->begins[item->leaf]++] = (struct heat_cell){
			.node = r->node[item->leaf],
			.cell = r->cell[item->cell],
			.samples = item->count,
			.weight = item->count * r->unit,
		};
	}
	h->pairs.count = r->pairs;
}

/* What pairs have where that does not follow from samples. Those of a node are all of its value, and not
 * more. */
static int read_pair_weights(struct heat_reader *r, const struct saved_nodes *nodes,
			     struct saved_heat *h)
{
	size_t at = 0;

	for (uint32_t i = 0; i < r->plan.leaves; i++) {
		uint64_t rest = nodes->own[r->node[i]];

		for (uint64_t k = 0; k < r->counts[i]; k++, at++) {
			struct heat_cell *pair = &h->pairs.v[at];
			uint64_t weight =
				cursor_varint(heat_column(r, SAVED_HEAT_WEIGHTS));

			pair->samples = cursor_varint(heat_column(r, SAVED_HEAT_SAMPLES));
			if (__builtin_mul_overflow(weight, r->unit, &pair->weight) ||
			    __builtin_sub_overflow(rest, pair->weight, &rest))
				return -EBADMSG;
		}
		if (rest)
			return -EBADMSG;
	}
	return 0;
}

/* Numbers that are too large to be true are refused before anything is made as large as they say. */
static int read_heat_header(struct heat_reader *r)
{
	struct cursor *header = &r->columns[0];

	r->width = cursor_varint(header);
	r->unit = cursor_varint(header);
	r->weighs = cursor_varint(header);
	r->cells = cursor_varint(header);
	r->pairs = cursor_varint(header);
	r->plan =
		(struct heat_plan){ .cells = (uint32_t)r->cells, .counted = !r->weighs };
	return !r->width || !r->unit || r->weighs > 1 ||
			       r->cells > cursor_left(heat_column(r, SAVED_HEAT_CELLS)) ||
			       r->cells >= UINT32_MAX || r->pairs >= UINT32_MAX
		       ? -EBADMSG
		       : 0;
}

/* What is read goes by the numbers of the header and of nodes, so that is what memory is asked for. Leaves are
 * fewer than nodes, but how many is not known before there is room for them. */
static bool claim_heat(const struct heat_reader *r, const struct saved_nodes *nodes,
		       struct budget *budget, struct saved_heat *ret)
{
	const size_t a_node = sizeof(*r->node) + sizeof(*r->fences) + sizeof(*r->begins) +
			      sizeof(*r->counts) + sizeof(uint32_t);

	return claim_add(&ret->claim, budget,
			 r->cells * sizeof(*r->cell) + nodes->count * a_node +
				 heat_code_memory(nodes->count) +
				 r->pairs * (sizeof(*ret->pairs.v) + sizeof(*r->items)));
}

static int reserve_pairs(struct heat_reader *r, const struct saved_nodes *nodes,
			 struct saved_heat *h)
{
	const size_t count = (size_t)nodes->count + 1;

	r->cell = malloc(r->cells * sizeof(*r->cell) + 1);
	r->node = malloc(count * sizeof(*r->node));
	r->fences = malloc(count * sizeof(*r->fences));
	r->begins = calloc(count, sizeof(*r->begins));
	r->counts = malloc(count * sizeof(*r->counts));
	r->items = malloc(r->pairs * sizeof(*r->items) + 1);
	return r->cell && r->node && r->fences && r->begins && r->counts && r->items &&
			       array_reserve(&h->pairs, r->pairs)
		       ? 0
		       : -ENOMEM;
}

/* How deep nodes are in their tree; of those that are in none 0. NULL: there is no memory. */
static uint32_t *depths_of(const struct saved_nodes *nodes)
{
	uint32_t *depth = calloc((size_t)nodes->count + 1, sizeof(*depth));

	for (uint32_t i = 1; depth && nodes->parent && i < nodes->count; i++)
		depth[i] = depth[nodes->parent[i]] + 1;
	return depth;
}

/* In this order: leaves follow from the tree, their counts from the header and the tree, and only then the code
 * says something. */
static int read_heat(struct heat_reader *r, const struct saved_nodes *nodes,
		     struct saved_heat *ret)
{
	uint32_t *depth = depths_of(nodes);
	int err = depth ? reserve_pairs(r, nodes, ret) : -ENOMEM;

	if (err == 0) {
		find_leaves(r, nodes, depth);
		r->plan.counts = r->counts;
		r->plan.fences = r->fences;
		err = read_cells(r);
	}
	free(depth);
	if (err == 0)
		err = read_leaf_counts(r, nodes);
	if (err == 0 && r->pairs)
		err = heat_code_read(heat_column(r, SAVED_HEAT_CODES), &r->plan, r->items,
				     r->pairs);
	if (err == 0) {
		sort_pairs(r, ret);
		if (r->weighs)
			err = read_pair_weights(r, nodes, ret);
	}
	return err;
}

int saved_heat_decode(struct cursor *columns, struct budget *budget,
		      const struct saved_nodes *nodes, struct saved_heat *ret)
{
	struct heat_reader r = { .columns = columns };
	int err = nodes->own ? read_heat_header(&r) : -EBADMSG;

	ret->width = r.width;
	if (err == 0 && !claim_heat(&r, nodes, budget, ret))
		ret->refused = true;
	else if (err == 0)
		err = read_heat(&r, nodes, ret);
	heat_reader_release(&r);
	/* Only pairs are there from now on. */
	if (err == 0 && !ret->refused)
		claim_settle(&ret->claim, budget, r.pairs * sizeof(*ret->pairs.v));
	return err;
}

void saved_heat_release(struct saved_heat *h)
{
	array_release(&h->pairs);
	claim_release(&h->claim);
	*h = (struct saved_heat){ 0 };
}

/*
 * The list of processors is short, so its memory is nobody's to count. Each says its number by the step from the
 * one before, and what it weighs; then they are leaves like nodes without a tree, whose pairs get the numbers that
 * processors have.
 */
int saved_processors_decode(struct cursor *columns, struct budget *budget,
			    struct saved_tree *t)
{
	struct saved_heat *h = &t->processors;
	ARRAY(uint64_t) own = { 0 };
	ARRAY(uint32_t) number = { 0 };
	uint64_t at = 0, all = 0;
	int err = 0;

	for (uint32_t i = 0; i < t->nodes; i++)
		all += saved_value(t, i, COLUMN_WEIGHT);
	while (err == 0 && cursor_left(&columns[0])) {
		uint64_t skipped = cursor_varint(&columns[0]);
		uint64_t *weight = array_add(&own);
		uint32_t *slot = array_add(&number);

		if (!weight || !slot) {
			err = -ENOMEM;
			break;
		}
		*weight = cursor_varint(&columns[0]);
		if (skipped >= HEAT_PROCESSORS || at + skipped >= HEAT_PROCESSORS ||
		    !*weight || *weight > all) {
			err = -EBADMSG;
			break;
		}
		all -= *weight;
		*slot = (uint32_t)(at + skipped);
		at = *slot + 1;
	}
	/* All of it was somewhere. */
	if (err == 0 && (all || columns[0].bad))
		err = -EBADMSG;
	if (err == 0)
		err = saved_heat_decode(
			&columns[1], budget,
			&(struct saved_nodes){ (uint32_t)own.count, own.v, NULL }, h);
	if (err == 0 && !h->refused && h->width % t->heat.width)
		err = -EBADMSG;
	for (size_t i = 0; i < h->pairs.count && err == 0; i++)
		h->pairs.v[i].node = number.v[h->pairs.v[i].node];
	array_release(&own);
	array_release(&number);
	return err;
}
