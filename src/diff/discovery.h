#ifndef DIFF_DISCOVERY_H
#define DIFF_DISCOVERY_H

#include "diff/diff.h"

/* q of the measures by their p, top-down: of what has q <= level the part that is false is no more
 * than that, on average. @samples: by node, of both sides, there and below: those with
 * options.fewest are tested. d->tested and d->significant are counted. 0, or -ENOMEM. */
int discovery_adjust(struct difference *d, const double *samples);

/* The same of own values, d->owns, all at once. 0, or -ENOMEM. */
int discovery_adjust_own(struct difference *d);

#endif
