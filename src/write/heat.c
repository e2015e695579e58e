/*
 * Heat as columns of a picture's data: pairs of a node and a cell, node by node as the tree is walked, and
 * of each in the order of time. A cell is said by how many cells with something in them lie between it and
 * the one before of its node. These numbers go by how much the node has: they are Rice codes, of a
 * parameter for each node, which come close to what there is to be said. Weights are not there where each
 * sample weighs the same.
 */
#include "write/heat.h"

#include <errno.h>
#include <flamefold_time.h>
#include <stdlib.h>

const struct heat *heat_of_picture(const struct write_options *options,
				   const struct tree_source *in)
{
	const struct heat *h = options->heat;
	uint64_t cells;

	if (!heat_is_wanted(h) || !h->cells.count || in->in_order || options->difference)
		return NULL;
	cells = array_last(&h->cells)->cell - h->cells.v[0].cell;
	return (unsigned __int128)cells * h->width >= FF_HEAT_LEAST ? h : NULL;
}

/* Bits, the low ones of a byte first. */
struct bits {
	struct bytes *to;
	uint32_t held;
	unsigned count;
};

static void put_bits(struct bits *b, uint32_t value, unsigned count)
{
	while (count) {
		unsigned some = 8 - b->count < count ? 8 - b->count : count;

		b->held |= (value & ((1u << some) - 1)) << b->count;
		b->count += some;
		value >>= some;
		count -= some;
		if (b->count == 8) {
			bytes_u8(b->to, (uint8_t)b->held);
			b->held = b->count = 0;
		}
	}
}

/* What divides all weights. */
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

/* Pairs by node. */
struct by_node {
	uint32_t
		*begins; /* by node: its first place in order; one more behind the last */
	uint32_t *order; /* indexes of the heat's cells */
	uint32_t *number; /* likewise: of its cell among those that have something */
	uint32_t cells; /* that have something */
};

static int sort_by_node(const struct heat *h, size_t nodes, struct by_node *ret)
{
	const struct heat_cell *v = h->cells.v;
	uint32_t number = 0;

	ret->begins = calloc(nodes + 2, sizeof(*ret->begins));
	ret->order = malloc(h->cells.count * sizeof(*ret->order));
	ret->number = malloc(h->cells.count * sizeof(*ret->number));
	if (!ret->begins || !ret->order || !ret->number)
		return -ENOMEM;
	for (size_t i = 0; i < h->cells.count; i++)
		ret->begins[v[i].node + 2]++;
	for (size_t i = 1; i < nodes + 2; i++)
		ret->begins[i] += ret->begins[i - 1];
	/* What is begun with one node behind it ends as the beginning of the next one. */
	for (size_t i = 0; i < h->cells.count; i++) {
		number += i && v[i].cell != v[i - 1].cell;
		ret->number[i] = number;
		ret->order[ret->begins[v[i].node + 1]++] = (uint32_t)i;
	}
	ret->cells = number + 1;
	return 0;
}

/* From one cell to the next. */
static uint32_t gap_before(const struct by_node *b, uint32_t from, uint32_t at)
{
	uint32_t number = b->number[b->order[at]];

	return at == from ? number : number - b->number[b->order[at - 1]] - 1;
}

