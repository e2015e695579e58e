/*
 * A format of a tracepoint and the raw data of a sample. The first byte chooses the byte order, the second one
 * says how many bytes of raw data follow; the rest is the format. Whatever it says, its fields have names of their
 * own, and what is read of them lies in the raw data, which ends where its memory does.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "input/event_format.h"

static void check(bool fine)
{
	if (!fine)
		abort();
}

static void check_inside(const struct sample *s, const void *p, uint32_t size)
{
	const uint8_t *at = p;

	check(size <= s->raw_size && at >= s->raw && at + size <= s->raw + s->raw_size);
}

static void check_field(const struct event_field *f, const struct sample *s)
{
	const uint8_t *bytes;
	const char *text;
	uint32_t size = 0;
	uint64_t value;
	bool has = event_field_bytes(f, s, &bytes, &size);

	if (has)
		check_inside(s, bytes, size);
	check(!event_field_number(f, s, &value) ||
	      (has && !(f->flags & EVENT_FIELD_ARRAY)));
	for (uint32_t i = 0; i < 300; i++)
		check(!event_field_element(f, s, i, &value) ||
		      (has && (i + 1) * f->element <= size));
	check(!event_field_element(f, s, UINT32_MAX, &value));
	if (event_field_text(f, s, &text, &size))
		check_inside(s, text, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t raw_size = size < 2 ? 0 : data[1] < size - 2 ? data[1] : size - 2;
	struct sample s = { .raw_size = (uint32_t)raw_size };
	struct event_format format;
	struct arena arena = { 0 };
	uint8_t *raw;
	int found;

	if (size < 2)
		return 0;
	s.raw = raw = malloc(raw_size ? raw_size : 1);
	check(raw != NULL);
	memcpy(raw, data + 2, raw_size);
	data += 2;
	found = event_format_parse(&arena, (const char *)data + raw_size,
				   size - 2 - raw_size, data[-2] & 1, &format);
	check(found == 0 || found == 1);
	for (uint32_t i = 0; found && i < format.count; i++) {
		const struct event_field *f = &format.fields[i];

		check(event_format_find(&format, f->name) == f);
		check_field(f, &s);
	}
	check(!found || strlen(format.own_name) > 0);
	for (int bit = 0; found && format.states && bit < 64; bit++)
		check(event_states_read(format.states, 1ull << bit) <= 0x100);
	arena_release(&arena);
	free(raw);
	return 0;
}
