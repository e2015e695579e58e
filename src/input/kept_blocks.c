/*
 * Two arrays that grow, and nothing else is allocated; the budget is asked for some of their memory at a
 * time, since blocks are many and small.
 */
#include "input/kept_blocks.h"

#include <string.h>

enum { KEPT_CLAIM = 1 << 20 }; /* bytes that are claimed at once */

void kept_blocks_forget(struct kept_blocks *kept)
{
	array_release(&kept->list);
	array_release(&kept->frames);
	claim_release(&kept->claim);
	kept->room = 0;
	kept->forgotten = true;
}

void kept_blocks_add(struct kept_blocks *kept, struct budget *budget,
		     const struct kept_block *block, const uint32_t *frames)
{
	/* Arrays have at most twice the room that they need. */
	uint64_t size = 2 * (sizeof(*block) + (uint64_t)block->count * sizeof(*frames));
	struct kept_block *slot;

	if (kept->forgotten)
		return;
	while (kept->room < size && claim_add(&kept->claim, budget, KEPT_CLAIM))
		kept->room += KEPT_CLAIM;
	slot = kept->room >= size && array_reserve(&kept->frames, block->count)
		       ? array_add(&kept->list)
		       : NULL;
	if (!slot) {
		kept_blocks_forget(kept);
		return;
	}
	kept->room -= size;
	*slot = *block;
	slot->first = kept->frames.count;
	if (block->count)
		memcpy(kept->frames.v + slot->first, frames,
		       block->count * sizeof(*frames));
	kept->frames.count += block->count;
}

size_t kept_blocks_find(const struct kept_blocks *kept, uint64_t position)
{
	size_t low = 0, high = kept->list.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (kept->list.v[middle].position < position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
