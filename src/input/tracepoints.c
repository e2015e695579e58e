#include <errno.h>
#include <stdlib.h>

#include "base/text.h"
#include "input/perf.h"

/*
 * Names of tracepoints. Pipes of perf 3.13 to 4.16 have them in no record of their own, but
 * in what lies behind TRACING_DATA (trace-cmd.dat(5)):
 *
 *	17 08 44 "tracing" | version NUL | u8 order, size of long | u32 size of page |
 *	"header_page" NUL, file | "header_event" NUL, file | u32 count, file[count] |
 *	u32 count, {system NUL, u32 count, file[count]}[count] | ...
 *
 * where a file is "u64 size; char text[size]", and those of events begin
 *
 *	name: sched_switch
 *	ID: 316
 */
enum {
	TRACING_MOST =
		8 << 20, /* bytes of it; kallsyms behind the formats may have more */
	PIECE = 64 << 10,
	TRACEPOINTS_MOST = 1 << 16,
	/* Bytes of a name and of that of its system, which thousands may have: the kernel's
	 * are shorter. */
	NAME_MOST = 256,
	TYPE_OF_TRACEPOINTS = 2,
};

static const char *cut_text(struct cursor *c)
{
	size_t left = cursor_left(c), size;
	const char *text = cursor_text(c, left, &size);

	if (size == left) {
		c->bad = true;
		return "";
	}
	c->p -= left - size - 1;
	return text;
}

static const char *cut_file(struct cursor *c, size_t *size)
{
	uint64_t claimed = cursor_u64(c);

	*size = claimed < cursor_left(c) ? (size_t)claimed : cursor_left(c);
	c->bad |= claimed > cursor_left(c);
	return cursor_bytes(c, *size);
}

static void skip_files(struct cursor *c, uint32_t count)
{
	size_t size;

	for (; count > 0 && !c->bad; count--)
		cut_file(c, &size);
}

/* What stands behind @key at the beginning of a line; NULL: no such line. */
static const char *find_line(const char *text, size_t size, const char *key)
{
	size_t length = strlen(key);

	while (size > length) {
		const char *stop = memchr(text, '\n', size);

		if (memcmp(text, key, length) == 0)
			return text + length;
		if (!stop)
			break;
		size -= (size_t)(stop + 1 - text);
		text = stop + 1;
	}
	return NULL;
}

static int add_tracepoint(struct input *in, const char *system, const char *text,
			  size_t size)
{
	const char *name = find_line(text, size, "name: ");
	const char *number = find_line(text, size, "ID: ");
	struct text whole = { 0 };
	uint64_t id = 0;
	uint32_t string;
	int err = -ENOMEM;

	if (!name || !number || in->tracepoints.count >= TRACEPOINTS_MOST)
		return 0;
	for (; number < text + size && *number >= '0' && *number <= '9'; number++)
		id = id * 10 + (uint64_t)(*number - '0');
	text_printf(&whole, "%.*s:", NAME_MOST, system);
	for (int left = NAME_MOST;
	     left > 0 && name < text + size && *name && *name != '\n'; left--)
		text_char(&whole, *name++);
	if (!whole.failed)
		err = input_add_name(in, whole.bytes, whole.size, &string);
	if (err == 0 && !hash_map_set(&in->tracepoints, id, string))
		err = -ENOMEM;
	text_release(&whole);
	return err;
}

static int read_systems(struct input *in, struct cursor *c)
{
	int err = 0;

	for (uint32_t systems = cursor_u32(c); systems > 0 && !c->bad; systems--) {
		const char *system = cut_text(c);

		for (uint32_t n = cursor_u32(c); n > 0 && !c->bad && err == 0; n--) {
			size_t size;
			const char *text = cut_file(c, &size);

			if (text)
				err = add_tracepoint(in, system, text, size);
		}
		if (err < 0)
			return err;
	}
	return 0;
}

static int read_tracing(struct input *in, struct cursor c)
{
	static const char magic[] = "\x17\x08\x44tracing";
	const char *found = cursor_bytes(&c, sizeof(magic) - 1);

	if (!found || memcmp(found, magic, sizeof(magic) - 1) != 0)
		return 0;
	cut_text(&c); /* version */
	cursor_u16(&c); /* byte order, size of long */
	cursor_u32(&c); /* size of a page */
	for (int i = 0; i < 2; i++) {
		cut_text(&c);
		skip_files(&c, 1);
	}
	skip_files(&c, cursor_u32(&c));
	return read_systems(in, &c);
}

/* Of a pipe: they are behind the record at hand, which is not there any more then. */
int tracepoints_read(struct context *ctx, struct input *in, uint64_t behind)
{
	uint64_t start = in->stream.offset - behind;
	size_t most = behind < TRACING_MOST ? (size_t)behind : TRACING_MOST, got = 0;
	struct text all = { 0 };
	int err;

	do {
		size_t want = most - all.size < PIECE ? most - all.size : PIECE;
		const uint8_t *p;

		err = window_at(ctx, &in->stream.window, start + all.size, want, &p,
				&got);
		if (err < 0)
			break;
		text_add(&all, (const char *)p, got);
	} while (got > 0 && all.size < most && !all.failed);
	if (err == 0 &&
	    (all.failed || read_tracing(in, in_cursor(in, all.bytes, all.size)) < 0))
		err = fail_memory(ctx);
	text_release(&all);
	return err;
}

uint32_t tracepoint_name(const struct input *in, const struct event *event)
{
	const uint32_t *name = event->type == TYPE_OF_TRACEPOINTS
				       ? hash_map_get(&in->tracepoints, event->config)
				       : NULL;

	return name ? *name : 0;
}
