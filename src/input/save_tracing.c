/*
 * TRACING_DATA: what trace-cmd writes before its data (its manual page
 * trace-cmd.dat(5)), with the formats of the events that are recorded only.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "input/save_feature.h"
#include "input/tracefs.h"
#include "live/live.h"

static bool same_system(const struct tracefs_point *a, const struct tracefs_point *b)
{
	return a->system_size == b->system_size &&
	       memcmp(a->system, b->system, (size_t)a->system_size) == 0;
}

/* "u64 size; the file" of one below events/. False where it cannot be read. */
static bool append_file(struct context *ctx, struct bytes *to, const char *below)
{
	struct context quiet = { 0 };
	char *text;
	size_t size;

	if (tracefs_read(&quiet, below, &text, &size) < 0) {
		warn(ctx,
		     "no tracing data in the saved recording, perf cannot read it: %s",
		     quiet.error);
		return false;
	}
	bytes_u64(to, size);
	bytes_add(to, text, size);
	free(text);
	return true;
}

static void append_text(struct bytes *to, const char *text)
{
	bytes_add(to, text, strlen(text) + 1);
}

static bool begins_system(const struct tracefs_point *points, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (same_system(&points[i], &points[at]))
			return false;
	return true;
}

/* False where a file cannot be read: what was added is of no use then. */
static bool append_all(struct context *ctx, struct bytes *to,
		       const struct tracefs_point *points, size_t count)
{
	static const uint8_t magic[] = { 0x17, 0x08, 0x44, 't', 'r',
					 'a',  'c',  'i',  'n', 'g' };
	uint32_t systems = 0;
	bool whole;

	bytes_add(to, magic, sizeof(magic));
	append_text(to, "0.6");
	bytes_u8(to, 0); /* little-endian, as every machine we are built for */
	bytes_u8(to, sizeof(long));
	bytes_u32(to, (uint32_t)sysconf(_SC_PAGESIZE));
	append_text(to, "header_page");
	whole = append_file(ctx, to, "header_page");
	append_text(to, "header_event");
	whole = whole && append_file(ctx, to, "header_event");
	bytes_u32(to, 0); /* formats of ftrace's own events */
	for (size_t i = 0; i < count; i++)
		systems += begins_system(points, i);
	bytes_u32(to, systems);
	/* "name NUL; u32 count; file[count]" of each. */
	for (size_t i = 0; i < count && whole; i++) {
		struct bytes formats = { 0 };
		uint32_t found = 0;

		if (!begins_system(points, i))
			continue;
		for (size_t k = i; k < count && whole; k++) {
			char path[TRACEFS_PATH];

			if (!same_system(&points[k], &points[i]))
				continue;
			tracefs_format(&points[k], path);
			whole = append_file(ctx, &formats, path);
			found++;
		}
		bytes_add(to, points[i].system, (size_t)points[i].system_size);
		bytes_u8(to, 0);
		bytes_u32(to, found);
		bytes_add(to, formats.v, formats.count);
		to->failed |= formats.failed;
		bytes_release(&formats);
	}
	bytes_u32(to, 0); /* bytes of kallsyms */
	bytes_u32(to, 0); /* of texts for printk */
	bytes_u64(to, 0); /* of names of processes */
	return whole;
}

void feature_tracing_data(struct context *ctx, const struct live_opened *events,
			  size_t count, struct bytes *to)
{
	struct tracefs_point *points = calloc(count ? count : 1, sizeof(*points));
	size_t found = 0, start = to->count;

	if (!points) {
		to->failed = true;
		return;
	}
	for (size_t i = 0; i < count; i++) {
		struct tracefs_point *new = &points[found];
		bool again = !tracefs_point(&events[i], new);

		for (size_t j = 0; j < found && !again; j++)
			again = same_system(&points[j], new) &&
				points[j].name_size ==
					new->name_size &&memcmp(
						points[j].name, new->name,
						(size_t) new->name_size) == 0;
		found += !again;
	}
	if (found && !append_all(ctx, to, points, found))
		to->count = start;
	free(points);
}
