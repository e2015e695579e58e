#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Bounds-checked reading of bytes that are not trusted. A read past the end gives
 * zero, sets `bad` and leaves nothing to read: check once, at the end of a
 * structure. Values are little-endian, as on every host we build for, or, where the
 * cursor is told so, big-endian.
 */
struct cursor {
	const uint8_t *p, *end;
	bool bad;
	bool swap; /* values are in the other byte order */
};

/* NULL is no bytes, whatever @size says. */
static inline struct cursor cursor_of(const void *bytes, size_t size)
{
	const uint8_t *p = bytes ? bytes : (const void *)"";

	return (struct cursor){ p, p + (bytes ? size : 0), false, false };
}

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->p);
}

/* @size bytes, borrowed; NULL when there are fewer. */
static inline const void *cursor_bytes(struct cursor *c, size_t size)
{
	const uint8_t *p = c->p;

	if (cursor_left(c) < size) {
		c->bad = true;
		c->p = c->end;
		return NULL;
	}
	c->p += size;
	return p;
}

#define CURSOR_READER(name, type, swapped)                                               \
	static inline type name(struct cursor *c)                                        \
	{                                                                                \
		const void *p = cursor_bytes(c, sizeof(type));                           \
		type value = 0;                                                          \
                                                                                         \
		if (p)                                                                   \
			memcpy(&value, p, sizeof(value));                                \
		return c->swap ? swapped(value) : value;                                 \
	}

CURSOR_READER(cursor_u8, uint8_t, )
CURSOR_READER(cursor_u16, uint16_t, __builtin_bswap16)
CURSOR_READER(cursor_u32, uint32_t, __builtin_bswap32)
CURSOR_READER(cursor_u64, uint64_t, __builtin_bswap64)
#undef CURSOR_READER

/* As bytes_varint() writes it. One that does not end within 64 bits is bad. */
static inline uint64_t cursor_varint(struct cursor *c)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && c->p < c->end; shift += 7) {
		uint64_t bits = *c->p & 0x7f;

		if (shift == 63 && bits > 1)
			break;
		value |= bits << shift;
		if (*c->p++ < 0x80)
			return value;
	}
	c->bad = true;
	c->p = c->end;
	return 0;
}

/*
 * The text up to the first NUL among the next @field bytes, all of which are
 * passed over. *@size is its length; the NUL may be missing.
 */
static inline const char *cursor_text(struct cursor *c, size_t field, size_t *size)
{
	const char *text = cursor_bytes(c, field);

	*size = text ? strnlen(text, field) : 0;
	return text ? text : "";
}

#endif
