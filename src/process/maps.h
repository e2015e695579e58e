#ifndef PROCESS_MAPS_H
#define PROCESS_MAPS_H

#include <stdatomic.h>

#include "base/array.h"

/*
 * The maps of one space, in time order. The map of an address among the first n is
 * the last of them that contains it. An index finds it in O(log2 n): a tree over the
 * pieces that all starts and ends cut the addresses into. A map is noted at the
 * O(log n) nodes that together are its pieces; a question climbs from its piece to
 * the root and takes the newest map noted on the way.
 *
 *	pieces    0    1    2    3        map A = pieces 0-3, map B = 1-2
 *	          \   B/    \B   /
 *	            n1        n2
 *	              \      /
 *	               A root
 */
struct map {
	uint64_t time;
	uint64_t start, end; /* end exclusive */
	uint64_t shift; /* added to an address to get that in the image */
	uint32_t image;
	uint32_t epoch : 31; /* of the while that begins with it */
	uint32_t executable : 1;
	uint32_t layout; /* likewise, see struct space */
};

struct maps_index;

struct maps {
	ARRAY(struct map) list; /* in time order */
	_Atomic(struct maps_index *) index; /* made by the first question */
};

/* A timeline that grows while it is asked: drops maps that others have covered since
 * before @time. Not while others ask. */
void maps_forget(struct maps *m, uint64_t time);

void maps_release(struct maps *m);

/* Maps were added that are older than others: puts all in time order, equal ones in the
 * order of their epochs. Not while others ask. */
void maps_sort(struct maps *m);

/* How many maps there were at @time. */
size_t maps_at(const struct maps *m, uint64_t time);

/* The last of the first @n maps that contains @address, or NULL. May be asked by
 * many threads at once. Without memory for the index it looks at each map. */
const struct map *maps_find(struct maps *m, size_t n, uint64_t address);

#endif
