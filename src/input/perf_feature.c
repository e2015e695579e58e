/*
 * Feature sections tell of the machine and the recorder: strings, events, build ids. In
 * a file they lie behind the data in the order of their bits, as a table of places and
 * then their bytes; in a pipe each is a record. A table has a reader for each that is
 * of use; a reader gets a cursor over the section's bytes and leaves it bad where they
 * end too early. What is wrong with one is said and costs only that one.
 *
 * Source: tools/perf/Documentation/perf.data-file-format.txt, HEADER_*; simpleperf's
 * are in simpleperf.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "base/text.h"
#include "input/perf.h"
#include "input/simpleperf.h"

enum {
	FEATURES = 64 * FEATURE_WORDS,
	FEATURE_MOST = 64 << 20, /* bytes of a section that is read */
	/* Bytes of a build id with room and the indexes of it. */
	BUILD_ID_MEMORY = 2 * sizeof(struct known_build_id) + 64,
};

/* "u32 length; char text[length]", padded, with a NUL inside. */
static int read_string(struct input *in, struct cursor *c, uint32_t *ret)
{
	uint32_t length = cursor_u32(c);
	size_t size;
	const char *text = cursor_text(c, length, &size);

	return c->bad ? 0 : input_add_name(in, text, size, ret);
}

static int read_hostname(struct input *in, struct cursor *c)
{
	return read_string(in, c, &in->rec.host);
}

static int read_osrelease(struct input *in, struct cursor *c)
{
	return read_string(in, c, &in->rec.kernel);
}

static int read_version(struct input *in, struct cursor *c)
{
	return read_string(in, c, &in->rec.recorder);
}

static int read_arch(struct input *in, struct cursor *c)
{
	return read_string(in, c, &in->rec.arch);
}

static int read_cpudesc(struct input *in, struct cursor *c)
{
	return read_string(in, c, &in->rec.cpu);
}

static int read_nrcpus(struct input *in, struct cursor *c)
{
	/* Available ones come first, whatever the documentation says. */
	in->rec.processors_there = cursor_u32(c);
	in->rec.processors = cursor_u32(c);
	return 0;
}

/* "u32 count; string[count]": the words, with a blank between them. */
static int read_cmdline(struct input *in, struct cursor *c)
{
	struct text line = { 0 };
	int err = -ENOMEM;

	for (uint32_t n = cursor_u32(c); n > 0 && !c->bad; n--) {
		uint32_t length = cursor_u32(c);
		size_t size;
		const char *word = cursor_text(c, length, &size);

		if (c->bad)
			break;
		if (line.size)
			text_char(&line, ' ');
		text_add(&line, word, size);
	}
	if (!line.failed)
		err = input_add_name(in, line.size ? line.bytes : "", line.size,
				     &in->rec.command);
	text_release(&line);
	return err;
}

/* Each event's name, in the order of the attributes. A pipe may tell names before the
 * events. */
static int read_event_desc(struct input *in, struct cursor *c)
{
	uint32_t count = cursor_u32(c), attr_size = cursor_u32(c);

	for (uint32_t i = 0; i < count && !c->bad; i++) {
		uint32_t ids, name = 0, *slot;

		cursor_bytes(c, attr_size);
		ids = cursor_u32(c);
		if (read_string(in, c, &name) < 0)
			return -ENOMEM;
		cursor_bytes(c, 8 * (size_t)ids);
		if (c->bad)
			return 0;
		if (i < in->rec.events.count)
			in->rec.events.v[i].name = name;
		if (!in->pipe || i != in->described.count || i >= EVENTS_MOST)
			continue;
		slot = array_add(&in->described);
		if (!slot)
			return -ENOMEM;
		*slot = name;
	}
	return 0;
}

/* "u32 count; {u32 type; name}[count]" */
static int read_pmu_mappings(struct input *in, struct cursor *c)
{
	enum { COUNTERS_MOST = 1024 };

	for (uint32_t n = cursor_u32(c); n > 0 && !c->bad; n--) {
		struct counters kind = { .type = cursor_u32(c) }, *slot;
		int err = read_string(in, c, &kind.name);

		if (err < 0 || c->bad || in->counters.count >= COUNTERS_MOST)
			return err;
		slot = array_add(&in->counters);
		if (!slot)
			return -ENOMEM;
		*slot = kind;
	}
	return 0;
}

