#ifndef DIFF_NOISE_H
#define DIFF_NOISE_H

#include "diff/diff.h"

/* Variances of what one side has at a node and below, in its own weight. */
struct noise {
	double *variance[DIFF_SIDES]; /* by node of d->named; NULL: it has no blocks */
	double *own_variance[DIFF_SIDES]; /* of what it has by itself; NULL likewise */
	double freedom[DIFF_SIDES]; /* degrees of it */
	double *inclusive[DIFF_SIDES]; /* by node: weight there and below */
	double *samples; /* of both sides, there and below */
};

/* How far blocks of the sides differ. 0, or -ENOMEM. */
int noise_measure(struct difference *d, struct noise *ret);
void noise_release(struct noise *n);

/* d->measures, when the scale is known. 0, or -ENOMEM. */
int noise_test(struct difference *d, const struct noise *n);

#endif
