/*
 * Cells are appended as they come, and put in order when there are twice as many as were in order
 * before: then those of one cell and stack become one.
 */
#include "weight/heat.h"

#include <errno.h>

#include "base/keyed.h"

enum {
	SOME = 1024, /* cells, that the budget is asked for at once */
	CELL_MEMORY = 2 * sizeof(struct heat_cell), /* each with room for another one */
	UNSORTED = HEAT_MOST / 32, /* cells that are not worth to be put in order */
};

/* What is wider than this is a clock that jumped. */
static uint64_t wider(uint64_t width)
{
	static const uint64_t widths[] = {
		HEAT_WIDTH_LEAST,	  UINT64_C(100000000),	 UINT64_C(1000000000),
		UINT64_C(5000000000),	  UINT64_C(60000000000), UINT64_C(3600000000000),
		UINT64_C(86400000000000),
	};

	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++)
		if (widths[i] > width)
			return widths[i];
	return width * 10;
}

struct heat heat_of(const uint64_t *first, uint64_t width, struct budget *budget)
{
	return (struct heat){ .first = first,
			      .width = width ? width : HEAT_WIDTH_LEAST,
			      .is_fixed = width != 0,
			      .budget = budget };
}

void heat_drop(struct heat *h, enum heat_flaw why)
{
	array_release(&h->cells);
	claim_release(&h->claim);
	h->allowed = h->sorted = 0;
	h->flaw = (uint8_t)why;
}

void heat_release(struct heat *h)
{
	heat_drop(h, HEAT_WHOLE);
	*h = (struct heat){ 0 };
}

static inline bool is_before(const struct heat_cell *a, const struct heat_cell *b)
{
	return a->cell != b->cell ? a->cell < b->cell : a->node < b->node;
}

static int by_place(const void *left, const void *right)
{
	const struct heat_cell *a = left, *b = right;

	return is_before(b, a) - is_before(a, b);
}

/* By one number, in which the cell is above the node. False without memory. */
static bool sort_by_number(struct heat_cell *v, size_t count)
{
	struct keyed *order = malloc(count * sizeof(*order));
	struct heat_cell *copy = malloc(count * sizeof(*copy));
	unsigned bits = 0;
	bool sorted = false;

	/* The narrower the number is, the fewer times all of it is gone through. */
	for (size_t i = 0; i < count; i++)
		while ((uint64_t)v[i].node >> bits)
			bits++;
	for (size_t i = 0; order && i < count; i++)
		order[i] = (struct keyed){ (uint64_t)v[i].cell << bits | v[i].node,
					   (uint32_t)i };
	if (order && copy && keyed_sort(order, count) == 0) {
		memcpy(copy, v, count * sizeof(*v));
		for (size_t i = 0; i < count; i++)
			v[i] = copy[order[i].id];
		sorted = true;
	}
	free(order);
	free(copy);
	return sorted;
}

static void order_cells(struct heat_cell *v, size_t count)
{
	if (count > UINT32_MAX || !sort_by_number(v, count))
		qsort(v, count, sizeof(*v), by_place);
}

/* Those of one cell and node become one. */
static void put_in_order(struct heat *h)
{
	struct heat_cell *v = h->cells.v, *more = NULL;
	size_t count = 0, from = h->sorted, some, all = h->cells.count;

	/* Most often they come in order. */
	while (from && from < all && is_before(&v[from - 1], &v[from]))
		from++;
	some = all - from;
	if (some)
		order_cells(v + from, some);
	if (some && from && !is_before(&v[from - 1], &v[from]))
		more = malloc(some * sizeof(*more));
	if (more) {
		/* What is in order already and what is new, from their ends. */
		memcpy(more, v + from, some * sizeof(*more));
		for (size_t to = all; some; to--)
			v[to - 1] = from && is_before(&more[some - 1], &v[from - 1])
					    ? v[--from]
					    : more[--some];
		free(more);
	} else if (some && from) {
		order_cells(v, all);
	}
	for (size_t i = 0; i < h->cells.count; i++) {
		struct heat_cell *last = count ? &v[count - 1] : NULL;

		if (last && last->cell == v[i].cell && last->node == v[i].node) {
			last->weight += v[i].weight;
			last->samples += v[i].samples;
		} else {
			v[count++] = v[i];
		}
	}
	h->cells.count = h->sorted = count;
}

