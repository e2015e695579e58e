#ifndef STACK_SWITCH_H
#define STACK_SWITCH_H

#include "stack/walk.h"

/*
 * Code that calls a function on another stack than its own. Call frame information mostly says where that
 * was; here is what it does not say.
 */
enum stack_switch {
	SWITCH_NONE,
	SWITCH_AWAY, /* it has changed stacks */
	SWITCH_SAVED, /* it would have, but was there: its own sp lies above the call's */
};

/* What the code is that @ra returns to and of which the row is @r, of enum stack_switch. */
int switch_at(struct stack_walker *w, const struct addr_key *key, uint64_t ra,
	      const struct unwind_rule *r);

/* Steps out of it. */
enum walk_end switch_step(struct walk *k, int how);

/* Does the frame that @r is the row of belong to a function that goes on on a new piece of a split
 * stack, and has done so? */
bool is_split(const struct walk *k, const struct unwind_rule *r);

#endif