/* Of the node's pairs, those from the one place to the other. */
static void add_pairs(struct bytes *columns, struct bits *bits, const struct by_node *b,
		      uint32_t from, uint32_t until)
{
	uint32_t count = until - from, usual_gap = b->cells / (count + 1);
	/* Of fewer than HEAT_SAID it is this one, and not said. */
	unsigned best = usual_gap ? 31 - (unsigned)__builtin_clz(usual_gap) : 0;
	uint64_t least = UINT64_MAX;

	for (unsigned parameter = 0;
	     count >= HEAT_SAID && parameter <= HEAT_PARAMETER_MOST; parameter++) {
		uint64_t size = 0;

		for (uint32_t i = from; i < until && size < least; i++) {
			uint32_t ones = gap_before(b, from, i) >> parameter;

			size += ones < HEAT_ONES_MOST ? ones + 1 + parameter
						      : HEAT_ONES_MOST + 32;
		}
		if (size < least) {
			least = size;
			best = parameter;
		}
	}
	bytes_varint(&columns[SAVED_HEAT_PAIRS], count - 1);
	if (count >= HEAT_SAID)
		bytes_u8(&columns[SAVED_HEAT_PARAMETERS], (uint8_t)best);
	for (uint32_t i = from; i < until; i++) {
		uint32_t gap = gap_before(b, from, i), ones = gap >> best;

		/* So many ones and a zero, and then the lower bits. */
		if (ones < HEAT_ONES_MOST) {
			put_bits(bits, (1u << ones) - 1, ones + 1);
			put_bits(bits, gap, best);
		} else {
			put_bits(bits, (1u << HEAT_ONES_MOST) - 1, HEAT_ONES_MOST);
			put_bits(bits, gap, 32);
		}
	}
}

/* The same of the nodes of a view of @in, which has those with stacks alone. */
static int heat_of_view(const struct heat *h, const struct tree_source *in,
			struct heat *ret)
{
	size_t count = h->cells.count;
	uint32_t *places;
	int err = view_places(in, &places);

	if (err < 0)
		return err;
	*ret = (struct heat){ .width = h->width, .is_fixed = true };
	if (!array_reserve(&ret->cells, count))
		err = -ENOMEM;
	if (err == 0) {
		memcpy(ret->cells.v, h->cells.v, count * sizeof(*h->cells.v));
		ret->cells.count = count;
		ret->sorted = h->sorted;
		err = heat_remap(ret, places);
	}
	free(places);
	return err;
}

int heat_add_columns(struct bytes *columns, const struct write_options *options,
		     const struct tree_source *in, const struct view *data)
{
	struct heat placed = { 0 };
	bool is_all = data->nodes.count == in->tree->nodes.count;
	int err = is_all ? 0 : heat_of_view(options->heat, in, &placed);
	const struct heat *h = is_all ? options->heat : &placed;
	const struct heat_cell *v = h->cells.v;
	struct bytes *header = &columns[SAVED_HEAT],
		     *phases = &columns[SAVED_HEAT_PHASES];
	struct bits bits = { .to = &columns[SAVED_HEAT_CODES] };
	struct by_node b = { 0 };
	struct view_walk w = { 0 };
	uint64_t unit = unit_of(h);
	bool same = true;

	if (err == 0)
		err = sort_by_node(h, data->nodes.count, &b);
	for (size_t i = 0; i < h->cells.count; i++) {
		same &= v[i].weight == v[i].samples * unit;
		if (i && v[i].cell == v[i - 1].cell)
			continue;
		bytes_varint(&columns[SAVED_HEAT_CELLS],
			     i ? v[i].cell - v[i - 1].cell - 1 : v[i].cell);
	}
	bytes_varint(header, h->width);
	bytes_varint(header, unit);
	bytes_varint(header, !same);
	bytes_varint(header, b.cells);
	bytes_varint(header, h->cells.count);
	do {
		uint32_t from = err ? 0 : b.begins[w.node],
			 until = err ? 0 : b.begins[w.node + 1];

		/* Nodes with a value of their own have some. */
		if (from == until)
			continue;
		add_pairs(columns, &bits, &b, from, until);
		for (uint32_t i = from; i < until; i++) {
			bytes_varint(&columns[SAVED_HEAT_SAMPLES], v[b.order[i]].samples);
			if (!same)
				bytes_varint(&columns[SAVED_HEAT_WEIGHTS],
					     v[b.order[i]].weight / unit);
		}
	} while (view_next(data, &w, VIEW_INTO) && err == 0);
	put_bits(&bits, 0, 7);
	for (size_t i = 0; i < options->phase_count; i++) {
		const struct ff_phase *p = &options->phases[i];

		bytes_varint(phases, p->start / h->width);
		bytes_varint(phases, p->end / h->width);
		bytes_add(phases, p->name, strlen(p->name) + 1);
	}
	free(b.begins);
	free(b.order);
	free(b.number);
	heat_release(&placed);
	return err;
}
