#ifndef BASE_PROTO_READER_H
#define BASE_PROTO_READER_H

#include "base/cursor.h"

/*
 * Messages of Protocol Buffers (protobuf.dev/programming-guides/encoding), over bytes that are not
 * trusted: a message is a list of fields, each a number, a way to be written, and a value.
 */
enum proto_wire {
	PROTO_VARINT = 0,
	PROTO_FIXED64 = 1,
	PROTO_BYTES = 2,
	PROTO_FIXED32 = 5
};

struct proto_field {
	uint64_t number;
	enum proto_wire wire;
	uint64_t value; /* of a number */
	struct cursor bytes; /* of PROTO_BYTES: text, a message, or packed numbers */
};

/* False at the end, or where there is no field: c->bad then. Groups, which nobody writes any more, are
 * none. */
static inline bool proto_next(struct cursor *c, struct proto_field *ret)
{
	uint64_t tag, size;
	const void *bytes;

	if (cursor_left(c) == 0)
		return false;
	tag = cursor_varint(c);
	*ret = (struct proto_field){ .number = tag >> 3, .wire = tag & 7 };
	switch (ret->wire) {
	case PROTO_VARINT:
		ret->value = cursor_varint(c);
		break;
	case PROTO_FIXED64:
		ret->value = cursor_u64(c);
		break;
	case PROTO_FIXED32:
		ret->value = cursor_u32(c);
		break;
	case PROTO_BYTES:
		size = cursor_varint(c);
		bytes = size <= cursor_left(c) ? cursor_bytes(c, (size_t)size) : NULL;
		c->bad |= !bytes;
		ret->bytes = cursor_of(bytes, (size_t)size);
		break;
	default:
		c->bad = true;
	}
	c->bad |= ret->number == 0;
	return !c->bad;
}

/* The next number of a field that is repeated, packed or not: false where there is none left. */
static inline bool proto_next_number(struct proto_field *f, uint64_t *ret)
{
	if (f->wire == PROTO_BYTES) {
		if (cursor_left(&f->bytes) == 0)
			return false;
		*ret = cursor_varint(&f->bytes);
		return !f->bytes.bad;
	}
	if (f->number == 0)
		return false;
	*ret = f->value;
	f->number = 0;
	return true;
}

/* The numbers of a message that has each once: by field, up to @count of them; others are passed over. The
 * last one counts. False where it is no message. */
static inline bool proto_numbers(struct cursor c, uint64_t *values, size_t count)
{
	struct proto_field f;

	while (proto_next(&c, &f))
		if (f.number < count && f.wire == PROTO_VARINT)
			values[f.number] = f.value;
	return !c.bad;
}

#endif
