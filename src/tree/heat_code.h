#ifndef TREE_HEAT_CODE_H
#define TREE_HEAT_CODE_H

#include "base/array.h"
#include "base/bytes.h"
#include "base/cursor.h"

/* So many of one leaf are in one cell. Leaves are the nodes that have any, in the order of their numbers; cells
 * are numbered among those that have something. */
struct heat_item {
	uint32_t cell, leaf;
	uint64_t count; /* not 0 */
};

/* All of them, so that a viewer can count as well. */
#define HEAT_COUNT_MOST ((UINT64_C(1) << 53) - 1)

/* What both sides know before. */
struct heat_plan {
	uint32_t cells, leaves; /* neither is 0 */
	const uint64_t *
		counts; /* by leaf: of all of its items, not 0; their sum is HEAT_COUNT_MOST at most */
	const uint32_t *
		fences; /* by leaf: how deep is what separates it from the leaf before; the first one's is not looked at */
	bool counted; /* else each item has a count of 1 */
};

/*
 * Items by cell, then leaf, as a few bytes: heat_code.c says how. Each cell has one, and those of a leaf add up
 * to its count. 0, or -ENOMEM.
 */
int heat_code_write(struct bytes *to, const struct heat_plan *plan,
		    const struct heat_item *items, size_t count);

/* The other way: @count items. -EBADMSG: there are others than these, or bytes behind them. */
int heat_code_read(struct cursor *from, const struct heat_plan *plan,
		   struct heat_item *ret, size_t count);

/* How much memory either of them takes while it runs. */
size_t heat_code_memory(uint32_t leaves);

#endif
