#ifndef DIFF_DISCOVERY_H
#define DIFF_DISCOVERY_H

#include "diff/diff.h"

/* d->noise.q by noise_probability(), top-down: of what has q <= level the part that is false is no
 * more than that, on average. Nodes with options.fewest samples of both sides, there and below, are
 * tested. d->tested and d->significant are counted. 0, or -ENOMEM. */
int discovery_adjust(struct difference *d);

/* The same of own values, d->owns, all at once. 0, or -ENOMEM. */
int discovery_adjust_own(struct difference *d);

#endif
