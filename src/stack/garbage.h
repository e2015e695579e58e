#ifndef STACK_GARBAGE_H
#define STACK_GARBAGE_H

#include "stack/addr_cache.h"
#include "stack/chain.h"

/*
 * What the kernel took for a return address, by a frame pointer that was none.
 *
 * @seen is the entry by @key of a user's caller, the last address that @chain gave, in a
 * stack whose frames so far are those of the walker. 0 where it may be one; else why it
 * is none, of enum incomplete_reason: the chain ends before it. *@call: what is before
 * it. CALL_NO of one that may be a return address is that of a function which a stack
 * begins with that was made by hand: the chain ends with it.
 */
unsigned garbage_reason(struct stack_walker *w, const struct chain *chain,
			const struct addr_key *key, struct addr_entry *seen,
			enum after_call *call);

/* The same where it is known of the address already: no more than a look. */
static inline bool may_be_garbage(const struct addr_entry *seen)
{
	return seen->call != CALL_YES && seen->call != CALL_UNKNOWN &&
	       seen->call != CALL_SIGNAL;
}

/* Does the chain end with its next address, or go on with what is none? */
bool chain_ends_behind(struct stack_walker *w, const struct chain *chain);

#endif
