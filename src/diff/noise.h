#ifndef DIFF_NOISE_H
#define DIFF_NOISE_H

#include "diff/diff.h"

/* How far blocks of the sides differ: d->noise. 0, or -ENOMEM. */
int noise_measure(struct difference *d);
void noise_release(struct noise *n);

/* Tests the differences, when the scale is known. 0, or -ENOMEM. */
int noise_test(struct difference *d);

/* That as much of a difference is chance: p. */
double noise_probability(const struct difference *d, uint32_t node);

#endif
