/*
 * The formats of tracepoints: of files in the feature TRACING_DATA, of pipes in what
 * lies behind the record of that name, of a live run in tracefs. The container is that
 * of trace-cmd.dat(5),
 *
 *	17 08 44 "tracing" | version NUL | u8 order, size of long | u32 size of page |
 *	"header_page" NUL, file | "header_event" NUL, file | u32 count, file[count] |
 *	u32 count, {system NUL, u32 count, file[count]}[count] | ...
 *
 * where a file is "u64 size; char text[size]"; those behind systems are formats
 * (event_format.h). Pipes of perf 3.13 to 4.16 name their events nowhere else. Formats
 * and events may come in either order.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/text.h"
#include "input/perf.h"
#include "input/simpleperf.h"
#include "input/tracefs.h"
#include "live/live.h"

enum {
	PIECE = 64 << 10,
	FORMATS_MOST = 1 << 16,
	/* Bytes of a name and of that of its system, which thousands may have: the
	 * kernel's are shorter. */
	NAME_MOST = 256,
	/* What a format takes for each byte of its text. */
	MEMORY_OF_BYTE = 2,
};

/* A text up to its NUL, which is passed over; "" where it has none. */
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

/* As many bytes of a file as there are; one that claims more leaves the cursor bad. */
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

/*
 * One format of a system. Of two with one number the first counts: an event names its
 * format by number, and it may have come already. What is not understood is left out;
 * -ENOMEM otherwise.
 */
static int add_format(struct input *in, const char *system, size_t system_size,
		      const char *text, size_t size)
{
	struct event_format format, *slot;
	uint32_t index = (uint32_t)in->rec.formats.count;
	struct text whole = { 0 };
	int err;

	if (index >= FORMATS_MOST)
		return 0;
	if (!budget_take_part(in->budget, BUDGET_NAMES, MEMORY_OF_BYTE * size)) {
		budget_refuse(in->budget, "formats of tracepoints", in->path);
		return 0;
	}
	err = event_format_parse(&in->formats, text, size, in->swapped, &format);
	if (err <= 0)
		return err;
	if (hash_map_get(&in->rec.format_of_id, format.id))
		return 0;
	text_printf(&whole, "%.*s:%s",
		    (int)(system_size < NAME_MOST ? system_size : NAME_MOST), system,
		    format.own_name);
	err = whole.failed ? -ENOMEM
			   : input_add_name(in, whole.bytes, whole.size, &format.name);
	text_release(&whole);
	if (err < 0)
		return -ENOMEM;
	slot = array_add(&in->rec.formats);
	if (!slot || !hash_map_set(&in->rec.format_of_id, format.id, index))
		return -ENOMEM;
	*slot = format;
	return 0;
}

int tracing_read(struct input *in, struct cursor c)
{
	static const char magic[] = "\x17\x08\x44tracing";
	const char *found = cursor_bytes(&c, sizeof(magic) - 1);
	int err = 0;

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
	for (uint32_t systems = cursor_u32(&c); systems > 0 && !c.bad; systems--) {
		const char *system = cut_text(&c);

		for (uint32_t n = cursor_u32(&c); n > 0 && !c.bad && err == 0; n--) {
			size_t size;
			const char *text = cut_file(&c, &size);

			if (text)
				err = add_format(in, system, strlen(system), text, size);
		}
		if (err < 0)
			return err;
	}
	return 0;
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

		err = window_at(ctx, &in->stream.window,
				(struct file_part){ start + all.size, want }, &p, &got);
		if (err < 0)
			break;
		text_add(&all, (const char *)p, got);
	} while (got > 0 && all.size < most && !all.failed);
	if (err == 0 &&
	    (all.failed || tracing_read(in, in_cursor(in, all.bytes, all.size)) < 0))
		err = fail_memory(ctx);
	text_release(&all);
	return err;
}

int tracepoint_read_live(struct context *ctx, struct input *in,
			 const struct live_opened *opened)
{
	struct context quiet = { 0 };
	struct tracefs_point point;
	char path[TRACEFS_PATH], *text;
	size_t size;
	int err;

	if (!(opened->attr.sample_type & PERF_SAMPLE_RAW) ||
	    !tracefs_point(opened, &point))
		return 0;
	tracefs_format(&point, path);
	err = tracefs_read(&quiet, path, &text, &size);
	if (err < 0) {
		warn(ctx, "'%s': its fields are not known: %s", opened->name,
		     quiet.error);
		return 0;
	}
	err = add_format(in, point.system, (size_t)point.system_size, text, size);
	free(text);
	return err < 0 ? fail_memory(ctx) : 0;
}

const struct event_format *recording_format(const struct recording *rec,
					    const struct event *event)
{
	const uint32_t *index = event->type == PERF_TYPE_TRACEPOINT
					? hash_map_get(&rec->format_of_id, event->config)
					: NULL;

	return index ? &rec->formats.v[*index] : NULL;
}
