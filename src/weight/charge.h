#ifndef WEIGHT_CHARGE_H
#define WEIGHT_CHARGE_H

#include "weight/weight.h"

/* 1: it is in the tree; 0: it is lost, which is counted; or -ENOMEM. */
int weight_charge(const struct weight_target *to, const struct charge *c);

/* What was charged is in the piece of time in which it ended. @factor: what its weight was multiplied by.
 * 1, or -ENOMEM. */
int weight_place(const struct weight_target *to, const struct charge *c, uint64_t factor);
/* Both, of a weight in the input's unit. As weight_charge(). */
int weight_charge_settled(const struct settlement *to, struct charge *c);

/* 1: the sample is the last one of the log; 0: it is not kept, or not to be; or -ENOMEM with a
 * sentence. */
int weight_keep(struct weigher *w, const struct weighing *x, uint64_t weight);

/* 1 and an event of this kind, with what the sample says and zeroed fields, until the next call;
 * 0: memory has no room for it, which is said once; or -ENOMEM with a sentence. */
int weight_defer(struct weigher *w, const struct weighing *x, enum deferred_which which,
		 struct deferred_event **ret);

/* broken.c: was something lost between the two, or left out of the queue for want of memory? */
bool weight_is_broken(const struct recording *rec, const struct deferred_queue *q,
		      uint64_t from, uint64_t until);

/* event_choice.c: what records all of them, where those of an event_is_sampled() are of no use. */
void say_some_switches(struct context *ctx);

#endif
