/*
 * FILE, the older form, and FILE2: the files that samples hit, each with the symbols
 * that were needed. Both become the same two tables: files, and symbols that name their
 * file by its index.
 *
 *	FILE    u32 size | path NUL | u32 kind | u64 address | u32 count |
 *		  {u64 start; u32 size; name NUL}[count] | of its kind ...
 *	FILE2   u32 size | message FileFeature of protobuf
 *
 * Sources: record_file_format.h and record_file.proto of AOSP's
 * system/extras/simpleperf; for messages the "Encoding" page of protobuf's
 * documentation.
 */
#include <ctype.h>
#include <errno.h>

#include "input/simpleperf.h"

int simpleperf_add_file(struct input *in, const struct simpleperf_file *file,
			uint32_t *index)
{
	struct recorded_file *f = array_add(&in->rec.files);

	if (!f)
		return -ENOMEM;
	f->kind = file->kind < RECORDED_OTHER ? (uint8_t)file->kind : RECORDED_OTHER;
	f->address = file->address;
	*index = (uint32_t)in->rec.files.count - 1;
	return input_add_name(in, file->path, file->path_size, &f->path);
}

int simpleperf_add_symbol(struct input *in, uint32_t file,
			  const struct recorded_symbol *s, const char *name,
			  size_t name_size)
{
	struct recorded_symbol *slot;

	if (s->size == 0 || name_size == 0)
		return 0;
	if (!budget_take_part(in->budget, BUDGET_NAMES, 2 * sizeof(*slot))) {
		budget_refuse(in->budget, "symbols", in->path);
		return 0;
	}
	slot = array_add(&in->rec.symbols);
	if (!slot)
		return -ENOMEM;
	*slot = *s;
	slot->file = file;
	return input_add_name(in, name, name_size, &slot->name);
}

/* Up to a NUL, which has to be there and is passed over. */
static const char *text_with_end(struct cursor *c, size_t *size)
{
	size_t left = cursor_left(c);
	const char *text = cursor_text(c, left, size);

	if (*size == left)
		c->bad = true;
	else
		c->p -= left - *size - 1;
	return text;
}

/* A FILE, by the layout at the top. */
static int read_plain_file(struct input *in, struct cursor *c)
{
	struct simpleperf_file file = { 0 };
	uint32_t index, count;
	int err;

	file.path = text_with_end(c, &file.path_size);
	file.kind = cursor_u32(c);
	file.address = cursor_u64(c);
	count = cursor_u32(c);
	if (c->bad)
		return 0;
	err = simpleperf_add_file(in, &file, &index);
	for (; count > 0 && err == 0 && !c->bad; count--) {
		struct recorded_symbol s = { .start = cursor_u64(c) };
		const char *name;
		size_t size;

		s.size = cursor_u32(c);
		name = text_with_end(c, &size);
		if (!c->bad)
			err = simpleperf_add_symbol(in, index, &s, name, size);
	}
	if ((file.kind != RECORDED_ELF && file.kind != RECORDED_MODULE) ||
	    cursor_left(c) < 8)
		return err;
	in->rec.files.v[index].offset = cursor_u64(c);
	in->rec.files.v[index].has_offset = true;
	return err;
}

/* Base 128, lowest bits first, the high bit says that there is more. */
static uint64_t varint(struct cursor *c)
{
	uint64_t value = 0;
	uint8_t byte;
	int shift = 0;

	do {
		byte = cursor_u8(c);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && shift < 70);
	c->bad |= byte >> 7;
	return value;
}

/* A field of a protobuf message. */
struct field {
	uint64_t number;
	uint64_t value; /* of a plain one */
	struct cursor bytes; /* of a string or a message */
};

/*
 * The next field of a message: its number and, by its wire type, a value or bytes.
 * False at the end, or where it cannot be understood, which leaves the cursor bad.
 * Groups, long deprecated, are not understood.
 */
static bool next_field(struct cursor *c, struct field *ret)
{
	enum { VARINT, EIGHT, BYTES, FOUR = 5 };
	uint64_t key = cursor_left(c) ? varint(c) : 0, size;

	*ret = (struct field){ .number = key >> 3, .bytes = cursor_of(c->end, 0) };
	if (key == 0 || c->bad)
		return false;
	switch (key & 7) {
	case VARINT:
		ret->value = varint(c);
		break;
	case EIGHT:
		ret->value = cursor_u64(c);
		break;
	case FOUR:
		ret->value = cursor_u32(c);
		break;
	case BYTES:
		size = varint(c);
		ret->bytes = cursor_of(c->p, size < cursor_left(c) ? (size_t)size
								   : cursor_left(c));
		cursor_bytes(c, size < SIZE_MAX ? (size_t)size : SIZE_MAX);
		break;
	default:
		c->bad = true;
	}
	return !c->bad;
}

