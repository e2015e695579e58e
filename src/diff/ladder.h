#ifndef DIFF_LADDER_H
#define DIFF_LADDER_H

#include "diff/diff.h"

/* Functions of one side alone find the other side's that they are: classes of functions, and how
 * many came by which step. 0, or -ENOMEM. */
int ladder_match(struct difference *d);

/* The function that stands for all of its class. */
uint32_t ladder_class(const struct difference *d, uint32_t function);

#endif
