#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include "base/array.h"

/*
 * Bytes being built. A zeroed struct is empty. Failure is sticky: add on, and ask once
 * at the end.
 */
struct bytes {
	uint8_t *v;
	size_t count, room;
	bool failed; /* no memory: they are not whole */
};

static inline void bytes_release(struct bytes *b)
{
	free(b->v);
	*b = (struct bytes){ 0 };
}

static inline bool bytes_reserve(struct bytes *b, size_t more)
{
	if (b->room - b->count >= more)
		return true;
	if (b->failed || more > SIZE_MAX / 4 ||
	    !array_grow((void **)&b->v, &b->room, b->count + more, 1))
		b->failed = true;
	return !b->failed;
}

static inline void bytes_add(struct bytes *b, const void *from, size_t size)
{
	if (size && bytes_reserve(b, size)) {
		memcpy(b->v + b->count, from, size);
		b->count += size;
	}
}

static inline void bytes_u8(struct bytes *b, uint8_t value)
{
	if (bytes_reserve(b, 1))
		b->v[b->count++] = value;
}

enum { VARINT_SIZE = 10 }; /* of the largest one */

/* 7 bits a byte, low ones first, the high bit set in all bytes but the last (LEB128). */
static inline void bytes_varint(struct bytes *b, uint64_t value)
{
	if (!bytes_reserve(b, VARINT_SIZE))
		return;
	for (; value >= 0x80; value >>= 7)
		b->v[b->count++] = (uint8_t)(value | 0x80);
	b->v[b->count++] = (uint8_t)value;
}

#endif
