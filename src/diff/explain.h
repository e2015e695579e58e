#ifndef DIFF_EXPLAIN_H
#define DIFF_EXPLAIN_H

#include "diff/diff.h"

/* d->rows: of the paths whose difference is no noise the deepest that explain it. 0, or -ENOMEM. */
int explain_rows(struct difference *d);

/* By function of d->symbols: 1: what it costs is the same, but from other callers. To be freed;
 * NULL without memory. */
uint8_t *explain_moved(const struct difference *d);

#endif
