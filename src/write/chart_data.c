/*
 * A chart as columns behind those of its tree: threads, their runs, and marks from which a reader can begin
 * to read these in the middle.
 *
 * Of many runs there are levels, too: spans that are joined where they are narrower than a pixel if all of
 * the time is shown, a quarter of it, a sixteenth, and so on. A level costs about as much to read as there
 * is to be seen on it. Each is one by one what a reader would make of the runs, in blocks, so that what lies
 * outside of the window is not counted.
 *
 *	runs       |aabbaabbbab|    |abbabab|      all there is
 *	level 1    |a |b |a|b ..    |abb..         spans of a quarter of a pixel and more
 *	level 0    |    b    ..     | b            of a pixel and more
 */
#include "write/chart_data.h"

#include <errno.h>
#include <stdlib.h>

enum {
	RUNS_AT_ONCE = 100000, /* are read and drawn in a blink: no levels */
	RUNS_IN_SIGHT = 8192, /* of a thread: are drawn as they are, and no level is */
	SPANS_FIRST = 150000, /* of the first level, at most: likewise */
	SPANS_MOST = 400000, /* of any other one */
	PIXELS = 2048, /* of the widest page that sees all there is */
	FINER = 4, /* from level to level */
	BLOCK = 32, /* pixels: a box that is broader is several */
	MARK_EVERY = 4096, /* runs */
};

int chart_data_numbers(const struct tree_source *in, const struct view *view,
		       uint32_t **ret)
{
	const struct named *tree = in->tree;
	uint32_t *order = calloc(view->nodes.count + 1, sizeof(*order)), *numbers = NULL;
	struct view_walk walk = { 0 };
	int err = order ? view_places(in, &numbers) : -ENOMEM;

	for (uint32_t i = 1; err == 0 && view_next(view, &walk, VIEW_INTO); i++)
		order[walk.node] = i;
	for (uint32_t i = 1; err == 0 && i < tree->nodes.count; i++)
		numbers[i] = order[numbers[i]];
	free(order);
	if (err == 0)
		*ret = numbers;
	return err;
}

/* Forward, or back. */
static uint64_t step_of(uint32_t from, uint32_t to)
{
	return to >= from ? 2 * (uint64_t)(to - from) : 2 * (uint64_t)(from - to) - 1;
}

static void add_marked_runs(const struct chart *c, const struct chart_thread *t,
			    const uint32_t *numbers, struct bytes *columns)
{
	struct bytes *marks = &columns[SAVED_CHART_MARKS];
	struct bytes *runs = &columns[SAVED_CHART_GAP];
	uint64_t at = 0, marked = 0;
	uint32_t last = 0;

	for (size_t i = t->first; i < t->end; i++) {
		const struct chart_run *run = &c->runs.v[i];
		uint32_t node = numbers[run->node];

		if ((i - t->first) % MARK_EVERY == 0) {
			bytes_varint(marks, at - marked);
			bytes_varint(marks, last);
			for (int k = 0; k <= SAVED_CHART_WHAT - SAVED_CHART_GAP; k++)
				bytes_varint(marks, runs[k].count);
			marked = at;
		}
		bytes_varint(&columns[SAVED_CHART_GAP], run->begin - at);
		bytes_varint(&columns[SAVED_CHART_LENGTH], run->end - run->begin);
		bytes_varint(&columns[SAVED_CHART_NODE], step_of(last, node));
		bytes_varint(&columns[SAVED_CHART_WHAT],
			     run->samples * UINT64_C(4) + run->what);
		at = run->end;
		last = node;
	}
}

/* Frames of the deepest stack, and what kinds of runs there are, a bit each. */
static void survey_thread(const struct tree_source *in, const struct chart *c,
			  const struct chart_thread *t, const uint32_t *numbers,
			  struct bytes *to)
{
	uint32_t deepest = 0;
	unsigned kinds = 0;

	for (size_t i = t->first; i < t->end; i++) {
		const struct chart_run *run = &c->runs.v[i];
		const struct named_node *n = &in->tree->nodes.v[run->node];
		uint32_t depth = 0;

		kinds |= 1U << run->what;
		if (i > t->first && run[-1].node == run->node &&
		    run[-1].what == run->what)
			continue;
		for (uint32_t k = run->node; k; k = n->parent) {
			n = &in->tree->nodes.v[k];
			if (n->parent ? numbers[k] != numbers[n->parent]
				      : !function_is_process(
						&in->symbols->functions.v[n->function]))
				depth++;
		}
		depth += run->what != CHART_SAMPLED || !depth;
		deepest = depth > deepest ? depth : deepest;
	}
	bytes_varint(to, deepest);
	bytes_varint(to, kinds);
}