/* "u32 version; u32 clockid; u64 time of day; u64 time of that clock" */
static int read_clock_data(struct input *in, struct cursor *c)
{
	cursor_u32(c);
	in->rec.day_clock = (int32_t)cursor_u32(c);
	in->rec.day_time = cursor_u64(c);
	in->rec.clock_time = cursor_u64(c);
	return 0;
}

/* Only for recordings whose samples have no time of their own. */
static int read_sample_time(struct input *in, struct cursor *c)
{
	if (in->timed)
		return 0;
	in->rec.first_time = cursor_u64(c);
	in->rec.last_time = cursor_u64(c);
	return 0;
}

/*
 * "record head; i32 pid; u8 id[20]; u8 size; u8 reserved[3]; char path[]". Before
 * perf a1645ce1 there was no pid: then the path seems to begin 4 bytes late.
 */
static int keep_build_id(struct input *in, const uint8_t *p, size_t size, uint16_t misc,
			 bool without_pid)
{
	size_t skip = without_pid ? 8 : 12;
	struct known_build_id *known;
	size_t name;

	if (size < skip + 24)
		return 0;
	if (!budget_take_part(in->budget, BUDGET_NAMES, BUILD_ID_MEMORY)) {
		budget_refuse(in->budget, "build ids", in->path);
		return 0;
	}
	known = array_add(&in->rec.build_ids);
	if (!known)
		return -ENOMEM;
	known->mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;
	known->size = misc & MISC_BUILD_ID_SIZE ? p[skip + BUILD_ID_MAX] : BUILD_ID_MAX;
	if (known->size > BUILD_ID_MAX)
		known->size = BUILD_ID_MAX;
	memcpy(known->id, p + skip, BUILD_ID_MAX);
	name = strnlen((const char *)p + skip + 24, size - skip - 24);
	return input_add_name(in, (const char *)p + skip + 24, name, &known->path);
}

int build_id_decode(struct input *in, const uint8_t *p, size_t size, uint16_t misc)
{
	return keep_build_id(in, p, size, misc, false);
}

/* Records of build ids up to the end of the section. One whose size cannot be ends the
 * list: nobody knows where the next one begins. */
static int read_build_ids(struct input *in, struct cursor *c)
{
	static const char cut[] = "nel.kallsyms]";
	bool without_pid = false;

	while (cursor_left(c) >= RECORD_HEAD) {
		struct cursor head = *c;
		uint16_t misc, size;
		const uint8_t *p;
		int err;

		cursor_u32(&head); /* type */
		misc = cursor_u16(&head);
		size = cursor_u16(&head);
		if (size < RECORD_HEAD)
			return 0;
		p = cursor_bytes(c, size);
		if (!p)
			return 0;
		/* The kernel's is the first one, and its path tells what is before it. */
		without_pid |=
			size >= 36 + sizeof(cut) && memcmp(p + 36, cut, sizeof(cut)) == 0;
		err = keep_build_id(in, p, size, misc, without_pid);
		if (err < 0)
			return err;
	}
	return 0;
}

static int read_tracing_feature(struct input *in, struct cursor *c)
{
	return tracing_read(in, *c);
}

static int (*const readers[FEATURES])(struct input *in, struct cursor *c) = {
	[FEATURE_TRACING_DATA] = read_tracing_feature,
	[FEATURE_BUILD_ID] = read_build_ids,
	[FEATURE_HOSTNAME] = read_hostname,
	[FEATURE_OSRELEASE] = read_osrelease,
	[FEATURE_VERSION] = read_version,
	[FEATURE_ARCH] = read_arch,
	[FEATURE_NRCPUS] = read_nrcpus,
	[FEATURE_CPUDESC] = read_cpudesc,
	[FEATURE_CMDLINE] = read_cmdline,
	[FEATURE_EVENT_DESC] = read_event_desc,
	[FEATURE_PMU_MAPPINGS] = read_pmu_mappings,
	[FEATURE_SAMPLE_TIME] = read_sample_time,
	[FEATURE_CLOCK_DATA] = read_clock_data,
	[FEATURE_FILE] = simpleperf_read_files,
	[FEATURE_META_INFO] = simpleperf_read_meta_info,
	[FEATURE_FILE2] = simpleperf_read_files2,
};

/* Sections that could not be read. A table that is not one makes all of them so: the first
 * says what is wrong, and the others are a number. */
struct unread {
	const char *why;
	uint64_t offset;
	int bit, count;
};

static void note_unread(struct unread *unread, int bit, uint64_t offset, const char *why)
{
	if (unread->count++ == 0)
		*unread = (struct unread){ why, offset, bit, 1 };
}

