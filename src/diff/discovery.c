/*
 * Of thousands of paths that are tested at once one in twenty looks changed by chance. So they are
 * tested top-down: those below a path only where something of it or below it has changed.
 *
 *	all --+-- main --+-- parse     one family: main's own difference, and what is below parse
 *	      |          '-- print     and below print
 *	      '-- idle                 another one: all's own, what is below main, what is below idle
 *
 * "Something there or below has changed" has a probability of its own, that of Simes: with all of a
 * family in order, the least of p n / rank. So a caller whose callees took as much as others gave is
 * looked into though its sum is what it was. In each family that is opened false discoveries are kept
 * to one in twenty (Benjamini and Hochberg), so a branch where nothing has changed is not looked into
 * because there is much in another one. Members weigh by how many paths they stand for (Genovese,
 * Roeder and Wasserman, Biometrika 2006): then one change alone is found just as well as if all paths
 * were one family, however deep it lies.
 */
#include "diff/discovery.h"

#include <errno.h>
#include <stdlib.h>

#include "diff/noise.h"

/* Of a family: a callee and what is below it, or the caller's own difference. */
struct member {
	double p; /* by its weight in the family */
	uint32_t test; /* or own value */
};

static int members_by_probability(const void *left, const void *right)
{
	const struct member *a = left, *b = right;

	return a->p < b->p ? -1 : a->p > b->p;
}

/* Who is tested: paths with enough samples. 0, or -ENOMEM. */
static int list_tests(struct difference *d)
{
	const struct named_node *nodes = d->named.nodes.v;
	size_t count = d->nodes.count;

	d->is_tested = calloc(count / 64 + 1, sizeof(*d->is_tested));
	if (!d->is_tested)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		struct diff_tested *of = &d->is_tested[i / 64];
		struct diff_test *test;

		if (i % 64 == 0)
			of->before = (uint32_t)d->tests.count;
		/* With an empty side nothing is compared. */
		if (d->noise.samples[i] < d->options.fewest || !d->total[DIFF_A].weight ||
		    !d->total[DIFF_B].weight)
			continue;
		test = array_add(&d->tests);
		if (!test)
			return -ENOMEM;
		of->nodes |= UINT64_C(1) << i % 64;
		test->node = i;
		/* Who calls it has no fewer samples. */
		test->caller = difference_test_of(d, nodes[i].parent);
	}
	return 0;
}

int discovery_adjust(struct difference *d)
{
	/* By test: how many there are and below, the probability that nothing there and below has
	 * changed, and what that is in its caller's family. */
	struct opening {
		uint32_t size;
		double below, opened;
	} *all = NULL;
	ARRAY(struct member) family = { 0 };
	int err = list_tests(d);
	size_t count = d->tests.count;

	if (err == 0) {
		all = calloc(count + 1, sizeof(*all));
		err = all ? 0 : -ENOMEM;
	}
	/* From the end on: callees come before their callers. */
	for (uint32_t i = (uint32_t)count; i-- > 0 && err == 0;) {
		double least = 1;

		all[i].size = 1;
		family.count = 0;
		if (!array_add(&family))
			err = -ENOMEM;
		else
			family.v[0] =
				(struct member){ noise_probability(d, d->tests.v[i].node),
						 i };
		/* Behind a test come those below it, then its caller's next callee. */
		for (uint32_t c = i + 1;
		     c < count && d->tests.v[c].caller == i && err == 0;
		     c += all[c].size) {
			struct member *callee = array_add(&family);

			if (callee)
				*callee =
					(struct member){ all[c].below / all[c].size, c };
			else
				err = -ENOMEM;
			all[i].size += all[c].size;
		}
		if (family.count > 1)
			qsort(family.v, family.count, sizeof(*family.v),
			      members_by_probability);
		for (size_t k = family.count; k-- > 0;) {
			struct member *one = &family.v[k];
			double q = one->p * all[i].size / (double)(k + 1);

			least = q < least ? q : least;
			if (one->test == i)
				d->tests.v[i].q = least;
			else
				all[one->test].opened = least;
		}
		all[i].below = least;
	}
	d->significant = 0;
	/* Nothing is found where its caller was not opened. */
	for (size_t i = 0; i < count && err == 0; i++) {
		struct diff_test *test = &d->tests.v[i];
		double caller = i ? all[test->caller].opened : 0;

		all[i].opened = all[i].opened > caller ? all[i].opened : caller;
		test->q = test->q > all[i].opened ? test->q : all[i].opened;
		d->significant += test->q <= d->options.level;
	}
	array_release(&family);
	free(all);
	return err;
}

/* Own values are of nobody else, so all of them are one family. */
int discovery_adjust_own(struct difference *d)
{
	size_t count = d->owns.count;
	struct member *family = malloc((count + 1) * sizeof(*family));
	double least = 1;

	if (!family)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		family[i] = (struct member){ d->owns.v[i].p, i };
	if (count)
		qsort(family, count, sizeof(*family), members_by_probability);
	d->owns_significant = 0;
	for (size_t k = count; k-- > 0;) {
		double q = family[k].p * (double)count / (double)(k + 1);

		least = q < least ? q : least;
		d->owns.v[family[k].test].measure.q = least;
		d->owns_significant += least <= d->options.level;
	}
	free(family);
	return 0;
}

const struct diff_measure *difference_own(const struct difference *d, uint32_t node)
{
	/* Who has nothing by itself was not tested: that is what most are asked for. */
	size_t low = 0, high = d->nodes.v[node].own ? d->owns.count : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (d->owns.v[middle].node < node)
			low = middle + 1;
		else
			high = middle;
	}
	return low < d->owns.count && d->owns.v[low].node == node
		       ? &d->owns.v[low].measure
		       : NULL;
}
