/*
 * What A's weights are multiplied by, before they are compared with B's. Shares call everything
 * slower where one thing got faster. `robust` asks each path how much it has grown by itself, and
 * takes the median: as long as more than half of the work is what it was, that is how much more
 * was done, or how much longer it was looked at, and nothing else. It is the median of ratios that
 * RNA sequencing normalises by (DESeq2, Anders and Huber 2010), weighted by how well each ratio is
 * known.
 */
#include "diff/scale.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	RATIO_LEAST = 30, /* samples on either side: fewer say little of a ratio */
	RATIOS_LEAST = 3,
};

/* How much more a path has by itself, as a logarithm. */
struct growth {
	double log_ratio, weight;
};

static int by_ratio(const void *left, const void *right)
{
	const struct growth *a = left, *b = right;

	return a->log_ratio < b->log_ratio ? -1 : a->log_ratio > b->log_ratio;
}

static int scale_robust(struct difference *d)
{
	ARRAY(struct growth) growths = { 0 };
	double all = 0, squares = 0, sum = 0;
	size_t i = 0;

	for (uint32_t k = 0; k < d->nodes.count; k++) {
		const struct diff_value *n = difference_value(d, k);
		double a = (double)n->samples[DIFF_A], b = (double)n->samples[DIFF_B];
		struct growth *g;

		if (a < RATIO_LEAST || b < RATIO_LEAST || !n->self[DIFF_A] ||
		    !n->self[DIFF_B])
			continue;
		g = array_add(&growths);
		if (!g) {
			array_release(&growths);
			return -ENOMEM;
		}
		g->log_ratio = log((double)n->self[DIFF_B] / (double)n->self[DIFF_A]);
		g->weight = sqrt(a * b / (a + b));
		all += g->weight;
		squares += g->weight * g->weight;
	}
	d->scale_nodes = growths.count;
	d->fell_back = growths.count < RATIOS_LEAST;
	if (!d->fell_back) {
		qsort(growths.v, growths.count, sizeof(*growths.v), by_ratio);
		while (i + 1 < growths.count && sum + growths.v[i].weight < all / 2)
			sum += growths.v[i++].weight;
		d->scale = exp(growths.v[i].log_ratio);
		/* A weighted median's, where each ratio is as exact as its weight says. */
		d->scale_error = sqrt(M_PI / 2 / squares);
	}
	array_release(&growths);
	return 0;
}

void difference_parts_of(const struct difference *d, const char *name,
			 double ret[DIFF_SIDES])
{
	const struct named *tree = &d->named;
	uint32_t wanted;

	ret[DIFF_A] = ret[DIFF_B] = 0;
	if (!intern_find(&d->strings, name, strlen(name), &wanted))
		return;
	for (uint32_t i = 1; i < tree->nodes.count;) {
		uint32_t f = tree->nodes.v[i].function, end = tree->nodes.v[i].end;

		if (d->symbols.functions.v[f].name != wanted)
			end = i++;
		for (; i < end; i++)
			for (int s = 0; s < DIFF_SIDES; s++)
				ret[s] += (double)difference_value(d, i)->self[s];
	}
	for (int s = 0; s < DIFF_SIDES; s++)
		ret[s] /= d->total[s].weight ? (double)d->total[s].weight : 1;
}

int scale_find(struct context *ctx, struct difference *d)
{
	const struct diff_options *o = &d->options;
	const struct diff_total *total = d->total;
	double a = (double)total[DIFF_A].weight, b = (double)total[DIFF_B].weight;
	double parts[DIFF_SIDES];

	d->scale = a > 0 && b > 0 ? b / a : 1;
	d->scale_error = 0;
	switch (o->normalize) {
	case DIFF_TIME:
		if (total[DIFF_A].timeless || total[DIFF_B].timeless)
			return fail(
				ctx, -EINVAL,
				"cannot compare by time: '%s' does not say how long it "
				"took, or took none of the time that was asked for",
				intern_text(&d->strings,
					    total[DIFF_A].timeless
						    ?: total[DIFF_B].timeless));
		d->scale = total[DIFF_B].seconds / total[DIFF_A].seconds;
		break;
	case DIFF_NONE:
		d->scale = 1;
		break;
	case DIFF_PER:
		d->scale = o->per[DIFF_B] / o->per[DIFF_A];
		if (!(d->scale > 0) || !isfinite(d->scale))
			return fail(
				ctx, -EINVAL,
				"cannot compare %g units of work with %g: no number is "
				"one by the other",
				o->per[DIFF_A], o->per[DIFF_B]);
		break;
	case DIFF_ANCHOR:
		difference_parts_of(d, o->anchor, parts);
		if (!(parts[DIFF_A] > 0) || !(parts[DIFF_B] > 0))
			return fail(
				ctx, -EINVAL, "cannot compare by '%s': it is not in '%s'",
				o->anchor,
				total[parts[DIFF_A] > 0 ? DIFF_B : DIFF_A].brief.bytes);
		d->scale *= parts[DIFF_B] / parts[DIFF_A];
		break;
	case DIFF_ROBUST:
		return scale_robust(d) < 0 ? fail_memory(ctx) : 0;
	default:
		break;
	}
	return 0;
}
