#include "input/input.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "input/perf.h"

enum {
	WINDOW = 1 << 20,
	CHUNK = 2 << 20, /* bytes of one chunk of the second pass */
	BEGINNING = 512, /* bytes that tell what an input is */
};

static const struct {
	char magic[9];
	int (*open)(struct context *ctx, struct input *in);
	const char *name;
	const char *cannot; /* NULL: it is read */
} formats[] = {
	{ "PERFILE2", perf_file_open, "perf.data v2", NULL },
	{ "2ELIFREP", NULL, NULL, "a big-endian recording" },
	{ "PERFFILE", NULL, NULL, "a recording of perf before 3.3 (version 1)" },
	{ "ELIFFREP", NULL, NULL,
	  "a big-endian recording of perf before 3.3 (version 1)" },
	{ "\x1f\x8b", NULL, NULL, "packed with gzip" },
	{ "\x28\xb5\x2f\xfd", NULL, NULL, "packed with zstd" },
	{ "\x7f"
	  "ELF",
	  NULL, NULL, "an ELF file, not a recording" },
};

static bool looks_like_text(const uint8_t *p, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (p[i] == 0)
			return false;
	return true;
}

/* The first line that is no comment. */
static const uint8_t *first_line(const uint8_t *p, const uint8_t *end, size_t *size)
{
	const uint8_t *stop;

	for (; p < end && (*p == '#' || *p == '\n'); p = stop + 1) {
		stop = memchr(p, '\n', (size_t)(end - p));
		if (!stop)
			stop = end - 1;
	}
	stop = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
	*size = stop ? (size_t)(stop - p) : 0;
	return p;
}

/*
 * perf script's output begins with "comm 123 [001] 12.345: 1 cycles: ". Its lines have
 * a time with a colon behind it and do not end in a count.
 */
static bool looks_like_perf_script(const uint8_t *bytes, size_t size)
{
	size_t length;
	const uint8_t *p = first_line(bytes, bytes + size, &length);

	if (length == 0 || isdigit(p[length - 1]))
		return false;
	for (size_t i = 2; i + 2 < length; i++)
		if (p[i] == ':' && p[i + 1] == ' ' && isdigit(p[i - 1])) {
			size_t digits = i;

			while (digits > 0 && isdigit(p[digits - 1]))
				digits--;
			if (digits > 0 && p[digits - 1] == '.')
				return true;
		}
	return false;
}

static int open_text(struct context *ctx, struct input *in, const uint8_t *p, size_t size)
{
	if (!looks_like_text(p, size))
		return fail(ctx, -EBADMSG, "'%s' is neither a perf.data nor folded text",
			    in->file.path);
	if (looks_like_perf_script(p, size))
		return fail(ctx, -EBADMSG,
			    "'%s' looks like the output of perf script: give the "
			    "perf.data itself",
			    in->file.path);
	in->rec.format = "folded text";
	return folded_open(ctx, in);
}

static int open_by_beginning(struct context *ctx, struct input *in, enum input_kind *kind)
{
	uint8_t p[BEGINNING];
	size_t size;
	int err = file_read(ctx, &in->file, 0, p, sizeof(p), &size);

	if (err < 0)
		return err;
	if (size == 0)
		return fail(ctx, -ENODATA, "'%s' is empty", in->file.path);
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		size_t length = strlen(formats[i].magic);

		if (size < length || memcmp(p, formats[i].magic, length) != 0)
			continue;
		if (formats[i].cannot)
			return fail(ctx, -EOPNOTSUPP, "cannot read '%s': it is %s",
				    in->file.path, formats[i].cannot);
		*kind = INPUT_PERF;
		in->rec.format = formats[i].name;
		return formats[i].open(ctx, in);
	}
	*kind = INPUT_FOLDED;
	return open_text(ctx, in, p, size);
}

int input_open(struct context *ctx, const char *path, struct intern *strings,
	       struct input **ret, enum input_kind *kind)
{
	struct input *in = calloc(1, sizeof(*in));
	int err;

	if (!in)
		return fail_memory(ctx);
	in->strings = strings;
	in->path = strdup(path);
	err = in->path ? file_open(ctx, in->path, &in->file) : fail_memory(ctx);
	if (err == 0) {
		in->rec.bytes = in->file.size;
		err = open_by_beginning(ctx, in, kind);
	}
	if (err == 0 && window_init(&in->window, &in->file, WINDOW) < 0)
		err = fail_memory(ctx);
	if (err < 0) {
		input_close(in);
		return err;
	}
	*ret = in;
	return 0;
}

void input_finish(struct input *in)
{
	folded_close(in);
	window_release(&in->window);
	array_release(&in->chunks);
	file_close(&in->file);
}

void input_close(struct input *in)
{
	if (!in)
		return;
	input_finish(in);
	array_release(&in->layouts);
	hash_map_release(&in->finder.by_id);
	array_release(&in->rec.events);
	array_release(&in->rec.build_ids);
	free(in->path);
	free(in);
}

