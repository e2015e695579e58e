#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

/*
 * Memory that is freed all at once. A zeroed struct is an empty arena.
 *
 *	block -> [ used | used | free ...   ]
 *	  |
 *	block -> [ used | used | used |     ]
 */
struct arena {
	struct arena_block *blocks; /* newest first */
	char *next, *end; /* what is free in the newest block */
};

void arena_release(struct arena *a);

/* Zeroed memory aligned for any type, NULL without memory. */
void *arena_alloc(struct arena *a, size_t size);

/* A copy of @size bytes with a NUL behind it, NULL without memory. */
char *arena_text(struct arena *a, const char *text, size_t size);

#endif
