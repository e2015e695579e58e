#ifndef STACK_LINKED_H
#define STACK_LINKED_H

#include "stack/addr_cache.h"

/* Does the call whose last byte is at @at go through a slot that the dynamic linker fills in? *@slot: its address in
 * the object. Sets w->failed without memory. */
bool linked_slot(struct stack_walker *w, const struct code_site *at, uint64_t *slot);

/* The function that the process at hand calls through the slot of the image, if it can be but one. 1, 0, or -ENOMEM. */
int linked_function(struct stack_walker *w, uint32_t image, uint64_t slot,
		    struct code_site *ret);

#endif
