/* Numbers of threads are small (PID_MAX_LIMIT, 2^22), so 512 KiB hold all there can be. */
#include "weight/thread_set.h"

#include <errno.h>

enum { TID_END = 1 << 22 };

int thread_set_add(struct thread_set *set, uint32_t tid)
{
	/* -1 is one that has gone. */
	if (tid >= TID_END)
		return 0;
	while (set->words.count <= tid / 64) {
		uint64_t *word = array_add(&set->words);

		if (!word)
			return -ENOMEM;
		*word = 0;
	}
	set->words.v[tid / 64] |= 1ull << tid % 64;
	return 0;
}

void thread_set_remove(struct thread_set *set, uint32_t tid)
{
	if (tid / 64 < set->words.count)
		set->words.v[tid / 64] &= ~(1ull << tid % 64);
}

int thread_set_follow(struct thread_set *set, uint32_t starter, uint32_t tid)
{
	return set->is_limited && thread_set_has(set, starter) ? thread_set_add(set, tid)
							       : 0;
}

void thread_set_release(struct thread_set *set)
{
	array_release(&set->words);
	*set = (struct thread_set){ 0 };
}
