#ifndef STACK_INFER_H
#define STACK_INFER_H

#include "stack/chain.h"
#include "stack/places.h"

/*
 * The caller that a chain of frame pointers lacks behind its leaf, where nothing but the chain was
 * recorded: known by the code, where that leaves one possibility.
 *
 * *@frame: that of the function, at its first byte, + 1; 0: the chain lacks none, or it cannot be
 * told. @leaf is the user's leaf, @next what the chain goes on with,
 * @last says that it ends there. 0, or -ENOMEM.
 */
int infer_caller(struct stack_walker *w, const struct chain_entry *leaf, uint64_t next,
		 bool last, uint32_t *frame);

#endif
