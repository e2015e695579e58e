/*
 * A change in one function is a change of all that call it. So of the paths that have changed only
 * the deepest are listed that explain it: one whose listed callees have nearly all of its
 * difference goes. What a function costs may also have moved to another caller, as a refactoring
 * moves it; then the paths it had and has now are one row. (Both are ideas of FBDetect, SOSP 2024:
 * dedup and cost shift.)
 */
#include "diff/explain.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/pages.h"

/* What callees have left of a caller's difference, where it is theirs. */
#define UNEXPLAINED 0.1
/* What is left of a function's differences over all its paths, where it only moved. */
#define MOVED 0.1

static double measured_delta(const struct difference *d, uint32_t node)
{
	return difference_measure(d, node).delta;
}

uint8_t *explain_moved(const struct difference *d)
{
	const struct named *tree = &d->named;
	size_t functions = d->symbols.functions.count;
	struct {
		double more, less;
		uint32_t until; /* the end of its outermost frame that is open */
	} *sums = calloc(functions, sizeof(*sums));
	uint8_t *moved = sums ? calloc(functions, 1) : NULL;

	/* The first is the root. */
	for (size_t i = 1; moved && i < d->tests.count; i++) {
		uint32_t node = d->tests.v[i].node, f = tree->nodes.v[node].function;

		if (node < sums[f].until)
			continue;
		sums[f].until = tree->nodes.v[node].end;
		/* What noise explains does not take part: of many paths it adds up. */
		if (!difference_is_significant(d, node))
			continue;
		if (measured_delta(d, node) > 0)
			sums[f].more += measured_delta(d, node);
		else
			sums[f].less -= measured_delta(d, node);
	}
	for (size_t f = 0; moved && f < functions; f++)
		moved[f] = sums[f].more > 0 && sums[f].less > 0 &&
			   fabs(sums[f].more - sums[f].less) <=
				   MOVED * (sums[f].more + sums[f].less);
	free(sums);
	return moved;
}

static int rows_by_size(const void *left, const void *right, void *arg)
{
	const struct difference *d = arg;
	const struct diff_row *a = left, *b = right;
	double x = fabs(measured_delta(d, a->node)), y = fabs(measured_delta(d, b->node));

	if (x != y)
		return x < y ? 1 : -1;
	return a->node < b->node ? -1 : a->node > b->node;
}

/* Of a function that moved one row: where it grew most, and where it shrank most. */
static int join_moved(struct difference *d)
{
	size_t functions = d->symbols.functions.count, count = 0;
	/* By function: the node of its first row of each sign; 0: none. */
	struct {
		uint32_t grown, shrunk;
	} *first = calloc(functions, sizeof(*first));

	if (!first)
		return -ENOMEM;
	/* Rows are sorted, so the first one of each sign is the largest. */
	for (size_t i = 0; i < d->rows.count; i++) {
		const struct diff_row *row = &d->rows.v[i];
		uint32_t f = d->named.nodes.v[row->node].function;
		uint32_t *node = measured_delta(d, row->node) > 0 ? &first[f].grown
								  : &first[f].shrunk;

		if (row->kind == DIFF_MOVED && !*node)
			*node = row->node;
	}
	for (size_t i = 0; i < d->rows.count; i++) {
		struct diff_row row = d->rows.v[i];
		uint32_t f = d->named.nodes.v[row.node].function;

		if (row.kind == DIFF_MOVED &&
		    row.node != (first[f].grown ?: first[f].shrunk))
			continue;
		if (row.kind == DIFF_MOVED && first[f].grown)
			row.from = first[f].shrunk;
		d->rows.v[count++] = row;
	}
	d->rows.count = count;
	free(first);
	return 0;
}

int explain_rows(struct difference *d)
{
	const struct named *tree = &d->named;
	/* By test: by listed callees. */
	double *explained = calloc(d->tests.count + 1, sizeof(*explained));
	uint8_t *moved = explain_moved(d);
	int err = explained && moved ? 0 : -ENOMEM;

	/* From the end on: callees come before their callers. */
	for (size_t i = d->tests.count; i > 1 && err == 0;) {
		uint32_t node = d->tests.v[--i].node;
		uint32_t function = tree->nodes.v[node].function;

		if (difference_is_significant(d, node)) {
			const struct diff_measure m = difference_measure(d, node);
			double rest = fabs(m.delta - explained[i]);
			/* What is left when the difference of listed callees is taken away is
			 * little, or noise. */
			bool is_theirs = explained[i] != 0 &&
					 (rest <= UNEXPLAINED * fabs(m.delta) ||
					  rest <= m.critical * m.error);
			struct diff_row *row = is_theirs ? NULL : array_add(&d->rows);

			if (row) {
				row->node = node;
				row->kind = moved[function] ? DIFF_MOVED
					    : m.a == 0	    ? DIFF_NEW
					    : m.b == 0	    ? DIFF_GONE
							    : DIFF_CHANGED;
				explained[i] = m.delta;
			} else if (!is_theirs) {
				err = -ENOMEM;
			}
		}
		explained[d->tests.v[i].caller] += explained[i];
	}
	if (err == 0 && d->rows.count)
		qsort_r(d->rows.v, d->rows.count, sizeof(*d->rows.v), rows_by_size, d);
	if (err == 0)
		err = join_moved(d);
	free(explained);
	free(moved);
	return err;
}

bool difference_went_away(const struct difference *d, uint32_t node)
{
	const struct diff_measure m = difference_measure(d, node);
	const struct diff_total *b = &d->total[DIFF_B];
	double whole = (double)b->weight, error;

	if (!d->late || !(m.delta > 0))
		return false;
	/* How exactly a part of B's time tells. Pieces of B differ because of what went away, too, so it
	 * is A that says how noisy the program is. */
	error = sqrt(m.b * b->squares / whole / whole * LATE_PARTS *
		     d->total[DIFF_A].phi);
	return d->late[node] - m.a < m.delta / 4 && m.b - d->late[node] > 3 * error;
}

int difference_regressions(const struct difference *d, double points, uint64_t *ret)
{
	const struct named *tree = &d->named;
	size_t count = tree->nodes.count;
	double *shifted =
		pages_zeroed(count, sizeof(*shifted)); /* here and below, by moves */
	uint8_t *moved = explain_moved(d);
	int err = shifted && moved ? 0 : -ENOMEM;
	uint64_t found = 0;

	for (size_t i = count; i-- > 0 && err == 0;) {
		bool has_moved = i && moved[tree->nodes.v[i].function];

		if (has_moved || difference_is_significant(d, (uint32_t)i)) {
			struct diff_measure m = difference_measure(d, (uint32_t)i);
			double net;

			if (has_moved)
				shifted[i] = m.delta;
			net = m.delta - shifted[i];
			/* The lower end of the interval has to be an increase, too. */
			found += difference_is_significant(d, (uint32_t)i) &&
				 100 * net > points && net > m.critical * m.error &&
				 !difference_went_away(d, (uint32_t)i);
		}
		if (i)
			shifted[tree->nodes.v[i].parent] += shifted[i];
	}
	free(shifted);
	free(moved);
	*ret = found;
	return err;
}