static void warn_unread(struct context *ctx, const char *path,
			const struct unread *unread)
{
	if (unread->count == 1)
		warn(ctx, "'%s': header feature %d at " PRIoff " %s", path, unread->bit,
		     unread->offset, unread->why);
	else if (unread->count)
		warn(ctx,
		     "'%s': %d header features cannot be read: the first, %d at " PRIoff
		     ", %s",
		     path, unread->count, unread->bit, unread->offset, unread->why);
}

/* Reads the section of a file into memory and hands it to its reader. What lies
 * outside the file, or takes more memory than there is, is left out. */
static int read_section_of(struct context *ctx, struct input *in, int bit,
			   struct file_part part, struct unread *unread)
{
	uint8_t *bytes;
	struct cursor c;
	size_t got;
	int err;

	if (bit == FEATURE_TRACING_DATA && part.size > TRACING_MOST)
		part.size = TRACING_MOST;
	/* Of an empty one it does not matter. */
	if (part.size &&
	    (part.offset > in->file.size || part.size > in->file.size - part.offset ||
	     part.size > FEATURE_MOST)) {
		note_unread(unread, bit, part.offset, "lies outside the file");
		return 0;
	}
	/* A text of its size may be put together. */
	if (!budget_take(ctx->budget, 3 * part.size)) {
		budget_refuse(ctx->budget, "header features", in->file.path);
		return 0;
	}
	bytes = malloc(part.size + 1);
	if (!bytes)
		return fail_memory(ctx);
	got = 0;
	err = part.size ? file_read(ctx, &in->file, part, bytes, &got) : 0;
	c = in_cursor(in, bytes, got);
	if (err == 0 && readers[bit](in, &c) < 0)
		err = fail_memory(ctx);
	/* It is empty where the recorder had nothing to tell, as perf on processors without a
	 * description. That it is there tells something all the same: it may be simpleperf's. */
	if (err == 0 && c.bad && part.size)
		note_unread(unread, bit, part.offset, "is cut short");
	free(bytes);
	budget_give_back(ctx->budget, 3 * part.size);
	return err;
}

int feature_decode(struct context *ctx, struct input *in, uint64_t bit,
		   const uint8_t *bytes, size_t size)
{
	struct cursor c = in_cursor(in, bytes, size);

	if (bit >= FEATURES || !readers[bit])
		return 0;
	return readers[bit](in, &c) < 0 ? fail_memory(ctx) : 0;
}

static bool is_in_header(const struct input *in, int bit)
{
	return in->features[bit / 64] >> bit % 64 & 1;
}

/* All of them at once: what they tell of may be far behind in a packed file. */
int features_read(struct context *ctx, struct input *in)
{
	uint64_t entry = in->sources.v[0].end, end = 0;
	uint8_t sections[FEATURES * HEADER_SECTION], *section = sections;
	struct unread unread = { 0 };
	uint8_t behind[8];
	size_t got, want = 0;
	int err;

	for (int bit = 0; bit < FEATURES; bit++)
		want += is_in_header(in, bit) ? HEADER_SECTION : 0;
	err = file_read(ctx, &in->file, (struct file_part){ entry, want }, sections,
			&got);
	if (err < 0)
		return err;
	for (int bit = 0; bit < FEATURES; bit++) {
		uint64_t offset, size;

		if (!is_in_header(in, bit))
			continue;
		if (got < HEADER_SECTION)
			return note_damage(
				ctx, in, entry,
				"the end of the file is missing: no header features");
		got -= HEADER_SECTION;
		entry += HEADER_SECTION;
		offset = in_u64(in, section);
		size = in_u64(in, section + 8);
		section += HEADER_SECTION;
		if (end < offset + size && size <= UINT64_MAX - offset)
			end = offset + size;
		if (!readers[bit])
			continue;
		err = read_section_of(ctx, in, bit,
				      (struct file_part){ offset, (size_t)size },
				      &unread);
		if (err < 0)
			return err;
	}
	warn_unread(ctx, in->file.path, &unread);
	/* Files that were put behind each other: all but the first are lost, which is
	 * to be said. */
	end = end > entry ? end : entry;
	err = file_read(ctx, &in->file, (struct file_part){ end, sizeof(behind) }, behind,
			&got);
	if (err < 0 || got < sizeof(behind) || !recording_begins(behind))
		return err;
	return note_damage(ctx, in, end, ANOTHER_RECORDING);
}
