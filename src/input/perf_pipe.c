/*
 * What perf writes to a pipe: a header of 16 bytes, then records only. Attributes,
 * names and features are records, too, and may come after others, so each of them is
 * taken up when it comes. perf inject and newer recorders put some of them into files.
 * Source: perf.data-file-format.txt, "Pipe-mode data", and perf's util/header.c
 * (perf_event__process_attr(), _feature(), _event_update()).
 */
#include <errno.h>

#include "input/perf.h"
#include "input/simpleperf.h"

enum { UPDATE_NAME = 2 /* PERF_EVENT_UPDATE__NAME */ };

bool is_perf_pipe(const uint8_t beginning[FILE_BEGINNING])
{
	uint64_t size = u64_at(beginning + 8);

	return (memcmp(beginning, PERF_MAGIC, 8) == 0 ||
		memcmp(beginning, PERF_MAGIC_SWAPPED, 8) == 0 ||
		memcmp(beginning, PERF_MAGIC_1, 8) == 0 ||
		memcmp(beginning, PERF_MAGIC_1_SWAPPED, 8) == 0) &&
	       (size == HEADER_PIPE || __builtin_bswap64(size) == HEADER_PIPE);
}

int pipe_open(struct context *ctx, struct input *in)
{
	struct record_source *source = array_add(&in->sources);

	if (!source)
		return fail_memory(ctx);
	*source = (struct record_source){ .file = in->file,
					  .start = HEADER_PIPE,
					  .end = in->file.size,
					  .packed = in->file.unpacker != NULL };
	in->pipe = true;
	return 0;
}

/* "attr[attr.size]; u64 ids[]": the ids begin where the attr says that it ends. */
static int read_attr_record(struct context *ctx, struct input *in, const uint8_t *p,
			    size_t size)
{
	struct cursor c = in_cursor(in, p, size);
	uint32_t attr_size;
	uint64_t id;
	int err;

	/* A pipe's only: a file has them in its header. */
	if (!in->pipe)
		return 0;
	cursor_u32(&c); /* type */
	attr_size = cursor_u32(&c);
	if (attr_size == 0)
		attr_size = PERF_ATTR_SIZE_VER0;
	c = in_cursor(in, p, size);
	if (attr_size < PERF_ATTR_SIZE_VER0 || !cursor_bytes(&c, attr_size) ||
	    in->rec.events.count >= EVENTS_MOST)
		return 0;
	err = event_add(ctx, in, p, attr_size);
	while (err == 0 && cursor_left(&c) >= 8) {
		id = cursor_u64(&c);
		if (!hash_map_set(&in->finder.by_id, id,
				  (uint32_t)in->rec.events.count - 1))
			err = fail_memory(ctx);
	}
	if (err == 0)
		event_finder_settle(in);
	return err;
}

/* "u64 config; char name[]", of old recorders. */
static int read_event_type(struct context *ctx, struct input *in, const uint8_t *p,
			   size_t size)
{
	struct cursor c = in_cursor(in, p, size);
	uint64_t config = cursor_u64(&c);

	if (c.bad || event_type_name(in, config, (const char *)c.p, cursor_left(&c)) == 0)
		return 0;
	return fail_memory(ctx);
}

/* "u64 what, id; ...": of these only the name matters. */
static int read_update(struct context *ctx, struct input *in, const uint8_t *p,
		       size_t size)
{
	struct cursor c = in_cursor(in, p, size);
	uint64_t what = cursor_u64(&c), id = cursor_u64(&c);
	const uint32_t *index = hash_map_get(&in->finder.by_id, id);
	const char *text = (const char *)c.p;

	if (c.bad || what != UPDATE_NAME || !index)
		return 0;
	if (intern_add(in->strings, text, strnlen(text, cursor_left(&c)),
		       &in->rec.events.v[*index].name) < 0)
		return fail_memory(ctx);
	return 0;
}

/* "u64 number of the feature; its section". */
static int read_feature_record(struct context *ctx, struct input *in, const uint8_t *p,
			       size_t size)
{
	struct cursor c = in_cursor(in, p, size);
	uint64_t bit = cursor_u64(&c);

	return c.bad ? 0 : feature_decode(ctx, in, bit, c.p, cursor_left(&c));
}

int meta_record(struct context *ctx, struct input *in, const struct raw_record *raw)
{
	static const struct {
		uint32_t type;
		int (*read)(struct context *ctx, struct input *in, const uint8_t *p,
			    size_t size);
	} kinds[] = {
		{ PERF_RECORD_HEADER_ATTR, read_attr_record },
		{ PERF_RECORD_HEADER_EVENT_TYPE, read_event_type },
		{ PERF_RECORD_EVENT_UPDATE, read_update },
		{ PERF_RECORD_HEADER_FEATURE, read_feature_record },
	};
	const uint8_t *p = raw->bytes + RECORD_HEAD;

	if (raw->head.type == PERF_RECORD_HEADER_BUILD_ID)
		return build_id_decode(in, raw->bytes, raw->head.size, raw->head.misc) < 0
			       ? fail_memory(ctx)
			       : 1;
	if (raw->head.type == PERF_RECORD_HEADER_TRACING_DATA && raw->behind) {
		int err = tracepoints_read(ctx, in, raw->behind);

		return err < 0 ? err : 1;
	}
	if (raw->head.type >= RECORD_SIMPLEPERF)
		return simpleperf_record(in, raw) < 0 ? fail_memory(ctx) : 1;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (kinds[i].type == raw->head.type) {
			int err = kinds[i].read(ctx, in, p, raw->head.size - RECORD_HEAD);

			return err < 0 ? err : 1;
		}
	return 0;
}
