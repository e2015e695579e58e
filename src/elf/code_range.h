#ifndef ELF_CODE_RANGE_H
#define ELF_CODE_RANGE_H

#include "elf/object.h"

/*
 * The addresses that an object has code at: its executable segments as far as the file
 * has bytes for them, sorted and disjoint. Code far from the first, as the size of the
 * file goes, is left out: none is linked that way, and tables of pages stay small.
 */
struct code_range {
	uint64_t start, end; /* end exclusive */
};

struct code_ranges {
	ARRAY(struct code_range) list;
};

/* 0 or -ENOMEM. */
int code_ranges_of(const struct object *o, struct code_ranges *ret);
void code_ranges_release(struct code_ranges *r);

/* Cuts *@end to what follows @start without a hole; false where @start is no code. */
bool code_ranges_clip(const struct code_ranges *r, uint64_t start, uint64_t *end);

#endif
