/*
 * Blocks, linked from the newest to the oldest: the first has 4 KiB, for most arenas hold a
 * few names, and each one twice as much as the one before it up to 64 KiB, or what is asked
 * for if that is more. Only the newest is filled; what is left over in the one before it is
 * given up. Blocks come zeroed, so what is taken needs no clearing.
 */
#include "base/arena.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	FIRST_SIZE = 4 * 1024,
	BLOCK_MOST = 64 * 1024,
	ALIGN = alignof(max_align_t),
};

struct arena_block {
	struct arena_block *older;
	size_t size; /* of the bytes, had nothing larger been asked for */
	alignas(max_align_t) char bytes[];
};

void arena_release(struct arena *a)
{
	struct arena_block *block = a->blocks;

	while (block) {
		struct arena_block *older = block->older;

		free(block);
		block = older;
	}
	*a = (struct arena){ 0 };
}

/* With room for @least bytes at its beginning. */
static bool add_block(struct arena *a, size_t least)
{
	size_t usual = a->blocks ? 2 * a->blocks->size : FIRST_SIZE, size;
	struct arena_block *block;

	usual = usual < BLOCK_MOST ? usual : BLOCK_MOST;
	size = least > usual ? least : usual;
	block = calloc(1, sizeof(*block) + size);
	if (!block)
		return false;
	block->older = a->blocks;
	block->size = usual;
	a->blocks = block;
	a->next = block->bytes;
	a->end = block->bytes + size;
	return true;
}

/* @size bytes that start at a multiple of @align. */
static char *take_bytes(struct arena *a, size_t size, size_t align)
{
	size_t skip = (size_t) - (uintptr_t)a->next & (align - 1);
	char *p;

	if (size > SIZE_MAX / 2)
		return NULL;
	if (!a->next || (size_t)(a->end - a->next) < size + skip) {
		if (!add_block(a, size))
			return NULL;
		skip = 0;
	}
	p = a->next + skip;
	a->next = p + size;
	return p;
}

void *arena_alloc(struct arena *a, size_t size)
{
	return take_bytes(a, size, ALIGN);
}

char *arena_text(struct arena *a, const char *text, size_t size)
{
	char *p = take_bytes(a, size + 1, 1);

	if (p)
		memcpy(p, text, size);
	return p;
}