/* Fields may come in any order. */
static int read_file_message(struct input *in, struct cursor *c)
{
	enum { PATH = 1, KIND, ADDRESS, SYMBOL, ELF = 6, MODULE = 7, OFFSET = 1 };
	enum { SYMBOL_START = 1, SYMBOL_SIZE, SYMBOL_NAME };
	struct simpleperf_file file = { .path = "" };
	struct cursor again = *c;
	struct field f, inner;
	uint32_t index;
	int err;

	while (next_field(c, &f)) {
		if (f.number == PATH)
			file.path = cursor_text(&f.bytes, cursor_left(&f.bytes),
						&file.path_size);
		else if (f.number == KIND)
			file.kind = f.value;
		else if (f.number == ADDRESS)
			file.address = f.value;
	}
	err = simpleperf_add_file(in, &file, &index);
	while (err == 0 && next_field(&again, &f)) {
		struct recorded_file *added = &in->rec.files.v[index];
		struct recorded_symbol s = { 0 };
		const char *name = "";
		size_t size = 0;

		while (f.number == SYMBOL && next_field(&f.bytes, &inner)) {
			if (inner.number == SYMBOL_START)
				s.start = inner.value;
			else if (inner.number == SYMBOL_SIZE)
				s.size = (uint32_t)inner.value;
			else if (inner.number == SYMBOL_NAME)
				name = cursor_text(&inner.bytes,
						   cursor_left(&inner.bytes), &size);
		}
		if (f.number == SYMBOL && !f.bytes.bad)
			err = simpleperf_add_symbol(in, index, &s, name, size);
		if (f.number != ELF && f.number != MODULE)
			continue;
		/* In the file or, of a kernel module, in memory. */
		added->has_offset = true;
		while (next_field(&f.bytes, &inner))
			if (inner.number == OFFSET)
				added->offset = inner.value;
	}
	return err;
}

/* "u32 size; u8 bytes[size]" until the section ends. */
static int read_each_file(struct input *in, struct cursor *c,
			  int (*read)(struct input *in, struct cursor *c))
{
	int err = 0;

	while (cursor_left(c) > 0 && err == 0) {
		uint32_t size = cursor_u32(c);
		const uint8_t *bytes = cursor_bytes(c, size);
		struct cursor one = in_cursor(in, bytes, size);

		if (!bytes)
			break;
		err = read(in, &one);
		/* The next one is where it says, whatever this one was. */
		c->bad |= one.bad;
	}
	return err;
}

int simpleperf_read_files(struct input *in, struct cursor *c)
{
	return read_each_file(in, c, read_plain_file);
}

int simpleperf_read_files2(struct input *in, struct cursor *c)
{
	return read_each_file(in, c, read_file_message);
}

/* "ffffffff81000000 T _text", functions only; a module's have "\t[module]" behind it. */
int simpleperf_read_kallsyms(struct input *in, const char *text, size_t size)
{
	static const char path[] = "[kernel.kallsyms]";
	struct simpleperf_file kernel = { path, sizeof(path) - 1, RECORDED_KERNEL, 0 };
	const char *end = text + size, *stop;
	uint32_t index;
	int err = simpleperf_add_file(in, &kernel, &index);

	for (; text < end && err == 0; text = stop < end ? stop + 1 : end) {
		struct recorded_symbol s = { .size = RECORDED_SIZELESS };
		const char *p = text, *tab;

		stop = memchr(text, '\n', (size_t)(end - text));
		stop = stop ? stop : end;
		for (; p < stop && isxdigit((unsigned char)*p); p++) {
			if (isupper((unsigned char)*p))
				break;
			s.start = s.start << 4 |
				  (unsigned)(*p <= '9' ? *p - '0' : *p - 'a' + 10);
		}
		if (s.start == 0 || stop - p < 4 || p[0] != ' ' || p[2] != ' ' ||
		    !memchr("TtWw", p[1], 4) || p[3] == '$')
			continue;
		p += 3;
		tab = memchr(p, '\t', (size_t)(stop - p));
		err = simpleperf_add_symbol(in, index, &s, p,
					    (size_t)((tab ? tab : stop) - p));
	}
	return err;
}
