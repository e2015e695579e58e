#ifndef STACK_ROOT_H
#define STACK_ROOT_H

#include "stack/addr_cache.h"
#include "stack/chain.h"

/*
 * Do stacks begin in the function at an address, whose entry is @seen? ROOT_NO: that function has a
 * caller.
 */
enum root root_at(struct stack_walker *w, struct addr_entry *seen);

/* The same of a frame that was found by call frame information. */
enum root root_of_frame(struct stack_walker *w, uint32_t frame);

/* Is there such a function among the first @count addresses of the user's part of @s? What is above that, the
 * kernel found by chance. */
bool root_in_chain(struct stack_walker *w, const struct sample *s, size_t count);

/* Are those behind the next address of the chain such functions, all of them? */
bool roots_follow(struct stack_walker *w, const struct chain *chain);

/*
 * Was @ip, which no call is before, put there by hand as if it were a return address: does a function begin
 * there? Any one where it is the @last of the chain, else one that stacks begin with.
 */
bool is_stack_bottom(struct stack_walker *w, const struct addr_key *key, uint64_t ip,
		     bool last, struct addr_entry *seen);

#endif