/* @width: a multiple of what it was. */
static void widen_cells(struct heat *h, uint64_t width)
{
	uint64_t times = width / h->width;

	for (size_t i = 0; i < h->cells.count; i++)
		h->cells.v[i].cell = (uint32_t)(h->cells.v[i].cell / times);
	h->width = width;
	h->sorted = 0;
	put_in_order(h);
}

/* Where there are more stacks than that, no width is enough: then all is in one cell. */
static void shrink(struct heat *h)
{
	put_in_order(h);
	while (h->cells.count > HEAT_MOST && !h->is_fixed &&
	       array_last(&h->cells)->cell && h->width < UINT64_MAX / 10)
		widen_cells(h, wider(h->width));
}

int heat_finish(struct heat *h)
{
	shrink(h);
	return 0;
}

void heat_match(struct heat *processors, struct heat *h)
{
	bool is_same = heat_is_wanted(h);
	size_t at = 0;
	uint64_t times;

	if (!processors->cells.count)
		return;
	shrink(h);
	shrink(processors);
	if (processors->width < h->width && h->width % processors->width == 0)
		widen_cells(processors, h->width);
	is_same &= processors->width % h->width == 0;
	times = is_same ? processors->width / h->width : 1;
	for (size_t i = 0; i < processors->cells.count;) {
		uint32_t cell = processors->cells.v[i].cell;
		uint64_t weight = 0, samples = 0;

		for (; i < processors->cells.count && processors->cells.v[i].cell == cell;
		     i++) {
			weight += processors->cells.v[i].weight;
			samples += processors->cells.v[i].samples;
		}
		for (; at < h->cells.count && h->cells.v[at].cell / times == cell; at++) {
			weight -= h->cells.v[at].weight;
			samples -= h->cells.v[at].samples;
		}
		is_same &= !weight && !samples;
	}
	if (!is_same || at < h->cells.count)
		heat_drop(processors, HEAT_UNPLACED);
}

uint64_t heat_reach(const struct heat *h)
{
	return !h->cells.count
		       ? 0
		       : (array_last(&h->cells)->cell - h->cells.v[0].cell) * h->width;
}

int heat_add_cell(struct heat *h, uint64_t at, struct heat_cell part)
{
	struct heat_cell *last = h->cells.count ? array_last(&h->cells) : NULL;

	part.cell = (uint32_t)(at / h->width);
	if (last && last->cell == part.cell && last->node == part.node) {
		last->weight += part.weight;
		last->samples += part.samples;
		return 0;
	}
	if (h->cells.count >= 2 * h->sorted + UNSORTED) {
		shrink(h);
		part.cell = (uint32_t)(at / h->width);
	}
	if (h->cells.count >= h->allowed) {
		if (!claim_add_part(&h->claim, h->budget, BUDGET_STACKS,
				    SOME * CELL_MEMORY)) {
			heat_drop(h, HEAT_REFUSED);
			return 0;
		}
		h->allowed += SOME;
	}
	if (!array_reserve(&h->cells, 1))
		return -ENOMEM;
	h->cells.v[h->cells.count++] = part;
	return 0;
}

