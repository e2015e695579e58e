#ifndef ENGINE_MEMORY_H
#define ENGINE_MEMORY_H

#include <flamefold.h>
#include <stdbool.h>

#include "base/text.h"
#include "stack/stack.h"
#include "trie/trie.h"

/* A sentence of what the profile's budget of memory refused; false where it was nothing. */
bool memory_tell(const struct ff_profile *p, struct text *cause, struct text *remedy);

/* Both of an empty profile or worker ask the budget from now on. */
void memory_limit(struct ff_profile *p, struct frames *frames, struct trie *trie);

/*
 * As trie_add(). What the budget has nothing left for ends at the last frame that is there, and
 * where none is it is below "[memory limit]": 1 then; 0, or -ENOMEM.
 */
int memory_add_stack(struct frames *all, struct trie *t, const uint32_t *frames,
		     size_t count, uint32_t *ret);

#endif
