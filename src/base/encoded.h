#ifndef BASE_ENCODED_H
#define BASE_ENCODED_H

#include "base/cursor.h"

/* Numbers as DWARF writes them, of any length (DWARF 5, 7.6). Bits above the 64th are
 * lost. */
static inline uint64_t read_uleb(struct cursor *c)
{
	uint64_t value = 0;
	uint8_t byte;

	if (cursor_left(c) > 0 && *c->p < 0x80) /* nearly always */
		return *c->p++;
	for (unsigned shift = 0;; shift += 7) {
		byte = cursor_u8(c);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
}

static inline int64_t read_sleb(struct cursor *c)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = cursor_u8(c);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (shift < 64 && byte & 0x40)
		value |= UINT64_MAX << shift;
	return (int64_t)value;
}

/* A number of @size bytes; other sizes than 1, 2, 4 and 8 are bad. */
static inline uint64_t read_sized(struct cursor *c, unsigned size)
{
	switch (size) {
	case 1:
		return cursor_u8(c);
	case 2:
		return cursor_u16(c);
	case 4:
		return cursor_u32(c);
	case 8:
		return cursor_u64(c);
	default:
		c->bad = true;
		return 0;
	}
}

#endif
