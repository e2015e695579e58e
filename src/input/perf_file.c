#include <errno.h>
#include <inttypes.h>

#include "base/cursor.h"
#include "input/perf.h"

/* struct perf_file_header: what stands where. */
enum {
	HEADER_FULL = 104,
	HEADER_WITHOUT_FEATURES = 72, /* of the first versions */
	HEADER_PIPE = 16,
	SECTION = 16, /* u64 offset, size */
	ATTRS_MOST = 1 << 16, /* events; perf itself stops long before */
	ATTR_SIZE_MOST = 4096,
};

struct section {
	uint64_t offset, size;
};

static struct section read_section(struct cursor *c)
{
	struct section s = { cursor_u64(c), 0 };

	s.size = cursor_u64(c);
	return s;
}

static bool inside(const struct input *in, struct section s)
{
	return s.offset <= in->file.size && s.size <= in->file.size - s.offset;
}

/* The ids of the samples of one event. */
static int read_ids(struct context *ctx, struct input *in, struct section s, size_t event)
{
	uint64_t ids[512];
	size_t got;
	int err;

	/* In an honest file ids do not overlap; else a small file could claim many. */
	in->ids_size += s.size;
	if (!inside(in, s) || s.size % 8 || in->ids_size > in->file.size)
		return fail(ctx, -EBADMSG,
			    "'%s': ids of event %zu at " PRIoff " lie outside the file",
			    in->file.path, event, s.offset);
	for (uint64_t done = 0; done < s.size; done += got) {
		size_t want = s.size - done < sizeof(ids) ? (size_t)(s.size - done)
							  : sizeof(ids);

		err = file_read(ctx, &in->file, s.offset + done, ids, want, &got);
		if (err < 0)
			return err;
		if (got < want)
			return fail(ctx, -EBADMSG, "'%s': ends inside the ids at " PRIoff,
				    in->file.path, s.offset);
		for (size_t i = 0; i < got / 8; i++)
			if (!hash_map_set(&in->finder.by_id, ids[i], (uint32_t)event))
				return fail_memory(ctx);
	}
	return 0;
}

/* One entry of the attribute section: an attr of any size, then where its ids are. */
static int read_attr(struct context *ctx, struct input *in, const uint8_t *bytes,
		     size_t size)
{
	struct cursor ids = cursor_of(bytes + size - SECTION, SECTION);
	struct event *event = array_add(&in->rec.events);
	struct layout *layout = array_add(&in->layouts);

	if (!event || !layout)
		return fail_memory(ctx);
	attr_decode(bytes, size - SECTION, event, layout);
	if (event->flags & ATTR_COMM_EXEC)
		in->rec.comm_exec = true;
	return read_ids(ctx, in, read_section(&ids), in->rec.events.count - 1);
}

static int read_attrs(struct context *ctx, struct input *in, struct section s,
		      uint64_t stride)
{
	uint8_t bytes[ATTR_SIZE_MOST];
	size_t got;
	int err;

	if (stride < ATTR_SIZE_MIN + SECTION || stride > sizeof(bytes))
		return fail(ctx, -EBADMSG,
			    "'%s': attributes of %" PRIu64 " bytes cannot be",
			    in->file.path, stride);
	if (!inside(in, s) || s.size < stride || s.size / stride > ATTRS_MOST)
		return fail(ctx, -EBADMSG,
			    "'%s': attribute section at " PRIoff " of %" PRIu64
			    " bytes does not fit the file",
			    in->file.path, s.offset, s.size);
	for (uint64_t i = 0; i < s.size / stride; i++) {
		err = file_read(ctx, &in->file, s.offset + i * stride, bytes,
				(size_t)stride, &got);
		if (err < 0)
			return err;
		if (got < stride)
			return fail(ctx, -EBADMSG, "'%s': ends inside attribute %" PRIu64,
				    in->file.path, i);
		err = read_attr(ctx, in, bytes, (size_t)stride);
		if (err < 0)
			return err;
	}
	event_finder_settle(in);
	return 0;
}

/* Data that was never finished, or of which the end is gone, goes to the file's end. */
static int settle_data(struct context *ctx, struct input *in, struct section data,
		       bool *whole)
{
	if (data.offset > in->file.size)
		return fail(ctx, -EBADMSG,
			    "'%s': data at " PRIoff " lies outside the file",
			    in->file.path, data.offset);
	in->data_start = in->position = data.offset;
	*whole = data.size > 0 && data.size <= in->file.size - data.offset;
	in->data_end = *whole ? data.offset + data.size : in->file.size;
	if (data.size == 0 && in->file.size > data.offset)
		return note_damage(
			ctx, in, in->file.size,
			"the recording was not finished: perf did not come to its end");
	if (!*whole && data.size > 0)
		return note_damage(ctx, in, in->file.size,
				   "the end of the file is missing");
	return 0;
}

static int name_events(struct context *ctx, struct input *in)
{
	for (size_t i = 0; i < in->rec.events.count; i++)
		if (!in->rec.events.v[i].name && event_name(in, &in->rec.events.v[i]) < 0)
			return fail_memory(ctx);
	return 0;
}

int perf_file_open(struct context *ctx, struct input *in)
{
	uint8_t bytes[HEADER_FULL] = { 0 };
	uint64_t features[4] = { 0 };
	struct section attrs, data;
	uint64_t size, attr_size;
	struct cursor c;
	bool whole;
	size_t got;
	int err;

	err = file_read(ctx, &in->file, 0, bytes, sizeof(bytes), &got);
	if (err < 0)
		return err;
	c = cursor_of(bytes, got);
	cursor_u64(&c); /* magic */
	size = cursor_u64(&c);
	if (size == HEADER_PIPE)
		return fail(ctx, -EOPNOTSUPP,
			    "'%s': written by perf to a pipe, which this version does "
			    "not read",
			    in->file.path);
	attr_size = cursor_u64(&c);
	attrs = read_section(&c);
	data = read_section(&c);
	read_section(&c); /* event types, of version 1 */
	if (c.bad || (size != HEADER_FULL && size != HEADER_WITHOUT_FEATURES))
		return fail(ctx, -EBADMSG, "'%s': header of %" PRIu64 " bytes cannot be",
			    in->file.path, size);
	if (size == HEADER_FULL)
		for (int i = 0; i < 4; i++)
			features[i] = cursor_u64(&c);
	err = read_attrs(ctx, in, attrs, attr_size);
	if (err == 0)
		err = settle_data(ctx, in, data, &whole);
	/* Without its end the file has no features, whatever its header says. */
	if (err == 0 && whole)
		err = features_read(ctx, in, features);
	return err < 0 ? err : name_events(ctx, in);
}