int heat_add(struct heat *h, uint32_t node, const struct heat_span *span)
{
	uint64_t from, until, given = 0, next;
	int err = 0;

	if (!heat_is_wanted(h))
		return 0;
	if (!span->until || span->until >= UINT64_MAX >> 1) {
		heat_drop(h, HEAT_UNTIMED);
		return 0;
	}
	if (!h->has_origin) {
		h->origin = *h->first;
		h->has_origin = true;
	}
	/* What was there before the first sample is as if it had begun with it. */
	until = span->until > h->origin ? span->until - h->origin : 0;
	from = span->from > h->origin ? span->from - h->origin : 0;
	from = from < until ? from : until;
	while (until / h->width >= UINT32_MAX ||
	       (!h->is_fixed && from < until &&
		until / h->width - from / h->width >= HEAT_MOST)) {
		if (h->is_fixed) {
			heat_drop(h, HEAT_TOO_LONG);
			return 0;
		}
		widen_cells(h, wider(h->width));
	}
	if (from == until)
		return heat_add_cell(h, until,
				     (struct heat_cell){ .weight = span->weight,
							 .node = node,
							 .samples = span->samples });
	/* The end is no part of a span that has a length. */
	for (uint64_t at = from; at < until && err == 0 && h->flaw == HEAT_WHOLE;
	     at = next) {
		unsigned __int128 length = until - from, whole = span->weight;
		struct heat_cell part = { .node = node };
		uint64_t so_far, reached;

		/* Cells that so little weight has no part for are passed over. */
		reached = given < span->weight
				  ? (uint64_t)((length * (given + 1) + whole - 1) / whole)
				  : until - from;
		if (from + reached - 1 > at)
			at = from + reached - 1;
		next = (at / h->width + 1) * h->width;
		next = next < until ? next : until;
		so_far = next == until ? span->weight
				       : (uint64_t)(whole * (next - from) / length);
		part.weight = so_far - given;
		part.samples = next == until ? span->samples : 0;
		given = so_far;
		err = heat_add_cell(h, at, part);
	}
	return err;
}

int heat_merge(struct heat *h, struct heat *from, const uint32_t *node_map)
{
	struct heat mine = *h;
	int err = 0;

	if (h->flaw || from->flaw) {
		heat_drop(h, h->flaw ? h->flaw : from->flaw);
		return 0;
	}
	if (h->cells.count && from->first && h->first != from->first) {
		heat_drop(h, HEAT_SEVERAL);
		return 0;
	}
	if (!h->cells.count) {
		/* Most often: nothing is copied. */
		*h = *from;
		*from = mine;
		h->first = h->first ? h->first : mine.first;
		return node_map ? heat_remap(h, node_map) : 0;
	}
	if (!from->cells.count)
		return 0;
	claim_join(&h->claim, &from->claim);
	h->allowed += from->allowed;
	from->allowed = 0;
	if (h->width < from->width)
		widen_cells(h, from->width);
	else if (from->width < h->width)
		widen_cells(from, h->width);
	for (size_t i = 0; i < from->cells.count && err == 0 && !h->flaw; i++) {
		struct heat_cell cell = from->cells.v[i];

		cell.node = node_map ? node_map[cell.node] : cell.node;
		/* Cells of this one may become wider meanwhile. */
		err = heat_add_cell(h, cell.cell * from->width, cell);
	}
	return err;
}

int heat_remap(struct heat *h, const uint32_t *node_map)
{
	size_t count = 0;

	/* How wide cells are must not hang on when they were last put in order: later there may be fewer. */
	shrink(h);
	for (size_t i = 0; i < h->cells.count; i++) {
		struct heat_cell cell = h->cells.v[i];

		cell.node = node_map[cell.node];
		if (cell.node != HEAT_NOWHERE)
			h->cells.v[count++] = cell;
	}
	h->cells.count = count;
	h->sorted = 0;
	shrink(h);
	return 0;
}

int heat_copy(struct heat *ret, const struct heat *h)
{
	*ret = (struct heat){ .first = h->first, .width = h->width, .is_fixed = true };
	if (!array_reserve(&ret->cells, h->cells.count))
		return -ENOMEM;
	memcpy(ret->cells.v, h->cells.v, h->cells.count * sizeof(*h->cells.v));
	ret->cells.count = h->cells.count;
	ret->sorted = h->sorted;
	return 0;
}

void heat_scale(struct heat *h, uint64_t factor)
{
	for (size_t i = 0; i < h->cells.count; i++)
		h->cells.v[i].weight *= factor;
}
