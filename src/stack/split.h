#ifndef STACK_SPLIT_H
#define STACK_SPLIT_H

#include "stack/addr_cache.h"
#include "stack/chain.h"

/* Is it the call whose last byte is at @at by which __morestack() enters the second half of a function? 1, 0, or
 * -ENOMEM. */
int split_enters(struct stack_walker *w, const struct code_site *at);

/* What the next two addresses of a chain are, the first of which is behind such a call. */
enum split {
	SPLIT_NO,
	SPLIT_SAME, /* a second time the function of the last frame of the stack */
	SPLIT_OTHER, /* the second is in a function whose second half has no frame in the chain */
};

/* 0, or -ENOMEM. */
int split_behind(struct stack_walker *w, const struct chain *chain, bool follows_split,
		 enum split *ret);

#endif
