/*
 * Everything whose size is known when recording begins is written then; the rest is
 * gathered in memory and goes behind the records. Ids that events got later (a
 * processor came, events were opened anew) have no room at the beginning: they are
 * written at the end, and the attributes, whose size does not change, are written again
 * and point there.
 *
 * Source: tools/perf/Documentation/perf.data-file-format.txt; what perf accepts of it
 * is in its util/header.c.
 */
#include "input/save.h"

#include <assert.h>
#include <stdlib.h>
#include <time.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "input/record.h"
#include "input/save_feature.h"
#include "input/save_file.h"
#include "input/save_sample.h"
#include "input/save_state.h"
#include "live/live.h"

enum {
	FLUSHED_NS = 1000000000,
};

struct save {
	struct save_file file;
	const struct live_opened *events;
	size_t count;
	struct perf_event_attr *attrs; /* by event, as the file has them */
	enum save_stacks stacks;
	struct hash_map by_id;
	uint32_t attr_size; /* in the file */
	uint64_t attrs_at, data_at; /* offsets in the file */
	bool more_ids; /* than stand at its beginning */
	uint64_t flushed; /* ns, when */
	uint64_t first_time, last_time; /* of samples; UINT64_MAX, 0: none */
	struct bytes features[FEATURE_END];
	bool goes_on; /* another file may follow */
	struct save_state state; /* for that */
};

