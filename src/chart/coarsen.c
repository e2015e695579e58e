/*
 * Cells are powers of 2, so those of one length lie in those of the next one, and what was made for
 * small cells can go on from there: runs that were joined stay so.
 */
#include <errno.h>
#include <stdlib.h>

#include "chart/chart.h"

enum { SHIFT_LEAST = 9 }; /* half a microsecond: who cares for less? */

/* A stack's runs beside each other; frames that two stacks share are, too, for nodes are in preorder. */
static int compare_runs_by_stack(const void *left, const void *right)
{
	const struct chart_run *a = left, *b = right;

	if (a->what != b->what)
		return a->what < b->what ? -1 : 1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/* Runs of a thread, in place; one that reaches over the end of a cell stays as it is. How many they are
 * then. */
static size_t join_cells(struct chart_run *runs, size_t count, unsigned shift)
{
	size_t kept = 0;

	for (size_t i = 0; i < count;) {
		uint64_t cell = runs[i].begin >> shift, at = runs[i].begin;
		size_t first = kept, end = i;

		while (end < count && runs[end].begin >> shift == cell &&
		       (runs[end].end - 1) >> shift == cell)
			end++;
		/* Those of one cell follow each other, from the first one's beginning on without
		 * a gap. */
		qsort(&runs[i], end - i, sizeof(*runs), compare_runs_by_stack);
		end = end == i ? i + 1 : end;
		for (; i < end; i++) {
			struct chart_run run = runs[i];
			struct chart_run *last = kept > first ? &runs[kept - 1] : NULL;
			uint64_t length = run.end - run.begin;

			if (last && last->node == run.node && last->what == run.what) {
				last->end += length;
				last->samples += run.samples;
			} else {
				run.begin = at;
				run.end = at + length;
				runs[kept++] = run;
			}
			at += length;
		}
	}
	return kept;
}

int chart_coarsen(const struct chart *c, size_t most, struct chart *ret)
{
	unsigned shift = SHIFT_LEAST;

	*ret = (struct chart){ .length = c->length, .inputs = c->inputs };
	if (!array_reserve(&ret->threads, c->threads.count) ||
	    !array_reserve(&ret->runs, c->runs.count)) {
		chart_release(ret);
		return -ENOMEM;
	}
	for (size_t i = 0; i < c->threads.count; i++)
		ret->threads.v[ret->threads.count++] = c->threads.v[i];
	for (size_t i = 0; i < c->runs.count; i++)
		ret->runs.v[ret->runs.count++] = c->runs.v[i];
	while (ret->runs.count > most && c->length >> shift) {
		size_t kept = 0;

		shift++;
		for (size_t i = 0; i < ret->threads.count; i++) {
			struct chart_thread *t = &ret->threads.v[i];
			size_t count = t->end - t->first;

			memmove(&ret->runs.v[kept], &ret->runs.v[t->first],
				count * sizeof(*ret->runs.v));
			t->first = kept;
			kept += join_cells(&ret->runs.v[kept], count, shift);
			t->end = kept;
		}
		ret->runs.count = kept;
		ret->cell = UINT64_C(1) << shift;
	}
	return 0;
}
