/*
 * The header of a file says where all else is:
 *
 *	header | ids of events | attributes, each with the place of its ids | data | feature sections
 *
 * None of these places is trusted. What lies outside the file is said and costs only
 * itself, as long as samples can be read without it; a file that was cut or never
 * finished has its data up to its end. Versions 1 and 2 and both byte orders are told
 * by the magic number and by what sizes can be.
 *
 * Source: tools/perf/Documentation/perf.data-file-format.txt, perf's util/header.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cursor.h"
#include "input/perf.h"

enum {
	ATTR_SIZE_MOST = 4096,
	/* Bytes of ids: a packed file does not say how many it can have. */
	IDS_MOST = 64 << 20,
};

struct file_section {
	uint64_t offset, size;
};

static struct file_section cursor_section(struct cursor *c)
{
	struct file_section s = { cursor_u64(c), 0 };

	s.size = cursor_u64(c);
	return s;
}

static bool inside(const struct input *in, struct file_section s)
{
	return s.offset <= in->file.size && s.size <= in->file.size - s.offset;
}

/* Where an event has its ids. */
struct ids_of_event {
	struct file_section section;
	uint32_t event;
};

struct all_ids {
	ARRAY(struct ids_of_event) list;
};

/* By place in the file. Equal ones are ordered by event, so that the result does not
 * depend on qsort(3). */
