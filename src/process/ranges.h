#ifndef PROCESS_RANGES_H
#define PROCESS_RANGES_H

#include "base/array.h"

/* Addresses as a sorted list of ranges, none touching the next. A zeroed one is empty. */
struct range {
	uint64_t start, end; /* end exclusive */
};

struct ranges {
	ARRAY(struct range) list;
	bool all; /* too many to be told apart, or no memory: taken for all addresses */
};

void ranges_release(struct ranges *r);

bool ranges_overlap(const struct ranges *r, uint64_t start, uint64_t end);

/* Adds what lies from @start to @end; @start < @end. */
void ranges_add(struct ranges *r, uint64_t start, uint64_t end);

#endif
