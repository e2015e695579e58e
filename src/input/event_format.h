#ifndef INPUT_EVENT_FORMAT_H
#define INPUT_EVENT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "input/record.h"

/*
 * Names of tracepoint fields -> values. The raw data of a sample (PERF_SAMPLE_RAW) is
 * what the kernel's trace event has in memory:
 *
 *	| type | flags | pid | prev_comm[16] | prev_pid | ... | __data_loc name | ... | "name\0" |
 *	                                                         length << 16 | offset --^
 *
 * Formats come with the recording (TRACING_DATA) or, live, from tracefs. Values are
 * read with checks against the size of the raw data, whatever formats say; a sample
 * that lacks the field has no value.
 */
enum event_field_flags {
	EVENT_FIELD_SIGNED = 1 << 0,
	EVENT_FIELD_ARRAY = 1 << 1,
	EVENT_FIELD_TEXT = 1 << 2, /* characters */
	EVENT_FIELD_DYNAMIC =
		1 << 3, /* __data_loc, __rel_loc: 4 bytes that say where it is */
	EVENT_FIELD_RELATIVE =
		1 << 4, /* __rel_loc: from the field's end, not the beginning */
	EVENT_FIELD_SWAPPED = 1 << 5, /* the recording is of the other byte order */
};

struct event_field {
	const char *name;
	uint16_t offset,
		size; /* bytes in the raw data; of a dynamic one: of what says where it is */
	uint16_t element; /* bytes of each element of an array; else of the field */
	uint16_t flags; /* enum event_field_flags */
};

/*
 * What the bits of prev_state of sched_switch are called. Since Linux 4.14 they are these, and
 * before they were the kernel's own, which changed now and then: then its format says so.
 *
 *	1 S   2 D   4 T   8 t   0x10 X   0x20 Z   0x40 P   0x80 I   0x100 +
 */
struct event_states {
	uint16_t meaning[32]; /* by bit: of those above; 0: none */
};

struct event_format {
	uint64_t id; /* perf_event_attr.config of its events */
	uint32_t name; /* string id: "sched:sched_switch" */
	const char *own_name; /* without its system; in the arena */
	uint32_t count;
	const struct event_field
		*fields; /* in the order of the format, common ones first */
	const struct event_states *states; /* NULL: those since 4.14, or it has none */
};

/* @state as it would be since 4.14. @states: NULL is fine. */
uint64_t event_states_read(const struct event_states *states, uint64_t state);

/*
 * What the @size bytes of @text say, a file "format" of tracefs, which nobody trusts:
 * name, ID and, in the arena, fields and own_name. 1, 0 where it is no format, or
 * -ENOMEM. Fields that cannot be are left out; of those of one name the first one
 * holds.
 */
int event_format_parse(struct arena *arena, const char *text, size_t size, bool swapped,
		       struct event_format *ret);

/* NULL where @format is, or has no such field. What it gives lives as long as the
 * recording. */
const struct event_field *event_format_find(const struct event_format *format,
					    const char *name);

static inline bool event_field_load(const struct event_field *f, const uint8_t *p,
				    uint64_t *ret)
{
	bool swap = f->flags & EVENT_FIELD_SWAPPED, sign = f->flags & EVENT_FIELD_SIGNED;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	switch (f->element) {
	case 1:
		*ret = sign ? (uint64_t)(int8_t)*p : *p;
		return true;
	case 2:
		memcpy(&u16, p, sizeof(u16));
		u16 = swap ? __builtin_bswap16(u16) : u16;
		*ret = sign ? (uint64_t)(int16_t)u16 : u16;
		return true;
	case 4:
		memcpy(&u32, p, sizeof(u32));
		u32 = swap ? __builtin_bswap32(u32) : u32;
		*ret = sign ? (uint64_t)(int32_t)u32 : u32;
		return true;
	case 8:
		memcpy(&u64, p, sizeof(u64));
		*ret = swap ? __builtin_bswap64(u64) : u64;
		return true;
	}
	return false;
}

/* The field's bytes in the sample, until the next one is read; false where it does not
 * hold them. */
static inline bool event_field_bytes(const struct event_field *f, const struct sample *s,
				     const uint8_t **ret, uint32_t *size)
{
	uint32_t start = f->offset, length = f->size, word;

	if (start > s->raw_size || length > s->raw_size - start)
		return false;
	if (f->flags & EVENT_FIELD_DYNAMIC) {
		memcpy(&word, s->raw + start, sizeof(word));
		word = f->flags & EVENT_FIELD_SWAPPED ? __builtin_bswap32(word) : word;
		start = (word & 0xffff) +
			(f->flags & EVENT_FIELD_RELATIVE ? start + length : 0);
		length = word >> 16;
		if (start > s->raw_size || length > s->raw_size - start)
			return false;
	}
	*ret = s->raw + start;
	*size = length;
	return true;
}

/* Element @i of an array of numbers, or with @i 0 a number; one that is signed is
 * extended to 64 bits. */
static inline bool event_field_element(const struct event_field *f,
				       const struct sample *s, uint32_t i, uint64_t *ret)
{
	const uint8_t *p;
	uint32_t size;

	return event_field_bytes(f, s, &p, &size) && f->element &&
	       i < size / f->element &&
	       event_field_load(f, p + (size_t)i * f->element, ret);
}

/* Can it be one, of samples that hold it? */
static inline bool event_field_is_number(const struct event_field *f)
{
	return !(f->flags & EVENT_FIELD_ARRAY) &&
	       (f->element == 1 || f->element == 2 || f->element == 4 || f->element == 8);
}

/* False for arrays, too. */
static inline bool event_field_number(const struct event_field *f, const struct sample *s,
				      uint64_t *ret)
{
	if (f->flags & EVENT_FIELD_ARRAY)
		return false;
	/* Nearly all of them: no division. */
	if (f->size == f->element && !(f->flags & EVENT_FIELD_DYNAMIC))
		return f->offset + f->size <= s->raw_size &&
		       event_field_load(f, s->raw + f->offset, ret);
	return event_field_element(f, s, 0, ret);
}

/* Up to its NUL, if it has one. False where the field is no text. */
static inline bool event_field_text(const struct event_field *f, const struct sample *s,
				    const char **ret, uint32_t *size)
{
	const uint8_t *p;

	if (!(f->flags & EVENT_FIELD_TEXT) || !event_field_bytes(f, s, &p, size))
		return false;
	*ret = (const char *)p;
	*size = (uint32_t)strnlen(*ret, *size);
	return true;
}

#endif