static int compare_joined(const void *left, const void *right)
{
	const struct chart_joined *a = left, *b = right;

	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

struct chart_level {
	struct chart_joined_list spans; /* of each thread by depth and time */
	size_t *ends; /* by thread */
};

/* Of all threads, or as far as there are @most of them. */
static int join_level(const struct chart *c, const struct chart_join *how, size_t most,
		      struct chart_level *ret)
{
	struct chart_joined_list *spans = &ret->spans;

	spans->count = 0;
	for (size_t i = 0; i < c->threads.count && spans->count <= most; i++) {
		size_t first = spans->count;

		if (chart_join_thread(c, &c->threads.v[i], how, spans) < 0)
			return -ENOMEM;
		if (spans->count > first)
			qsort(&spans->v[first], spans->count - first, sizeof(*spans->v),
			      compare_joined);
		ret->ends[i] = spans->count;
	}
	return 0;
}

static void add_joined_level(const struct chart *c, const struct chart_level *level,
			     uint64_t least, const uint32_t *numbers,
			     struct bytes *columns)
{
	struct bytes *head = &columns[SAVED_CHART_LEVELS];

	bytes_varint(head, least);
	for (size_t i = 0, k = 0; i < c->threads.count; i++) {
		size_t end = level->ends[i];

		bytes_varint(head, end > k ? level->spans.v[end - 1].depth + 1 : 0);
		while (k < end) {
			uint32_t depth = level->spans.v[k].depth, last = 0;
			size_t first = k;
			uint64_t at = 0;

			for (; k < end && level->spans.v[k].depth == depth; k++) {
				const struct chart_joined *one = &level->spans.v[k];
				const struct chart_span *longest = &one->longest;
				struct bytes *counts = &columns[SAVED_CHART_COUNTS];
				uint32_t node =
					longest->node ? numbers[longest->node] : 0;

				bytes_varint(&columns[SAVED_CHART_TIMES],
					     one->begin - at);
				bytes_varint(&columns[SAVED_CHART_TIMES],
					     one->end - one->begin);
				bytes_varint(&columns[SAVED_CHART_LONGEST],
					     step_of(last, node) * 4 + longest->what);
				bytes_varint(counts, one->count - 1);
				bytes_varint(counts, one->samples);
				if (one->count > 1) {
					bytes_varint(counts, one->sum);
					bytes_varint(counts,
						     longest->end - longest->begin);
				}
				at = one->end;
				last = node;
			}
			bytes_varint(head, k - first);
		}
	}
}

static int add_joined_levels(const struct tree_source *in, const struct chart *c,
			     const uint32_t *numbers, struct bytes *columns)
{
	struct chart_level level = { .ends = calloc(c->threads.count + 1,
						    sizeof(*level.ends)) };
	struct chart_join how = {
		.in = in,
		.numbers = numbers,
		.least = c->length / PIXELS,
	};
	int err = level.ends ? 0 : -ENOMEM;
	size_t longest = 0;

	for (size_t i = 0; i < c->threads.count; i++) {
		const struct chart_thread *t = &c->threads.v[i];

		longest = t->end - t->first > longest ? t->end - t->first : longest;
	}
	for (bool is_first = true; err == 0 && how.least; is_first = false) {
		size_t most = is_first ? SPANS_FIRST : SPANS_MOST;

		how.block = how.least * BLOCK;
		err = join_level(c, &how, most, &level);
		/* Too many to be seen: longer ones. But there is a level in any case. */
		while (err == 0 && is_first && level.spans.count > most &&
		       how.least < c->length / BLOCK) {
			how.least *= 2;
			how.block *= 2;
			err = join_level(c, &how, most, &level);
		}
		if (err < 0 || (level.spans.count > most && !is_first))
			break;
		if (is_first && level.spans.count > most)
			err = join_level(c, &how, SIZE_MAX, &level);
		if (err == 0)
			add_joined_level(c, &level, how.least, numbers, columns);
		how.least /= FINER;
		/* Who sees less than that much time has few runs in sight. */
		longest /= FINER;
		if (longest < RUNS_IN_SIGHT)
			break;
	}
	free(level.ends);
	array_release(&level.spans);
	return err;
}

int chart_data_add(const struct tree_source *in, const struct chart *c,
		   const uint32_t *numbers, struct bytes *columns)
{
	struct bytes *head = &columns[SAVED_CHART];
	bool failed = false;

	bytes_varint(head, c->length);
	bytes_varint(head, c->cell);
	bytes_varint(head, in->chart->runs.count);
	bytes_varint(head, MARK_EVERY);
	bytes_varint(head, c->threads.count);
	for (size_t i = 0; i < c->threads.count; i++) {
		const struct chart_thread *t = &c->threads.v[i];
		struct text name = { 0 };

		chart_thread_name(c, t, in->strings, &name);
		failed |= name.failed;
		bytes_add(head, name.bytes, name.size);
		bytes_u8(head, 0);
		text_release(&name);
		bytes_varint(head, chart_process(t));
		bytes_varint(head, t->tid == 0);
		bytes_varint(head, t->ran);
		survey_thread(in, c, t, numbers, head);
		bytes_varint(head, t->end - t->first);
		add_marked_runs(c, t, numbers, columns);
	}
	if (failed)
		return -ENOMEM;
	return c->runs.count > RUNS_AT_ONCE ? add_joined_levels(in, c, numbers, columns)
					    : 0;
}