static int compare_offsets(const void *a, const void *b)
{
	const struct ids_of_event *x = a, *y = b;

	if (x->section.offset != y->section.offset)
		return x->section.offset < y->section.offset ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

/*
 * The ids of the samples of each event. Without them all other events may still be told
 * apart, or there is one only. They are read in the order in which they lie in the
 * file, and forward only: a packed file would be decoded from its beginning for each
 * that is behind another. In an honest file ids do not overlap.
 */
static int read_all_ids(struct context *ctx, struct input *in, struct all_ids *all)
{
	const uint64_t most = in->file.size < IDS_MOST ? in->file.size : IDS_MOST;
	uint64_t ids[512], end = 0;

	if (all->list.count > 1)
		qsort(all->list.v, all->list.count, sizeof(*all->list.v),
		      compare_offsets);
	for (size_t i = 0; i < all->list.count; i++) {
		struct file_section s = all->list.v[i].section;
		uint32_t event = all->list.v[i].event;
		bool fits = inside(in, s) && s.size <= most - in->ids_size;
		size_t got, want;

		if ((s.offset < end || !fits) && in->ids_lost++ == 0)
			warn(ctx, "'%s': ids of event %u at " PRIoff " %s", in->file.path,
			     event, s.offset,
			     s.offset < end ? "are those of another"
					    : "lie outside the file");
		if (s.offset < end)
			continue;
		if (inside(in, s))
			end = s.offset + s.size;
		if (!fits)
			continue;
		in->ids_size += s.size;
		for (uint64_t done = 0; done + 8 <= s.size; done += got) {
			int err;

			want = s.size - done < sizeof(ids) ? (size_t)(s.size - done)
							   : sizeof(ids);
			err = file_read(ctx, &in->file,
					(struct file_part){ s.offset + done, want }, ids,
					&got);
			if (err < 0)
				return err;
			for (size_t k = 0; k < got / 8; k++)
				if (!hash_map_set(&in->finder.by_id,
						  in_u64(in, (const uint8_t *)&ids[k]),
						  event))
					return fail_memory(ctx);
			/* Of a packed file only reading tells where it ends. */
			if (got < want)
				break;
		}
	}
	return 0;
}

/* The attribute section: each entry is an attr, of the same size for all, and then
 * where its ids are. */
static int read_attrs(struct context *ctx, struct input *in, struct file_section s,
		      uint64_t stride)
{
	uint8_t bytes[ATTR_SIZE_MOST];
	struct all_ids all = { 0 };
	struct ids_of_event *ids;
	int err;

	if (stride < PERF_ATTR_SIZE_VER0 + HEADER_SECTION || stride > ATTR_SIZE_MOST)
		return fail(ctx, -EBADMSG,
			    "'%s': attributes of %" PRIu64 " bytes cannot be",
			    in->file.path, stride);
	if (!inside(in, s))
		return fail(ctx, -EBADMSG,
			    "'%s': attribute section at " PRIoff " of %" PRIu64
			    " bytes does not fit the file (%" PRIu64
			    " bytes): it was cut, or its header is damaged",
			    in->file.path, s.offset, s.size, in->file.size);
	if (s.size < stride || s.size / stride > EVENTS_MOST)
		return fail(ctx, -EBADMSG,
			    "'%s': attribute section at " PRIoff " of %" PRIu64
			    " bytes does not fit attributes of %" PRIu64,
			    in->file.path, s.offset, s.size, stride);
	for (uint32_t i = 0; i < s.size / stride; i++) {
		size_t got, size = (size_t)stride - HEADER_SECTION;
		struct file_section where;
		struct cursor c;

		err = file_read(
			ctx, &in->file,
			(struct file_part){ s.offset + i * stride, (size_t)stride },
			bytes, &got);
		if (err == 0 && got < stride)
			err = fail(ctx, -EBADMSG, "'%s': ends inside attribute %" PRIu32,
				   in->file.path, i);
		if (err == 0)
			err = event_add(ctx, in, bytes, size);
		if (err < 0)
			goto out;
		c = in_cursor(in, bytes + size, HEADER_SECTION);
		where = cursor_section(&c);
		if (where.size == 0)
			continue;
		ids = array_add(&all.list);
		if (!ids) {
			err = fail_memory(ctx);
			goto out;
		}
		*ids = (struct ids_of_event){ where, i };
	}
	err = read_all_ids(ctx, in, &all);
	if (err == 0)
		event_finder_settle(in);
out:
	array_release(&all.list);
	return err;
}

/* Data that was never finished, or of which the end is gone, goes to the file's end. */
static int settle_data(struct context *ctx, struct input *in, struct file_section data)
{
	struct record_source *source = array_add(&in->sources);
	bool unknown = in->file.size == UINT64_MAX;

	if (!source)
		return fail_memory(ctx);
	if (data.offset > in->file.size)
		return fail(ctx, -EBADMSG,
			    "'%s': data at " PRIoff " lies outside the file",
			    in->file.path, data.offset);
	in->whole = data.size > 0 && data.size <= in->file.size - data.offset;
	*source = (struct record_source){ .file = in->file, .start = data.offset };
	source->end = in->whole ? data.offset + data.size : in->file.size;
	source->packed = in->file.unpacker != NULL;
	if (data.size == 0 && (unknown || in->file.size > data.offset))
		return note_damage(
			ctx, in, in->file.size,
			"the recording was not finished: perf did not come to its end");
	if (!in->whole && data.size > 0)
		return note_damage(ctx, in, in->file.size,
				   "the end of the file is missing");
	return 0;
}

/* Names of version 1: "u64 config; char name[64]". */
static int read_event_types(struct context *ctx, struct input *in, struct file_section s)
{
	enum { ENTRY = 72 };
	uint8_t bytes[ENTRY];

	if (!inside(in, s))
		return 0;
	for (uint64_t i = 0; i < s.size / ENTRY; i++) {
		size_t got;
		int err = file_read(ctx, &in->file,
				    (struct file_part){ s.offset + i * ENTRY, ENTRY },
				    bytes, &got);

		if (err < 0)
			return err;
		if (got < ENTRY)
			return 0;
		err = event_type_name(in, in_u64(in, bytes), (const char *)bytes + 8, 64);
		if (err < 0)
			return fail_memory(ctx);
	}
	return 0;
}

/*
 * Version 2 tells its byte order by its magic; version 1 by what its attribute size can
 * be (header.c of perf, try_all_file_abis()).
 */
static bool is_swapped(const uint8_t *bytes)
{
	static const uint64_t sizes[] = { 64, 72, 80, 96, 104 };
	uint64_t size = __builtin_bswap64(u64_at(bytes + 16));

	if (memcmp(bytes, PERF_MAGIC_SWAPPED, 8) == 0 ||
	    memcmp(bytes, PERF_MAGIC_1_SWAPPED, 8) == 0)
		return true;
	if (memcmp(bytes, PERF_MAGIC, 8) == 0)
		return false;
	if (u64_at(bytes + 8) != HEADER_PIPE &&
	    __builtin_bswap64(u64_at(bytes + 8)) == HEADER_PIPE)
		return true;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		if (size == sizes[i] + HEADER_SECTION)
			return true;
	return false;
}

/*
 * Which features there are. That of HOSTNAME is set in every file of perf's, so a file
 * in which it is not has its bits elsewhere (perf's header.c,
 * perf_file_header__read()).
 */
static void read_feature_bits(struct input *in, struct cursor *c, const uint8_t *bits)
{
	for (int i = 0; i < FEATURE_WORDS; i++)
		in->features[i] = cursor_u64(c);
	if (!in->swapped || in->features[0] >> FEATURE_HOSTNAME & 1)
		return;
	/* 32-bit machines wrote the bits in words of their own. */
	for (int i = 0; i < FEATURE_WORDS; i++)
		in->features[i] = __builtin_bswap32(u32_at(bits + 8 * i)) |
				  (uint64_t)__builtin_bswap32(u32_at(bits + 8 * i + 4))
					  << 32;
	if (in->features[0] >> FEATURE_HOSTNAME & 1)
		return;
	memset(in->features + 1, 0, sizeof(in->features) - sizeof(in->features[0]));
	in->features[0] = in->features[0] & 1u << FEATURE_BUILD_ID;
}

int perf_file_open(struct context *ctx, struct input *in)
{
	uint8_t bytes[HEADER_FULL] = { 0 };
	struct file_section attrs, data, types;
	uint64_t size, attr_size;
	struct cursor c;
	size_t got;
	int err;

	err = file_read(ctx, &in->file,
			(struct file_part){ 0, in->file.pipe ? (size_t)FILE_BEGINNING
							     : sizeof(bytes) },
			bytes, &got);
	if (err < 0)
		return err;
	in->swapped = in->rec.big_endian = is_swapped(bytes);
	c = in_cursor(in, bytes, got);
	cursor_u64(&c); /* magic */
	size = cursor_u64(&c);
	if (size == HEADER_PIPE)
		return pipe_open(ctx, in);
	attr_size = cursor_u64(&c);
	attrs = cursor_section(&c);
	data = cursor_section(&c);
	types = cursor_section(&c);
	if (got == 0)
		return fail(ctx, -ENODATA, "'%s' is empty", in->file.path);
	if (got >= HEADER_PIPE && size != HEADER_FULL && size != HEADER_WITHOUT_FEATURES)
		return fail(ctx, -EBADMSG, "'%s': header of %" PRIu64 " bytes cannot be",
			    in->file.path, size);
	if (c.bad)
		return fail(ctx, -EBADMSG,
			    "'%s' ends inside its header (%zu bytes): it was cut",
			    in->file.path, got);
	if (size == HEADER_FULL)
		read_feature_bits(in, &c, bytes + HEADER_WITHOUT_FEATURES);
	err = read_attrs(ctx, in, attrs, attr_size);
	if (err == 0)
		err = read_event_types(ctx, in, types);
	return err < 0 ? err : settle_data(ctx, in, data);
}
