#ifndef STACK_CALL_H
#define STACK_CALL_H

#include "stack/addr_cache.h"

/* Does the code before @ra, of key->machine, end with a call? CALL_UNKNOWN where it cannot
 * be read. */
enum after_call call_ends_at(struct stack_walker *w, const struct addr_key *key,
			     uint64_t ra);

/* Where the direct call of x86-64 before @ra leads; false where there is no such. */
bool call_target(struct stack_walker *w, const struct addr_key *key, uint64_t ra,
		 uint64_t *ret);

#endif
