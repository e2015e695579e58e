#ifndef DIFF_DISCOVERY_H
#define DIFF_DISCOVERY_H

#include "diff/diff.h"

/* d->tests: nodes with options.fewest samples of both sides, there and below, and their q by
 * noise_probability(), top-down: of what has q <= level the part that is false is no more than that, on
 * average. d->significant is counted. 0, or -ENOMEM. */
int discovery_adjust(struct difference *d);

/* The same of own values, d->owns, all at once. 0, or -ENOMEM. */
int discovery_adjust_own(struct difference *d);

#endif
