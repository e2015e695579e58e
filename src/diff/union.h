#ifndef DIFF_UNION_H
#define DIFF_UNION_H

#include "diff/diff.h"

/* What was added becomes one tree by class of function: d->named, d->symbols, d->tree. Nodes of
 * d->nodes and of cells are those of d->named afterwards. 0, or -ENOMEM. */
int union_make(struct difference *d);

#endif
