#ifndef WEIGHT_THREAD_SET_H
#define WEIGHT_THREAD_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

/* Whose intervals count where threads were asked for: a bit for each. */
struct thread_set {
	ARRAY(uint64_t) words;
	bool is_limited; /* else all threads are in it */
	uint32_t but; /* a process that is not, whatever else is; 0: none */
};

int thread_set_add(struct thread_set *set, uint32_t tid); /* 0, or -ENOMEM */
void thread_set_remove(struct thread_set *set, uint32_t tid);
void thread_set_release(struct thread_set *set); /* a zeroed one is fine */

/* Who is asked for, is so with all that it starts: @tid is one that @starter has started. 0, or -ENOMEM. */
int thread_set_follow(struct thread_set *set, uint32_t starter, uint32_t tid);

static inline bool thread_set_has(const struct thread_set *set, uint32_t tid)
{
	return !set->is_limited ||
	       (tid / 64 < set->words.count && set->words.v[tid / 64] >> tid % 64 & 1);
}

#endif