static uint64_t clock_time(clockid_t clock)
{
	struct timespec t = { 0 };

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Several events may share a ring: a sample says by its id which of them it is of. */
static bool add_by_id(struct save *s)
{
	for (size_t i = 0; i < s->count; i++)
		for (size_t j = 0; j < s->events[i].id_count; j++)
			if (!hash_map_set(&s->by_id, s->events[i].ids[j], (uint32_t)i))
				return false;
	return true;
}

/* Attributes as the file has them. They are cut behind the last byte of any that is not
 * 0: perf refuses longer ones than its own, and old ones of it have 112 bytes. */
static bool make_attrs(struct save *s)
{
	size_t size = PERF_ATTR_SIZE_VER5;

	s->attrs = calloc(s->count, sizeof(*s->attrs));
	if (!s->attrs)
		return false;
	for (size_t i = 0; i < s->count; i++) {
		s->attrs[i] = s->events[i].attr;
		if (s->stacks == SAVE_CALLERS && save_sample_shrinks(&s->attrs[i]))
			save_sample_attr(&s->attrs[i], s->events[i].is_probe);
		for (size_t at = size; at < sizeof(s->attrs[i]); at++)
			if (((const uint8_t *)&s->attrs[i])[at])
				size = at + 1;
	}
	s->attr_size = (uint32_t)((size + 7) & ~(size_t)7);
	for (size_t i = 0; i < s->count; i++)
		s->attrs[i].size = s->attr_size;
	return add_by_id(s);
}

/* What is known before the first record. */
static void note_features(struct context *ctx, struct save *s,
			  const struct save_options *options)
{
	struct bytes *features = s->features, *clock = &features[FEATURE_CLOCK_DATA];
	const struct perf_event_attr *attr = &s->attrs[0];
	struct timespec resolution;

	feature_hostname(&features[FEATURE_HOSTNAME]);
	feature_osrelease(&features[FEATURE_OSRELEASE]);
	feature_arch(&features[FEATURE_ARCH]);
	feature_nrcpus(&features[FEATURE_NRCPUS]);
	feature_cpudesc(&features[FEATURE_CPUDESC]);
	feature_total_mem(&features[FEATURE_TOTAL_MEM]);
	feature_cmdline(&features[FEATURE_CMDLINE], options->command,
			options->command_count);
	if (options->recorder)
		feature_string(&features[FEATURE_VERSION], options->recorder);
	feature_tracing_data(ctx, s->events, s->count, &features[FEATURE_TRACING_DATA]);
	if (!attr->use_clockid || clock_getres(attr->clockid, &resolution) < 0)
		return;
	bytes_u64(&features[FEATURE_CLOCKID], (uint64_t)resolution.tv_nsec);
	bytes_u32(clock, 1); /* version */
	bytes_u32(clock, (uint32_t)attr->clockid);
	bytes_u64(clock, clock_time(CLOCK_REALTIME));
	bytes_u64(clock, clock_time(attr->clockid));
}

static void append_section(struct bytes *to, uint64_t offset, uint64_t size)
{
	bytes_u64(to, offset);
	bytes_u64(to, size);
}

/* @data_size 0: the end is not known. */
static void append_header(const struct save *s, uint64_t data_size,
			  const uint64_t features[FEATURE_WORDS], struct bytes *to)
{
	uint64_t entry = s->attr_size + HEADER_SECTION;

	bytes_add(to, PERF_MAGIC, 8);
	bytes_u64(to, HEADER_FULL);
	bytes_u64(to, entry);
	append_section(to, s->attrs_at, entry * s->count);
	append_section(to, s->data_at, data_size);
	append_section(to, 0, 0); /* event types, of the first version */
	for (int i = 0; i < FEATURE_WORDS; i++)
		bytes_u64(to, features[i]);
}

static void append_ids(const struct save *s, struct bytes *to)
{
	for (size_t i = 0; i < s->count; i++)
		bytes_add(to, s->events[i].ids, 8 * s->events[i].id_count);
}

/* @ids: where those stand in the file. */
static void append_attrs(const struct save *s, uint64_t ids, struct bytes *to)
{
	for (size_t i = 0; i < s->count; i++) {
		bytes_add(to, &s->attrs[i], s->attr_size);
		append_section(to, ids, 8 * s->events[i].id_count);
		ids += 8 * s->events[i].id_count;
	}
}

/* Behind all else. The bytes are released. */
static int write_plain(struct context *ctx, struct save *s, struct bytes *bytes)
{
	int err = bytes->failed ? fail_memory(ctx)
				: save_file_plain(ctx, &s->file, bytes->v, bytes->count);

	bytes_release(bytes);
	return err;
}

/* Over what was written at @offset. */
static int write_over(struct context *ctx, struct save *s, uint64_t offset,
		      const struct bytes *bytes)
{
	return bytes->failed
		       ? fail_memory(ctx)
		       : save_file_at(ctx, &s->file, offset, bytes->v, bytes->count);
}

int save_open(struct context *ctx, const struct live_opened *events, size_t count,
	      const struct save_options *options, struct save **ret)
{
	static const uint64_t no_features[FEATURE_WORDS];
	struct save *s = calloc(1, sizeof(*s)), *before = options->before;
	struct bytes beginning = { 0 };
	const uint8_t *bytes;
	size_t size;
	int err;

	assert(count > 0);
	if (!s)
		return fail_memory(ctx);
	s->events = events;
	s->count = count;
	s->first_time = UINT64_MAX;
	s->flushed = clock_time(CLOCK_MONOTONIC);
	s->stacks = options->stacks;
	s->goes_on = options->goes_on;
	err = make_attrs(s) ? save_file_open(ctx, options->path, options->level, &s->file)
			    : fail_memory(ctx);
	if (err == 0) {
		note_features(ctx, s, options);
		s->attrs_at = HEADER_FULL;
		for (size_t i = 0; i < count; i++)
			s->attrs_at += 8 * events[i].id_count;
		s->data_at = s->attrs_at + count * (s->attr_size + HEADER_SECTION);
		/* A size of 0: the end is not known. */
		append_header(s, 0, no_features, &beginning);
		append_ids(s, &beginning);
		append_attrs(s, HEADER_FULL, &beginning);
		err = write_plain(ctx, s, &beginning);
	}
	/* The state of the file before becomes this one's, and its first records. */
	if (err == 0 && before) {
		s->state = before->state;
		before->state = (struct save_state){ 0 };
		if (save_state_forget(&s->state) < 0)
			err = fail_memory(ctx);
	}
	bytes = s->state.records.v;
	for (size_t at = 0; at < s->state.records.count && err == 0; at += size) {
		struct perf_event_header head;

		memcpy(&head, bytes + at, sizeof(head));
		size = head.size;
		err = save_file_add(ctx, &s->file, bytes + at, size);
	}
	if (err < 0)
		save_free(s);
	else
		*ret = s;
	return err;
}

int save_record(struct context *ctx, struct save *s, const uint8_t *bytes, uint32_t size)
{
	assert(size <= SAVED_MOST);
	if (s->goes_on)
		save_state_add(&s->state, bytes, size);
	return save_file_add(ctx, &s->file, bytes, size);
}

int save_threads(struct context *ctx, struct save *s, const uint32_t *tids, size_t count,
		 uint16_t misc)
{
	struct {
		struct perf_event_header head;
		uint64_t count;
		struct {
			uint64_t tid;
			char comm[16];
		} threads[SAVE_THREADS_MOST];
	} map = { .count = count };
	size_t size = offsetof(__typeof__(map), threads) + count * sizeof(*map.threads);

	assert(count <= SAVE_THREADS_MOST);
	map.head = (struct perf_event_header){ .type = PERF_RECORD_THREAD_MAP,
					       .misc = misc,
					       .size = (uint16_t)size };
	for (size_t i = 0; i < count; i++)
		map.threads[i].tid = tids[i];
	return save_file_add(ctx, &s->file, &map, size);
}

int save_add_ids(struct context *ctx, struct save *s)
{
	s->more_ids = true;
	return add_by_id(s) ? 0 : fail_memory(ctx);
}

int save_sample(struct context *ctx, struct save *s, const uint8_t *bytes, uint32_t size,
		const struct save_found *found)
{
	/* By LIVE_SAMPLE_TYPE the id comes first. */
	enum { ID = RECORD_HEAD };
	const uint32_t *event = NULL;
	const struct perf_event_attr *attr;
	struct save_found with = *found;
	uint64_t id, time;
	uint8_t *to;
	size_t used;

	assert(size <= SAVED_MOST);
	if (size >= ID + sizeof(id)) {
		memcpy(&id, bytes + ID, sizeof(id));
		event = hash_map_get(&s->by_id, id);
	}
	if (size >= LIVE_SAMPLE_TIME + sizeof(time)) {
		memcpy(&time, bytes + LIVE_SAMPLE_TIME, sizeof(time));
		if (time < s->first_time)
			s->first_time = time;
		if (time > s->last_time)
			s->last_time = time;
	}
	attr = event ? &s->events[*event].attr : NULL;
	if (!attr || s->stacks == SAVE_RECORDED || !save_sample_shrinks(attr))
		return save_file_add(ctx, &s->file, bytes, size);
	/* Written into room for all of it; what is not needed is given back. */
	to = save_file_room(ctx, &s->file, size);
	if (!to)
		return s->file.failed;
	with.keeps_registers = s->events[*event].is_probe;
	used = s->stacks == SAVE_UNWOUND
		       ? save_sample_unwound(attr, bytes, size, &with, to)
		       : save_sample_shrink(attr, bytes, size, &with, to);
	save_file_return(&s->file, size - used);
	return 0;
}

/* A round is at least as long as what is gathered, else a second: the more of them the
 * worse it packs. */
int save_end_round(struct context *ctx, struct save *s)
{
	const struct perf_event_header round = { .type = PERF_RECORD_FINISHED_ROUND,
						 .size = sizeof(round) };
	uint64_t time = clock_time(CLOCK_MONOTONIC);

	if (s->file.failed)
		return save_file_flush(ctx, &s->file);
	if (s->file.count < GATHERED / 2 && time - s->flushed < FLUSHED_NS)
		return 0;
	s->flushed = time;
	return save_file_plain(ctx, &s->file, &round, sizeof(round));
}

int save_build_id(struct context *ctx, struct save *s, const struct save_object *object)
{
	struct bytes *to = &s->features[FEATURE_BUILD_ID];

	feature_build_id(to, object);
	return to->failed ? fail_memory(ctx) : 0;
}

/* Their table, then their bytes. Features are the bits of those that are there. */
static int write_features(struct context *ctx, struct save *s, uint64_t *features)
{
	struct bytes table = { 0 }, bytes = { 0 };
	uint64_t at = s->file.size;
	bool branches = false;

	for (size_t i = 0; i < s->count; i++)
		branches |= (s->attrs[i].sample_type & PERF_SAMPLE_BRANCH_STACK) != 0;
	for (int bit = 0; bit < FEATURE_END; bit++)
		/* That of branch stacks has no bytes: its bit says all. */
		if (s->features[bit].count > 0 || s->features[bit].failed ||
		    (bit == FEATURE_BRANCH_STACK && branches)) {
			*features |= (uint64_t)1 << bit;
			at += HEADER_SECTION;
		}
	for (int bit = 0; bit < FEATURE_END; bit++) {
		const struct bytes *f = &s->features[bit];

		if (!(*features >> bit & 1))
			continue;
		append_section(&table, at + bytes.count, f->count);
		bytes_add(&bytes, f->v, f->count);
		bytes.failed |= f->failed;
	}
	bytes_add(&table, bytes.v, bytes.count);
	table.failed |= bytes.failed;
	bytes_release(&bytes);
	return write_plain(ctx, s, &table);
}

int save_finish(struct context *ctx, struct save *s)
{
	struct bytes *events = &s->features[FEATURE_EVENT_DESC];
	struct bytes *packing = &s->features[FEATURE_COMPRESSED];
	struct bytes *times = &s->features[FEATURE_SAMPLE_TIME];
	uint64_t features[FEATURE_WORDS] = { 0 }, end, packed;
	struct bytes header = { 0 }, ids = { 0 }, attrs = { 0 };
	int err = save_file_flush(ctx, &s->file);

	if (err < 0)
		return err;
	end = s->file.size;
	/* What is known behind the last record. */
	bytes_u32(events, (uint32_t)s->count);
	bytes_u32(events, s->attr_size);
	for (size_t i = 0; i < s->count; i++) {
		bytes_add(events, &s->attrs[i], s->attr_size);
		bytes_u32(events, (uint32_t)s->events[i].id_count);
		feature_string(events, s->events[i].name);
		bytes_add(events, s->events[i].ids, 8 * s->events[i].id_count);
	}
	packed = s->file.compressed;
	if (s->file.zstd) {
		bytes_u32(packing, 1); /* version */
		bytes_u32(packing, 1); /* zstd */
		bytes_u32(packing, (uint32_t)s->file.level);
		bytes_u32(packing, packed ? (uint32_t)(s->file.raw / packed) : 1);
		bytes_u32(packing, UNPACKED_MOST);
	}
	if (s->first_time != UINT64_MAX) {
		bytes_u64(times, s->first_time);
		bytes_u64(times, s->last_time);
	}
	err = write_features(ctx, s, features);
	/* At the beginning is room only for the ids there were; attributes point to
	 * these. */
	if (err == 0 && s->more_ids) {
		append_ids(s, &ids);
		append_attrs(s, s->file.size, &attrs);
		err = write_plain(ctx, s, &ids);
		if (err == 0)
			err = write_over(ctx, s, s->attrs_at, &attrs);
	}
	append_header(s, end - s->data_at, features, &header);
	if (err == 0)
		err = write_over(ctx, s, 0, &header);
	bytes_release(&attrs);
	bytes_release(&header);
	return err < 0 ? err : save_file_close(ctx, &s->file);
}

void save_free(struct save *s)
{
	if (!s)
		return;
	save_file_release(&s->file);
	for (int i = 0; i < FEATURE_END; i++)
		bytes_release(&s->features[i]);
	hash_map_release(&s->by_id);
	save_state_release(&s->state);
	free(s->attrs);
	free(s);
}
