#ifndef DIFF_INLINES_H
#define DIFF_INLINES_H

#include "diff/diff.h"

/* d->lone and d->lone_outlined, when the scale is known. 0, or -ENOMEM. */
int inlines_weigh(struct difference *d);

#endif
