#ifndef WEIGHT_PAIR_LINE_H
#define WEIGHT_PAIR_LINE_H

#include "weight/charge.h"
#include "weight/pairing.h"

/* What a step of a rule, or what is open, says of itself (pair_settle.c). */
static inline uint64_t pair_key_of(const struct deferred_event *e)
{
	return ((const struct pair_event *)(const void *)e->fields)->key;
}

/* Only of a rule that has more. */
static inline struct pair_more *pair_more_of(const struct deferred_event *e)
{
	return ((struct pair_event *)(void *)(uintptr_t)e->fields)->more;
}

static inline enum pair_role pair_role_of(const struct deferred_event *e)
{
	return (enum pair_role)(e->what & PAIR_ROLE_BITS);
}

static inline bool pair_is_open(const struct deferred_event *e)
{
	return e && pair_role_of(e) == ROLE_START;
}

/* @event becomes what was open before it, so that this stays so: 1; 0: nothing was. */
int pair_stay(struct deferred_event *event, const struct deferred_event *before,
	      const struct settlement *to);

/*
 * Several that are open under one key, of a rule with has_lines. @before is what is open under the key
 * of @event itself, and what settle() is called with: what these return, it does.
 */

/* Is one more to wait behind @before? Not where an end may have been lost. */
bool pair_line_takes(const struct deferred_event *event,
		     const struct deferred_event *before, const struct settlement *to);
/* @event is a start, and waits. */
int pair_line_join(struct deferred_event *event, struct settlement *to);
/* That which an end is of. */
const struct deferred_event *pair_line_next(const struct deferred_event *before,
					    const struct settlement *to);
/* @taken, that one, is open no more. */
int pair_line_leave(struct deferred_event *event, const struct deferred_event *before,
		    const struct deferred_event *taken, struct settlement *to);
/* None is open any more: how many were. */
uint64_t pair_line_drop(const struct deferred_event *before, struct settlement *to);
/* @event says under which key that one goes on, and, if it is an end, how much of it has ended. */
int pair_line_move(struct deferred_event *event, const struct deferred_event *before,
		   struct settlement *to);

#endif
