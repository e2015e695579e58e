/*
 * Heat (weight/heat.h) of spans that steps (choices.h) say. The first step says which cells are wanted; each of the
 * others is a span, a stack that becomes another one, or a merge. Whatever widths there are meanwhile, what a
 * cell has in the end follows from the spans: each gives it what lies between two points of its weight.
 *
 * What comes of it is coded as pictures have it, and has to be the same when it is read.
 *
 * The same spans go into one heat, and by turns into two that are merged, as they are before stacks become
 * others: both have the same cells.
 */
#include <stdlib.h>

#include "base/bytes.h"
#include "base/cursor.h"
#include "choices.h"
#include "tree/saved.h"
#include "weight/heat.h"

enum { STEPS_MOST = 64, NODES = 8 };

static void check(bool fine)
{
	if (!fine)
		abort();
}

struct given_span {
	struct heat_span span;
	uint32_t node;
};

struct given {
	struct given_span v[STEPS_MOST];
	size_t count;
	uint64_t first;
};

/* What a span has before a time from the first sample on. */
static uint64_t weight_until(const struct given *g, const struct heat_span *s,
			     uint64_t at)
{
	uint64_t until = s->until > g->first ? s->until - g->first : 0;
	uint64_t from = s->from > g->first ? s->from - g->first : 0;

	if (from >= until)
		return at > until ? s->weight : 0;
	at = at < from ? from : at > until ? until : at;
	return (uint64_t)((unsigned __int128)s->weight * (at - from) / (until - from));
}

static void check_cells(const struct given *g, const struct heat *h)
{
	uint64_t weights = 0, samples = 0, all = 0, times = 0;

	check(h->is_fixed || h->cells.count <= HEAT_MOST ||
	      !array_last(&h->cells)->cell || h->width > UINT64_MAX / 10);
	for (size_t i = 0; i < h->cells.count; i++) {
		const struct heat_cell *c = &h->cells.v[i], *last = i ? c - 1 : NULL;
		uint64_t from = c->cell * h->width, weight = 0;

		check(!last || last->cell < c->cell ||
		      (last->cell == c->cell && last->node < c->node));
		for (size_t k = 0; k < g->count; k++)
			if (g->v[k].node == c->node)
				weight +=
					weight_until(g, &g->v[k].span, from + h->width) -
					weight_until(g, &g->v[k].span, from);
		check(c->weight == weight);
		weights += c->weight;
		samples += c->samples;
	}
	for (size_t k = 0; k < g->count; k++) {
		all += g->v[k].span.weight;
		times += g->v[k].span.samples;
	}
	check(weights == all && samples == times);
}

static void check_same(const struct heat *one, const struct heat *other)
{
	check(one->flaw == other->flaw && one->cells.count == other->cells.count);
	check(one->width == other->width || !one->cells.count);
	for (size_t i = 0; i < one->cells.count; i++) {
		const struct heat_cell *a = &one->cells.v[i], *b = &other->cells.v[i];

		check(a->cell == b->cell && a->node == b->node &&
		      a->weight == b->weight && a->samples == b->samples);
	}
}

/* @h: with node ids below NODES. */
static void check_coded(const struct heat *h)
{
	static const uint32_t parents[NODES] = { 0, 0, 1, 1, 0, 4, 5, 4 },
			      depths[NODES] = { 0, 1, 2, 2, 1, 2, 3, 2 };
	struct bytes columns[SAVED_HEAT_PARTS] = { { 0 } };
	struct cursor from[SAVED_HEAT_PARTS];
	struct saved_heat read = { 0 };
	uint64_t own[NODES] = { 0 };
	size_t at = 0;

	for (size_t i = 0; i < h->cells.count; i++)
		own[h->cells.v[i].node] += h->cells.v[i].weight;
	check(saved_heat_encode(columns, h,
				&(struct heat_nodes){ NODES, NULL, depths }) == 0);
	for (int i = 0; i < SAVED_HEAT_PARTS; i++)
		from[i] = cursor_of(columns[i].v, columns[i].count);
	check(saved_heat_decode(from, NULL, &(struct saved_nodes){ NODES, own, parents },
				&read) == 0);
	check(read.pairs.count == h->cells.count);
	for (uint32_t node = 0; node < NODES; node++)
		for (size_t i = 0; i < h->cells.count; i++) {
			const struct heat_cell *a = &h->cells.v[i],
					       *b = &read.pairs.v[at];

			if (a->node != node)
				continue;
			check(a->cell == b->cell && a->node == b->node &&
			      a->weight == b->weight && a->samples == b->samples);
			at++;
		}
	for (int i = 0; i < SAVED_HEAT_PARTS; i++) {
		check(!from[i].bad && cursor_left(&from[i]) == 0);
		bytes_release(&columns[i]);
	}
	saved_heat_release(&read);
}

