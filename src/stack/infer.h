#ifndef STACK_INFER_H
#define STACK_INFER_H

#include "stack/addr_cache.h"
#include "stack/chain.h"

/* What a chain lacks. */
struct missing {
	uint32_t
		frame; /* of a function, at its first byte, + 1; 0: nothing, or it cannot be told */
	uint32_t size; /* bytes of the function */
	bool split; /* nothing, but the next address may be no caller's: stack/split.h */
	bool skipped; /* it did not call what is before it: others are missing there */
};

/*
 * The caller that a chain of frame pointers lacks behind its leaf, where nothing but the chain was
 * recorded: known by the code, where that leaves one possibility.
 *
 * @leaf is the user's leaf, behind which @chain stands: it has one address more at least. 0, or
 * -ENOMEM.
 */
int infer_caller(struct stack_walker *w, const struct chain_entry *leaf,
		 const struct chain *chain, struct missing *ret);

/* Pushes it, of a stack of @most frames at most; 0: any number. 0, or -ENOMEM. */
int push_missing(struct stack_walker *w, const struct missing *missing, size_t most);

/* Likewise behind @e, where the chain has a return address of a function that keeps no frame. */
int infer_passed(struct stack_walker *w, const struct chain_entry *e,
		 const struct chain *chain, struct missing *ret);

/* Likewise in a walk, which has left the function of the last frame by its frame pointer for want of a row
 * that says more than @rule, and has come to the return address @next. */
int infer_walked(struct stack_walker *w, const struct addr_key *callers, uint64_t next,
		 const struct unwind_rule *rule, struct missing *ret);

/* Likewise the function that a signal has interrupted, behind the trampoline of its handler. */
int infer_interrupted(struct stack_walker *w, const struct chain *chain,
		      struct missing *ret);

#endif
