#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stddef.h>

/*
 * Megabytes that are written from end to end. The kernel gives memory page by page, at the
 * price of an exception each: more than the work on what is in them. Large pages are asked
 * for in their place, where there are such.
 */

/* @size zeroed bytes, more than 0; NULL without memory. To be given back with the same size. */
void *pages_take(size_t size);
void pages_give_back(void *p, size_t size); /* NULL is fine */

/* The first @used bytes with room for more behind them, of any value; @more > @size. NULL
 * without memory: @p stays. */
void *pages_grow(void *p, size_t size, size_t used, size_t more);

/* Likewise, but for free() and realloc(), and not zeroed. */
void *pages_room(size_t size);

/* As calloc(), in large pages. */
void *pages_zeroed(size_t count, size_t size);

/* What malloc() and the like gave will be filled: no more than a hint. */
void pages_expect(void *p, size_t size);

#endif
