#ifndef INPUT_KEPT_BLOCKS_H
#define INPUT_KEPT_BLOCKS_H

#include "base/array.h"
#include "base/budget.h"

/*
 * What the first pass has made of the blocks of a text, in their order, for the second one: numbers, which
 * take a seventh of it.
 */
struct kept_block {
	uint64_t position, time, period; /* position: in the file */
	size_t first; /* among .frames */
	uint32_t count, pid, tid, cpu;
	uint16_t event;
};

struct kept_blocks {
	ARRAY(struct kept_block) list;
	ARRAY(uint32_t) frames;
	struct claim claim;
	uint64_t room; /* bytes that are claimed and not yet used */
	bool forgotten; /* there was no room for all of them, so there are none */
};

/* One more, behind all others; .first is set. Where @budget has no room for it all are forgotten. */
void kept_blocks_add(struct kept_blocks *kept, struct budget *budget,
		     const struct kept_block *block, const uint32_t *frames);
void kept_blocks_forget(struct kept_blocks *kept);

/* The index of the first one at @position or behind it. */
size_t kept_blocks_find(const struct kept_blocks *kept, uint64_t position);

#endif
