#ifndef INPUT_DEFERRED_H
#define INPUT_DEFERRED_H

#include <stdint.h>

/*
 * User chains that the kernel recorded only when the thread went back to user mode
 * (CALLCHAIN_DEFERRED). The sample's own chain ends with a cookie; the chain that a later
 * record has for that thread and cookie takes its place:
 *
 *	SAMPLE    KERNEL ip ra ra USER_DEFERRED cookie
 *	DEFERRED  cookie: USER ip ra ra
 *
 * The first pass keeps them by thread and cookie, equal chains once.
 */
struct deferred;

struct deferred_chain {
	uint32_t tid;
	uint64_t cookie;
	const uint8_t *bytes; /* @count u64 of this machine's order */
	uint64_t count;
};

/* 0; 1: left out, since the budget has nothing left for it; or -ENOMEM. *@d is made where NULL, and
 * all that is added to it asks one budget. */
struct budget;
int deferred_add(struct deferred **d, struct budget *budget,
		 const struct deferred_chain *chain);
void deferred_free(struct deferred *d); /* NULL is fine */

/* NULL where there is none, also where @d is NULL. */
const uint8_t *deferred_find(const struct deferred *d, uint32_t tid, uint64_t cookie,
			     uint32_t *count);

#endif
