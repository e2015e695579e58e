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

/* Likewise the function that a signal has interrupted, behind the trampoline of its handler. */
int infer_interrupted(struct stack_walker *w, const struct chain *chain, uint32_t *frame);

#endif
