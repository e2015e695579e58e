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
static int read_heat_pairs(struct heat_reader *r, struct saved_heat *h, uint32_t node,
			   uint64_t own)
{
	uint64_t count = cursor_varint(heat_column(r, SAVED_HEAT_PAIRS)), sum = 0;
	uint64_t at = 0, usual_gap;
	unsigned parameter;

	if (count >= r->pairs - h->pairs.count)
		return -EBADMSG;
	count++;
	usual_gap = r->cells / (count + 1);
	parameter = count >= HEAT_SAID ? cursor_u8(heat_column(r, SAVED_HEAT_PARAMETERS))
		    : usual_gap	       ? 63 - (unsigned)__builtin_clzll(usual_gap)
				       : 0;
	if (parameter > HEAT_PARAMETER_MOST)
		return -EBADMSG;
	for (uint64_t i = 0; i < count; i++, at++) {
		struct heat_cell *pair = array_add(&h->pairs);
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

int saved_heat_decode(struct cursor *columns, struct budget *budget, const uint64_t *own,
		      uint32_t nodes, struct saved_heat *ret)
{
	struct heat_reader r = { .columns = columns };
	struct cursor *header = &columns[0];
	uint64_t at = 0;
	int err = 0;

	r.codes.bytes = heat_column(&r, SAVED_HEAT_CODES);
	ret->width = r.width = cursor_varint(header);
	r.unit = cursor_varint(header);
	r.weighs = cursor_varint(header);
	r.cells = cursor_varint(header);
	r.pairs = cursor_varint(header);
	if (!r.width || !r.unit || r.weighs > 1 ||
	    r.cells > cursor_left(heat_column(&r, SAVED_HEAT_CELLS)) ||
	    r.pairs > cursor_left(heat_column(&r, SAVED_HEAT_SAMPLES)))
		return -EBADMSG;
	if (!claim_add(&ret->claim, budget,
		       r.cells * sizeof(*r.cell) + 2 * r.pairs * sizeof(*ret->pairs.v))) {
		ret->refused = true;
		return 0;
	}
	r.cell = malloc(r.cells * sizeof(*r.cell) + 1);
	if (!r.cell || !array_reserve(&ret->pairs, r.pairs))
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
	for (uint32_t node = 0; node < nodes && own && err == 0; node++)
		if (own[node])
			err = read_heat_pairs(&r, ret, node, own[node]);
	free(r.cell);
	return err == 0 && ret->pairs.count != r.pairs ? -EBADMSG : err;
}

void saved_heat_release(struct saved_heat *h)
{
	array_release(&h->pairs);
	claim_release(&h->claim);
	*h = (struct saved_heat){ 0 };
}

/* The list of processors is short, so its memory is nobody's to count. */
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
		err = saved_heat_decode(&columns[1], budget, own.v, (uint32_t)own.count,
					h);
	if (err == 0 && !h->refused && h->width % t->heat.width)
		err = -EBADMSG;
	for (size_t i = 0; i < h->pairs.count && err == 0; i++)
		h->pairs.v[i].node = number.v[h->pairs.v[i].node];
	array_release(&own);
	array_release(&number);
	return err;
}