const struct recording *input_recording(const struct input *in)
{
	return &in->rec;
}

const char *input_path(const struct input *in)
{
	return in->path;
}

uint64_t state_progress(const struct input *in)
{
	return in->position - in->data_start;
}

/* Begins a new chunk where the last one has become long enough, or has ended before
 * bytes that are no records. 1 where it did. */
static int cut_chunk(struct context *ctx, struct input *in)
{
	struct chunk *last = in->chunks.count ? array_last(&in->chunks) : NULL;
	struct chunk *next;

	if (last && in->position == last->end && in->position - last->start < CHUNK)
		return 0;
	next = array_add(&in->chunks);
	if (!next)
		return fail_memory(ctx);
	*next = (struct chunk){ in->position, in->position, in->newest };
	return 1;
}

static void note_time(struct input *in, struct event *event, uint64_t time)
{
	if (time < event->first_time)
		event->first_time = time;
	/* Samples know better than the header. */
	if (time < in->rec.first_time || !in->timed)
		in->rec.first_time = time;
	if (time > in->rec.last_time || !in->timed)
		in->rec.last_time = time;
	in->timed = true;
	if (time > in->newest)
		in->newest = time;
}

/* What the first pass wants to know of a sample. */
static void count_sample(struct input *in, struct record_head head, const uint8_t *p)
{
	int index = event_of_sample(in, p, head.size);
	const struct layout *layout;

	in->rec.samples++;
	in->rec.kernel_samples += (head.misc & MISC_MODE) == MODE_KERNEL;
	if (index < 0)
		return;
	layout = &in->layouts.v[index];
	in->rec.events.v[index].samples++;
	if (layout->time && head.size >= layout->fixed)
		note_time(in, &in->rec.events.v[index], u64_at(p + layout->time));
}

static bool is_compressed(uint32_t type)
{
	return type == 81 || type == 83;
}

/* Data of a record that lies behind it, not in it. */
static uint64_t bytes_behind(struct record_head head, const uint8_t *p)
{
	enum { AUXTRACE = 71, AUXTRACE_SIZE = 8 };

	return head.type == AUXTRACE && head.size >= 16 ? u64_at(p + AUXTRACE_SIZE) : 0;
}

static void count_type(struct input *in, uint32_t type)
{
	in->rec.records++;
	if (type < RECORD_TYPES)
		in->rec.by_type[type]++;
	if (!record_name(type))
		in->rec.unknown++;
}

/* The record at in->position: 1 if it is whole, 0 if reading ends here. */
static int whole_record(struct context *ctx, struct input *in, struct record_head *head,
			const uint8_t **p)
{
	uint64_t left = in->data_end - in->position;
	size_t got;
	int err;

	if (left == 0)
		return 0;
	err = window_at(ctx, &in->window, in->position, RECORD_HEAD, p, &got);
	if (err < 0)
		return err;
	if (got < RECORD_HEAD || left < RECORD_HEAD)
		return note_damage(ctx, in, in->position, "ends inside a record");
	*head = record_head(*p);
	if (head->size < RECORD_HEAD)
		return note_damage(ctx, in, in->position, "a record of impossible size");
	if (head->size > left)
		return note_damage(ctx, in, in->position, "ends inside a record");
	err = window_at(ctx, &in->window, in->position, head->size, p, &got);
	if (err < 0)
		return err;
	if (got < head->size)
		return note_damage(ctx, in, in->position, "ends inside a record");
	return 1;
}

/* Passes over the record at in->position: as record_decode(). */
static int pass_record(struct context *ctx, struct input *in, struct record_head head,
		       const uint8_t *p, struct record *ret)
{
	uint64_t behind = bytes_behind(head, p);
	int found = 0;

	if (is_compressed(head.type))
		return fail(
			ctx, -EOPNOTSUPP,
			"cannot read '%s': its records are compressed (perf record -z)",
			in->file.path);
	count_type(in, head.type);
	if (head.type == RECORD_SAMPLE)
		count_sample(in, head, p);
	else
		found = record_decode(ctx, in, p, head.size, in->position, ret);
	in->position += head.size;
	array_last(&in->chunks)->end = in->position;
	if (found < 0 || behind <= in->data_end - in->position) {
		in->position += behind;
		return found;
	}
	in->data_end = in->position;
	return note_damage(ctx, in, in->position, "ends inside the data of a record");
}

int state_next(struct context *ctx, struct input *in, struct record *ret)
{
	for (;;) {
		struct record_head head = { 0 };
		const uint8_t *p;
		int found = whole_record(ctx, in, &head, &p);

		if (found <= 0) {
			in->data_end = in->position;
			return found;
		}
		found = cut_chunk(ctx, in);
		if (found > 0)
			*ret = (struct record){ .type = RECORD_NONE };
		if (found == 0)
			found = pass_record(ctx, in, head, p, ret);
		if (found != 0)
			return found;
	}
}
