/*
 * A field is its number and wire type, then its value: 0 a varint, 1 eight bytes, 2 a size and as many
 * bytes. A varint has seven bits a byte, the lowest first, and a high bit in all but the last.
 */
#include "write/proto.h"

#include <string.h>

#include "base/utf8.h"

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

void proto_varint(struct text *t, uint64_t value)
{
	char bytes[10];
	size_t size = 0;

	do {
		bytes[size++] = (char)(value & 0x7f);
		value >>= 7;
		if (value)
			bytes[size - 1] |= (char)0x80;
	} while (value);
	text_add(t, bytes, size);
}

void proto_number(struct text *t, unsigned field, uint64_t value)
{
	if (!value)
		return;
	proto_varint(t, field << 3 | WIRE_VARINT);
	proto_varint(t, value);
}

void proto_fixed64(struct text *t, unsigned field, uint64_t value)
{
	char bytes[8];

	if (!value)
		return;
	for (int i = 0; i < 8; i++)
		bytes[i] = (char)(value >> 8 * i);
	proto_varint(t, field << 3 | WIRE_FIXED64);
	text_add(t, bytes, sizeof(bytes));
}

void proto_begin(struct text *t, unsigned field, uint64_t size)
{
	proto_varint(t, field << 3 | WIRE_BYTES);
	proto_varint(t, size);
}

void proto_bytes(struct text *t, unsigned field, const char *bytes, size_t size)
{
	proto_begin(t, field, size);
	text_add(t, bytes, size);
}

void proto_string(struct text *t, unsigned field, const char *string)
{
	size_t size = strlen(string);
	const char *p = string, *end = string + size, *good = string;
	struct text clean = { 0 };

	while (p < end) {
		const char *from = p;

		if (utf8_next(&p, end) != UTF8_REPLACEMENT)
			continue;
		text_add(&clean, good, (size_t)(from - good));
		text_string(&clean, "\xef\xbf\xbd");
		good = p;
	}
	if (good == string) {
		proto_bytes(t, field, string, size);
		return;
	}
	text_add(&clean, good, (size_t)(end - good));
	proto_bytes(t, field, clean.failed ? "" : clean.bytes, clean.size);
	t->failed |= clean.failed;
	text_release(&clean);
}

uint64_t proto_begin_size(unsigned field, uint64_t size)
{
	uint64_t bytes = 2;

	for (uint64_t v = (uint64_t)field << 3; v >>= 7;)
		bytes++;
	while (size >>= 7)
		bytes++;
	return bytes;
}
