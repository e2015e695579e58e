#ifndef STACK_LEAF_H
#define STACK_LEAF_H

#include "stack/walk.h"

/*
 * A chain that was made of frame pointers lacks the caller of a leaf that has not set
 * up its own, or never does. The leaf's row says where the return address is.
 *
 *	leaf, [its caller], caller's caller, ...
 */

/* The return address to put behind the leaf at @ip, of whose chain @next is the next
 * address (0: none); 0 where it is there already or cannot be told. *@looked: what the
 * sample has of registers and stack was of use. */
uint64_t leaf_caller(struct stack_walker *w, const struct sample *s, uint64_t ip,
		     uint64_t next, bool *looked);

#endif
