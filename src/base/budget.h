#ifndef BASE_BUDGET_H
#define BASE_BUDGET_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"

/*
 * How much memory may be taken for what somebody else wrote, by all who read it together: each
 * of them has a limit of its own, and a thousand objects have a thousand times that.
 *
 * Who needs memory whose size a file or another process decides claims it before it is
 * taken, and gives it back with what it was for. Where a claim is refused, the thing is left out,
 * and budget_refuse() notes its name: what was left out is said once, at the end.
 *
 * Any thread may claim. What is small, or bounded by something else, need not be claimed: the
 * budget is what keeps a sum within bounds, not a count of all bytes.
 */
struct budget {
	uint64_t most; /* bytes */
	_Atomic uint64_t used;
	pthread_mutex_t lock; /* of what follows */
	struct hash_map known; /* what was refused, by a hash of its name */
	uint64_t refused; /* different things */
	char first[512]; /* of these by name: does not depend on who came first */
};

void budget_init(struct budget *b, uint64_t most);
void budget_release(struct budget *b); /* a zeroed one is fine */

/* A quarter of the memory there is for this process: that of the machine, of its control group
 * and those around it, or of its limits (RLIMIT_AS, RLIMIT_DATA), whichever is least; half of
 * what is available, if that is less; at least BUDGET_LEAST. @root: what lies before /proc
 * and all other paths, "" but in tests. */
#define BUDGET_LEAST ((uint64_t)64 << 20)
uint64_t budget_usual(const char *root);

/* Who comes first must not leave nothing to those behind: names and what processes do have the first
 * half of the budget, stacks three quarters, and what is given back soon has all. */
enum budget_part { BUDGET_NAMES = 2, BUDGET_STACKS = 3, BUDGET_ALL = 4 };

/* False: no more is to be had, nothing changed. Who has no budget (NULL) gets all. */
bool budget_take_part(struct budget *b, enum budget_part part, uint64_t size);
static inline bool budget_take(struct budget *b, uint64_t size)
{
	return budget_take_part(b, BUDGET_ALL, size);
}
void budget_give_back(struct budget *b, uint64_t size);

/* Something was left out: @what of @name, as in "debug information" of "/usr/bin/x"; what is
 * named again is the same. */
void budget_refuse(struct budget *b, const char *what, const char *name);

/* What somebody has of a budget. A zeroed one has nothing. */
struct claim {
	struct budget *budget;
	uint64_t size;
};

/* @size more; false: the claim is as it was. All of one claim is of one budget. */
bool claim_add(struct claim *c, struct budget *b, uint64_t size);
bool claim_add_part(struct claim *c, struct budget *b, enum budget_part part,
		    uint64_t size);
/* Exactly @size from now on, whatever is left: of what is there already. */
void claim_settle(struct claim *c, struct budget *b, uint64_t size);
/* What @from has goes over; both are of one budget. */
void claim_join(struct claim *c, struct claim *from);
void claim_release(struct claim *c); /* and it has nothing */

#endif