static bool has_weights(const struct heat *h)
{
	for (size_t i = 0; i < h->cells.count; i++)
		if (!h->cells.v[i].weight)
			return false;
	return h->cells.count && array_last(&h->cells)->cell < INT64_MAX / h->width - 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t widths[] = { 0, 0, 0, 1000000, 3, 7000000000 };
	size_t steps = size / STEP_SIZE < STEPS_MOST ? size / STEP_SIZE : STEPS_MOST;
	struct given g = { .count = 0 };
	struct heat one, parts[2];
	uint64_t width, time;
	struct step s;

	if (!steps)
		return 0;
	s = step_at(data, 0);
	width = widths[s.kind % (sizeof(widths) / sizeof(*widths))];
	time = g.first = s.b >> s.what % 64;
	one = heat_of(&g.first, width, NULL);
	parts[0] = heat_of(&g.first, width, NULL);
	parts[1] = heat_of(&g.first, width, NULL);
	for (size_t i = 1; i < steps; i++) {
		struct given_span *to = &g.v[g.count];
		uint32_t map[NODES];

		s = step_at(data, i);
		/* A fixed width is bounded by memory alone. */
		if (s.kind % 8 < 6) {
			uint64_t moves = s.b >> s.what % 64;

			time = s.kind & 1 ? time + moves : time - moves;
			*to = (struct given_span){
				{ .from = time -
					  (uint64_t)s.a * (s.flags & 64 ? 1000 : 1),
				  .until = time,
				  .weight = (uint64_t)s.a << s.flags % 16,
				  .samples = s.flags >> 4 & 3 },
				s.who % NODES
			};
			if (width && to->span.until - to->span.from > 50 * width)
				to->span.from = to->span.until;
			if (one.flaw)
				break;
			g.count++;
			check(heat_add(&one, to->node, &to->span) == 0);
			check(heat_add(&parts[s.who >> 7], to->node, &to->span) == 0);
			continue;
		}
		for (uint32_t k = 0; k < NODES; k++)
			map[k] = k == s.who % NODES ? s.a % NODES : k;
		check(heat_merge(&parts[0], &parts[1], NULL) == 0);
		heat_release(&parts[1]);
		parts[1] = heat_of(&g.first, width, NULL);
		if (s.kind % 8 == 6)
			continue;
		check(heat_remap(&one, map) == 0);
		check(heat_remap(&parts[0], map) == 0);
		for (size_t k = 0; k < g.count; k++)
			g.v[k].node = map[g.v[k].node];
	}
	check(heat_merge(&parts[0], &parts[1], NULL) == 0);
	check(heat_finish(&one) == 0 && heat_finish(&parts[0]) == 0);
	check_same(&one, &parts[0]);
	if (!one.flaw && g.count)
		check_cells(&g, &one);
	if (!one.flaw && has_weights(&one))
		check_coded(&one);
	if (!parts[0].flaw && g.count)
		check_cells(&g, &parts[0]);
	heat_release(&one);
	heat_release(&parts[0]);
	heat_release(&parts[1]);
	return 0;
}

MUTATE_BY_STEPS(STEPS_MOST)
