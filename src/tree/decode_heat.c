/*
 * When it was, of a picture that says so: pairs of a node and a cell of time, as write/heat.c has written
 * them; Documentation/svg-format.md has their columns. As in decode.c nothing is believed: pairs are no more
 * than the bytes of their samples, and what those of a node weigh is what it has.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "tree/saved.h"

/* Bits, the low ones of a byte first. */
struct bit_reader {
	struct cursor *bytes;
	uint32_t held;
	unsigned count;
};

static uint64_t take_bits(struct bit_reader *b, unsigned count)
{
	uint64_t ret = 0;

	for (unsigned i = 0; i < count; i++) {
		if (b->count == 0) {
			b->held = cursor_u8(b->bytes);
			b->count = 8;
		}
		ret |= (uint64_t)(b->held & 1) << i;
		b->held >>= 1;
		b->count--;
	}
	return ret;
}

/* Cells that something is in, between two that a node has. */
static uint64_t take_gap(struct bit_reader *b, unsigned parameter)
{
	uint64_t ones = 0;

	while (ones < HEAT_ONES_MOST && take_bits(b, 1))
		ones++;
	return ones < HEAT_ONES_MOST ? (ones << parameter) + take_bits(b, parameter)
				     : take_bits(b, 32);
}

struct heat_reader {
	struct cursor *columns; /* of SAVED_HEAT, and the next ones */
	uint64_t width, unit, weighs, cells, pairs;
	uint32_t *cell; /* by number, of those that have something */
	struct bit_reader codes;
};

static struct cursor *heat_column(const struct heat_reader *r, enum saved_column id)
{
	return &r->columns[id - SAVED_HEAT];
}

/* What @own, which a node has, is when. -EBADMSG: it is not so. */
static int read_heat_pairs(struct heat_reader *r, struct saved_tree *t, uint32_t node,
			   uint64_t own)
{
	uint64_t count = cursor_varint(heat_column(r, SAVED_HEAT_PAIRS)), sum = 0;
	uint64_t at = 0, usual_gap;
	unsigned parameter;

	if (count >= r->pairs - t->heat.count)
		return -EBADMSG;
	count++;
	usual_gap = r->cells / (count + 1);
	parameter = count >= HEAT_SAID ? cursor_u8(heat_column(r, SAVED_HEAT_PARAMETERS))
		    : usual_gap	       ? 63 - (unsigned)__builtin_clzll(usual_gap)
				       : 0;
	if (parameter > HEAT_PARAMETER_MOST)
		return -EBADMSG;
	for (uint64_t i = 0; i < count; i++, at++) {
		struct heat_cell *pair = array_add(&t->heat);
		uint64_t weight;

		if (!pair)
			return -ENOMEM;
		at += take_gap(&r->codes, parameter);
		if (at >= r->cells)
			return -EBADMSG;
		pair->node = node;
		pair->cell = r->cell[at];
		pair->samples = cursor_varint(heat_column(r, SAVED_HEAT_SAMPLES));
		weight = r->weighs ? cursor_varint(heat_column(r, SAVED_HEAT_WEIGHTS))
				   : pair->samples;
		if (__builtin_mul_overflow(weight, r->unit, &pair->weight) ||
		    __builtin_add_overflow(sum, pair->weight, &sum))
			return -EBADMSG;
	}
	return sum == own ? 0 : -EBADMSG;
}

int saved_heat_decode(struct cursor *columns, struct budget *budget, struct saved_tree *t)
{
	struct heat_reader r = { .columns = columns };
	struct cursor *header = &columns[0];
	uint64_t at = 0;
	int err = 0;

	r.codes.bytes = heat_column(&r, SAVED_HEAT_CODES);
	t->heat_width = r.width = cursor_varint(header);
	r.unit = cursor_varint(header);
	r.weighs = cursor_varint(header);
	r.cells = cursor_varint(header);
	r.pairs = cursor_varint(header);
	if (!r.width || !r.unit || r.weighs > 1 ||
	    r.cells > cursor_left(heat_column(&r, SAVED_HEAT_CELLS)) ||
	    r.pairs > cursor_left(heat_column(&r, SAVED_HEAT_SAMPLES)))
		return -EBADMSG;
	if (!claim_add(&t->claim, budget,
		       r.cells * sizeof(*r.cell) + 2 * r.pairs * sizeof(*t->heat.v))) {
		t->heat_refused = true;
		return 0;
	}
	r.cell = malloc(r.cells * sizeof(*r.cell) + 1);
	if (!r.cell || !array_reserve(&t->heat, r.pairs))
		err = -ENOMEM;
	/* Times are below 2^63. */
	for (uint64_t i = 0; i < r.cells && err == 0; i++, at++) {
		uint64_t empty = cursor_varint(heat_column(&r, SAVED_HEAT_CELLS));

		if (__builtin_add_overflow(at, empty, &at) || at >= UINT32_MAX ||
		    at + 1 > INT64_MAX / r.width)
			err = -EBADMSG;
		else
			r.cell[i] = (uint32_t)at;
	}
	for (uint32_t node = 0; node < t->nodes && err == 0; node++) {
		uint64_t own = saved_value(t, node, COLUMN_WEIGHT);

		if (own)
			err = read_heat_pairs(&r, t, node, own);
	}
	free(r.cell);
	return err == 0 && t->heat.count != r.pairs ? -EBADMSG : err;
}
