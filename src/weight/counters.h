#ifndef WEIGHT_COUNTERS_H
#define WEIGHT_COUNTERS_H

#include "weight/weight.h"

extern const struct deferred_kind counter_kind;

/* Queues the counters that were read with a sample. 0, or -ENOMEM with a sentence. */
int counters_defer(struct weigher *w, const struct weighing *x);

#endif
