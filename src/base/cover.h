#ifndef BASE_COVER_H
#define BASE_COVER_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Which of many intervals covers an address last: intervals are added the last first, and
 * each address takes the first that comes and is then passed over, so that the cost does not
 * grow with how often they overlap.
 *
 *	3rd      |--------|         added first
 *	2nd          |--------|
 *	1st   |------------------|  added last
 *	      |1 |3       |2  |1 |
 */
struct cover {
	const uint64_t *addresses; /* ascending */
	size_t count;
	uint32_t *next; /* by address: from it on the first that is not covered yet */
	uint32_t *of_address; /* id + 1; 0: not covered */
};

/* @of_address has room for @count. 0, or -ENOMEM. */
int cover_begin(struct cover *c, const uint64_t *addresses, size_t count,
		uint32_t *of_address);
/* @end is exclusive. */
void cover_add(struct cover *c, uint64_t start, uint64_t end, uint32_t id);
void cover_release(struct cover *c); /* a zeroed one is fine */

/* The first of @count ascending @addresses at or behind @from. */
size_t cover_first(const uint64_t *addresses, size_t count, uint64_t from);

#endif
