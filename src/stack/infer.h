#ifndef STACK_INFER_H
#define STACK_INFER_H

#include "stack/chain.h"
#include "stack/places.h"

/*
 * The caller that a chain of frame pointers lacks behind its leaf, where nothing but the chain was
 * recorded: known by the code, where that leaves one possibility.
 *
 * *@frame: that of the function, at its first byte, + 1; 0: the chain lacks none, or it cannot be
 * told. @leaf is the user's leaf, behind which @chain stands: it has one address more at least. 0, or
 * -ENOMEM.
 */
int infer_caller(struct stack_walker *w, const struct chain_entry *leaf,
		 const struct chain *chain, uint32_t *frame);

/* Likewise behind @e, where the chain has a return address of a function that keeps no frame. */
int infer_passed(struct stack_walker *w, const struct chain_entry *e,
		 const struct chain *chain, uint32_t *frame);

/* Likewise in a walk, which has left the function of the last frame by its frame pointer for want of a row
 * that says more than @rule, and has come to the return address @next. */
int infer_walked(struct stack_walker *w, const struct place_key *callers, uint64_t next,
		 const struct unwind_rule *rule, uint32_t *frame);

/* Likewise the function that a signal has interrupted, behind the trampoline of its handler. */
int infer_interrupted(struct stack_walker *w, const struct chain *chain, uint32_t *frame);

#endif
