/*
 * Heat as columns of a saved tree: pairs of a node and a cell, node by node as these are numbered, and
 * of each in the order of time. A cell is said by how many cells with something in them lie between it and
 * the one before of its node. These numbers go by how much the node has: they are Rice codes, of a
 * parameter for each node, which come close to what there is to be said. Weights are not there where each
 * sample weighs the same.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "tree/saved.h"

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
	bytes_varint(&columns[SAVED_HEAT_PAIRS - SAVED_HEAT], count - 1);
	if (count >= HEAT_SAID)
		bytes_u8(&columns[SAVED_HEAT_PARAMETERS - SAVED_HEAT], (uint8_t)best);
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

int saved_heat_encode(struct bytes *columns, const struct heat *h, size_t nodes,
		      const uint32_t *order)
{
	const struct heat_cell *v = h->cells.v;
	struct bytes *cells = &columns[SAVED_HEAT_CELLS - SAVED_HEAT],
		     *samples = &columns[SAVED_HEAT_SAMPLES - SAVED_HEAT],
		     *weights = &columns[SAVED_HEAT_WEIGHTS - SAVED_HEAT];
	struct bits bits = { .to = &columns[SAVED_HEAT_CODES - SAVED_HEAT] };
	struct by_node b = { 0 };
	uint64_t unit = unit_of(h);
	bool same = true;
	int err = sort_by_node(h, nodes, &b);

	for (size_t i = 0; i < h->cells.count; i++) {
		same &= v[i].weight == v[i].samples * unit;
		if (i && v[i].cell == v[i - 1].cell)
			continue;
		bytes_varint(cells, i ? v[i].cell - v[i - 1].cell - 1 : v[i].cell);
	}
	bytes_varint(columns, h->width);
	bytes_varint(columns, unit);
	bytes_varint(columns, !same);
	bytes_varint(columns, b.cells);
	bytes_varint(columns, h->cells.count);
	for (size_t k = 0; k < nodes && err == 0; k++) {
		uint32_t node = order ? order[k] : (uint32_t)k;
		uint32_t from = b.begins[node], until = b.begins[node + 1];

		/* Nodes with a value of their own have some. */
		if (from == until)
			continue;
		add_pairs(columns, &bits, &b, from, until);
		for (uint32_t i = from; i < until; i++) {
			bytes_varint(samples, v[b.order[i]].samples);
			if (!same)
				bytes_varint(weights, v[b.order[i]].weight / unit);
		}
	}
	put_bits(&bits, 0, 7);
	free(b.begins);
	free(b.order);
	free(b.number);
	return err;
}

/* Numbers of processors become those of a list, as if each of them were a node. */
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
		err = saved_heat_encode(columns + 1, &listed, count, NULL);
	heat_release(&listed);
	free(number);
	free(own);
	return err;
}
