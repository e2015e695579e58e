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

#include "base/pages.h"
#include "diff/noise.h"

/* Of a family: a callee and what is below it, or the caller's own difference. */
struct member {
	double p; /* by its weight in the family */
	uint32_t node;
};

static int members_by_probability(const void *left, const void *right)
{
	const struct member *a = left, *b = right;

	return a->p < b->p ? -1 : a->p > b->p;
}

int discovery_adjust(struct difference *d)
{
	const double *samples = d->noise.samples;
	double *all = d->noise.q;
	const struct named_node *nodes = d->named.nodes.v;
	size_t count = d->nodes.count;
	/* By node: how many are tested there and below, the probability that nothing there and below
	 * has changed, what that is in its caller's family, and what its own difference is in its. */
	uint32_t *sizes = pages_zeroed(count, sizeof(*sizes));
	double *below = pages_room(count * sizeof(*below));
	double *opened = pages_zeroed(count, sizeof(*opened));
	ARRAY(struct member) family = { 0 };
	int err = sizes && below && opened ? 0 : -ENOMEM;

	d->tested = d->significant = 0;
	/* From the end on: callees come before their callers. Who has few samples has no callee with
	 * more. */
	for (size_t i = count; i-- > 0 && err == 0;) {
		double least = 1;

		all[i] = 1;
		/* With an empty side nothing is compared. */
		if (samples[i] < d->options.fewest || !d->total[DIFF_A].weight ||
		    !d->total[DIFF_B].weight)
			continue;
		d->tested++;
		sizes[i]++;
		family.count = 0;
		if (!array_add(&family))
			err = -ENOMEM;
		else
			family.v[0] = (struct member){ noise_probability(d, (uint32_t)i),
						       (uint32_t)i };
		for (uint32_t c = (uint32_t)i + 1; c < nodes[i].end && err == 0;
		     c = nodes[c].end) {
			struct member *callee = sizes[c] ? array_add(&family) : NULL;

			if (callee)
				*callee = (struct member){ below[c] / sizes[c], c };
			else if (sizes[c])
				err = -ENOMEM;
			sizes[i] += sizes[c];
		}
		if (family.count > 1)
			qsort(family.v, family.count, sizeof(*family.v),
			      members_by_probability);
		for (size_t k = family.count; k-- > 0;) {
			struct member *one = &family.v[k];
			double q = one->p * sizes[i] / (double)(k + 1);

			least = q < least ? q : least;
			if (one->node == i)
				all[i] = least;
			else
				opened[one->node] = least;
		}
		below[i] = least;
	}
	/* Nothing is found where its caller was not opened. */
	for (size_t i = 0; i < count && err == 0; i++) {
		double caller;

		if (!sizes[i])
			continue;
		caller = i ? opened[nodes[i].parent] : 0;
		opened[i] = opened[i] > caller ? opened[i] : caller;
		all[i] = all[i] > opened[i] ? all[i] : opened[i];
		d->significant += difference_is_significant(d, (uint32_t)i);
	}
	array_release(&family);
	free(sizes);
	free(below);
	free(opened);
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
		d->owns.v[family[k].node].measure.q = least;
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
