#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"

/*
 * Growing arrays of one type. A zeroed one is empty.
 *
 *	ARRAY(struct map) maps = { 0 };
 *	struct map *m = array_add(&maps);
 *
 * Adding may move the items: hold an index, not a pointer.
 */
#define ARRAY(type)                                                                      \
	struct {                                                                         \
		type *v;                                                                 \
		size_t count, room;                                                      \
	}

static inline bool array_grow(void **v, size_t *room, size_t need, size_t item)
{
	size_t more = *room ? *room : 16;
	void *p;

	while (more < need) {
		if (more > SIZE_MAX / 2)
			return false;
		more *= 2;
	}
	if (more > SIZE_MAX / item)
		return false;
	/* Millions of items: the kernel is asked for large pages. */
	p = !*v && more * item >= 4 << 20 ? pages_room(more * item)
					  : realloc(*v, more * item);
	if (!p)
		return false;
	if (*v && more * item >= 4 << 20)
		pages_expect(p, more * item); /* it may have moved */
	*v = p;
	*room = more;
	return true;
}

/* Room for @n more items: true, or false without memory. */
#define array_reserve(a, n)                                                              \
	((a)->room - (a)->count >= (n) ||                                                \
	 array_grow((void **)&(a)->v, &(a)->room, (a)->count + (n), sizeof(*(a)->v)))

/* A zeroed item at the end, NULL without memory. */
#define array_add(a)                                                                     \
	(array_reserve(a, 1)                                                             \
		 ? (__typeof__((a)->v))memset(&(a)->v[(a)->count++], 0, sizeof(*(a)->v)) \
		 : NULL)

#define array_last(a) (&(a)->v[(a)->count - 1])

#define array_release(a)                                                                 \
	do {                                                                             \
		free((a)->v);                                                            \
		(a)->v = NULL;                                                           \
		(a)->count = (a)->room = 0;                                              \
	} while (0)

#endif
