#ifndef STACK_ROOT_H
#define STACK_ROOT_H

#include "stack/chain.h"
#include "stack/places.h"

/*
 * Does the user's part of @s, the first @count addresses of it, hold a function that stacks begin with?
 * What is above that, the kernel found by chance. ROOT_NO: it ends in a function that has a caller, and that
 * one is missing.
 */
enum root root_of_chain(struct stack_walker *w, const struct sample *s, size_t count);

/*
 * Was @ip, which no call is before, put there by hand as if it were a return address: does a function begin
 * there? Any one where it is the @last of the chain, else one that stacks begin with.
 */
bool is_by_hand(struct stack_walker *w, const struct place_key *key, uint64_t ip,
		bool last);

/* The code of a file that @ip returns to, one byte below it; and the key to its bytes. */
bool returned_to(struct stack_walker *w, const struct place_key *key, uint64_t ip,
		 struct code_place *at, struct place_key *ret);

#endif
