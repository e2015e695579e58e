#ifndef DIFF_SCALE_H
#define DIFF_SCALE_H

#include "diff/diff.h"

/* What A's weights are multiplied by: d->scale. 0, or a negative errno with a sentence. */
int scale_find(struct context *ctx, struct difference *d);

#endif
