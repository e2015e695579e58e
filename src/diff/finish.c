/* From what was added to what it says: functions find each other, then one tree, a scale, noise and
 * rows. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "diff/explain.h"
#include "diff/inlines.h"
#include "diff/ladder.h"
#include "diff/noise.h"
#include "diff/scale.h"
#include "diff/union.h"

#define LEVEL 0.05 /* one in twenty of what is found is false, on average */
#define UNNAMED_APART                                                                    \
	0.1 /* parts of the sides: more, and what has a name is on one only */
#define FEWEST 5 /* samples: less than that is never found */

void difference_scale_before(struct difference *d)
{
	uint64_t *values = d->named.values[COLUMN_BEFORE];
	double a = (double)d->total[DIFF_A].weight, b = (double)d->total[DIFF_B].weight;
	bool is_share = d->options.normalize == DIFF_SHARE || d->fell_back;
	double unit = pow(10, d->decimals);

	for (size_t i = 0; i < d->nodes.count; i++) {
		double value =
			(double)difference_value(d, (uint32_t)i)->self[DIFF_A] / unit;

		/* Perl's order of steps, so that the last digit is the same. */
		value = is_share && a > 0 ? value * (b / unit) / (a / unit)
					  : value * d->scale;
		values[i] = (uint64_t)(floor(value) * unit);
	}
}

int difference_finish(struct context *ctx, struct difference *d,
		      const struct diff_options *options)
{
	double apart = 0, all = 0;
	int err;

	d->options = *options;
	d->options.level = options->level > 0 ? options->level : LEVEL;
	d->options.fewest = options->fewest > 0 ? options->fewest : FEWEST;
	/* Where how much was done is compared, how far that varies counts, too. */
	d->of_shares = options->normalize == DIFF_SHARE ||
		       options->normalize == DIFF_ROBUST ||
		       options->normalize == DIFF_ANCHOR;
	err = ladder_match(d);
	if (err == 0)
		err = union_make(d);
	if (err < 0)
		return fail_memory(ctx);
	err = scale_find(ctx, d);
	if (err < 0)
		return err;
	for (uint32_t i = 0; i < d->nodes.count; i++) {
		const struct diff_value *own = difference_value(d, i);
		double a = d->scale * (double)own->self[DIFF_A];
		double b = (double)own->self[DIFF_B];

		apart += fabs(a - b);
		all += a + b;
	}
	/* What a picture shows is whole numbers of 64 bits. */
	if (!(all < 0x1p63))
		return fail(ctx, -ERANGE,
			    "the weights of B and of A, multiplied by %g, add up to more "
			    "than "
			    "2^63",
			    d->scale);
	d->distance = all > 0 ? apart / all : 0;
	for (int s = 0; s < DIFF_SIDES; s++)
		d->unnamed[s] = d->total[s].weight ? (double)d->total[s].unnamed /
							     (double)d->total[s].weight
						   : 0;
	d->uncoloured = !options->force &&
			fabs(d->unnamed[DIFF_A] - d->unnamed[DIFF_B]) > UNNAMED_APART;
	difference_parts_of(d, "swapper", d->idle);
	difference_parts_of(d, "[truncated]", d->rootless);
	err = inlines_weigh(d);
	if (err == 0)
		err = noise_measure(d);
	if (err == 0)
		err = noise_test(d);
	if (err == 0)
		err = explain_rows(d);
	return err < 0 ? fail_memory(ctx) : 0;
}
