/*
 * Quotients are of sums: what a frame has is added up from the leaves, then divided once. The middle is
 * what the whole has, and each side has a measure of its own, so that both have all their colours:
 *
 *	low 0.5     middle 1     high 4
 *	blue  ------  mauve  ------ orange
 *	       0.75           2.5
 */
#include "write/ratio.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "write/class_colours.h"
#include "write/number.h"

/* Of every node what is there and below, in units of one. To be freed; NULL: no memory. */
static double *sum_column(const struct view *v, uint32_t column)
{
	const struct column *c = &v->columns->v[column];
	unsigned decimals = c->unit ? c->decimals : v->decimals;
	double unit = 1;
	uint64_t *sums = calloc(v->nodes.count, sizeof(*sums));
	double *ret = calloc(v->nodes.count, sizeof(*ret));

	while (decimals-- > 0)
		unit *= 10;
	for (size_t i = v->nodes.count; sums && ret && i-- > 0;) {
		sums[i] += view_value(v, (uint32_t)i, column);
		if (i)
			sums[v->nodes.v[i].parent] += sums[i];
		ret[i] = (double)sums[i] / unit;
	}
	if (!sums) {
		free(ret);
		ret = NULL;
	}
	free(sums);
	return ret;
}

/* Of which so much is the own weight. */
struct weighed {
	double value;
	uint64_t weight;
};

static int compare_weighed(const void *left, const void *right)
{
	const struct weighed *a = left, *b = right;

	return a->value < b->value ? -1 : a->value > b->value;
}

/* Up to which value a part of all weight is. */
static double quantile(const struct weighed *list, size_t count, double part)
{
	double all = 0, sum = 0;

	for (size_t i = 0; i < count; i++)
		all += (double)list[i].weight;
	for (size_t i = 0; i < count; i++) {
		sum += (double)list[i].weight;
		if (sum >= part * all)
			return list[i].value;
	}
	return NAN;
}

/* A scale has two sides, however alike all values are. */
static int find_limits(const struct view *v, struct ratio_scale *r)
{
	struct weighed *list;
	size_t count = 0;

	r->middle = r->of_node[0];
	if (r->ratio->is_share || !(r->middle > 0)) {
		r->low = 0;
		r->middle = 0.5;
		r->high = 1;
		return 0;
	}
	list = calloc(v->nodes.count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (uint32_t i = 0; i < v->nodes.count; i++)
		if (view_self(v, i) && !isnan(r->of_node[i]))
			list[count++] =
				(struct weighed){ r->of_node[i], view_self(v, i) };
	qsort(list, count, sizeof(*list), compare_weighed);
	r->low = quantile(list, count, 0.05);
	if (!(r->low < 0.9 * r->middle))
		r->low = 0.9 * r->middle;
	r->high = quantile(list, count, 0.95);
	if (!(r->high > 1.1 * r->middle))
		r->high = 1.1 * r->middle;
	free(list);
	return 0;
}

/* Does it count ns? */
static bool is_time(const struct view *v, uint32_t column, const char *unit)
{
	const char *own = v->columns->v[column].unit;

	own = own ? own : unit;
	return own && strcmp(own, "ns") == 0;
}

int ratio_scale_make(const struct view *v, const char *unit, struct ratio_scale *ret)
{
	const struct column_ratio *ratio = &v->columns->ratio;
	struct ratio_scale r = { .ratio = ratio->name ? ratio : NULL };
	double *by, *samples;
	int err = 0;

	*ret = r;
	if (!r.ratio || !v->nodes.count)
		return 0;
	r.of_time = is_time(v, ratio->of, unit);
	r.by_time = is_time(v, ratio->by, unit);
	r.of_node = sum_column(v, ratio->of);
	by = sum_column(v, ratio->by);
	samples = sum_column(v, COLUMN_SAMPLES);
	if (!r.of_node || !by || !samples)
		err = -ENOMEM;
	for (size_t i = 0; i < v->nodes.count && err == 0; i++)
		r.of_node[i] = by[i] > 0 && samples[i] >= ratio->least
				       ? r.of_node[i] / by[i]
				       : NAN;
	if (err == 0)
		err = find_limits(v, &r);
	free(by);
	free(samples);
	if (err < 0)
		ratio_scale_release(&r);
	else
		*ret = r;
	return err;
}

void ratio_scale_release(struct ratio_scale *r)
{
	free(r->of_node);
	r->of_node = NULL;
}

uint8_t ratio_class(const struct ratio_scale *r, double value)
{
	const int half = (CLASS_RATIOS - 1) / 2;
	double part;

	if (isnan(value))
		return CLASS_UNNAMED;
	part = value < r->middle ? (r->middle - value) / (r->middle - r->low)
				 : (value - r->middle) / (r->high - r->middle);
	part = (part < 1 ? part : 1) * half;
	return (uint8_t)(CLASS_RATIO + half +
			 (value < r->middle ? -(int)(part + 0.5) : (int)(part + 0.5)));
}

double ratio_step(const struct ratio_scale *r, int step)
{
	double part = 2.0 * step / (RATIO_STEPS - 1) - 1;

	return r->middle + part * (part < 0 ? r->middle - r->low : r->high - r->middle);
}

/* Three digits, in the largest unit that the value has one of. */
static void add_scaled(struct text *t, double value, const char *const units[4])
{
	int unit = 0;

	for (; unit < 3 && value >= 999.5; unit++)
		value /= 1000;
	number_fixed(t, value, value >= 99.95 || value == 0 ? 0 : value >= 9.995 ? 1 : 2);
	text_string(t, units[unit]);
}

void ratio_add(struct text *t, const struct ratio_scale *r, double value)
{
	static const char *const times[] = { " ns", " µs", " ms", " s" };
	static const char *const rates[] = { " /s", " k/s", " M/s", " G/s" };
	static const char *const counts[] = { "", " k", " M", " G" };

	if (r->ratio->is_share) {
		number_fixed(t, 100 * value, 0);
		text_string(t, " %");
	} else if (r->of_time && !r->by_time) {
		add_scaled(t, value, times);
	} else if (r->by_time && !r->of_time) {
		add_scaled(t, value * 1e9, rates);
	} else {
		add_scaled(t, value, counts);
	}
}
