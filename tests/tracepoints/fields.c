/*
 * fields formats FILE...: of each file "format" of tracefs its event and fields, as they are read by.
 * fields samples RECORDING NAME...: a line a sample, in the order of the recording: its time, its event, and
 * the values of those fields of these names that it has.
 * fields live EVENT NAME...: the same of what this machine does for a moment.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "input/input.h"
#include "live/live.h"

static struct context ctx;
static struct intern strings;

static int complain(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, ctx.error);
	return 1;
}

static int print_format(const char *path)
{
	struct arena arena = { 0 };
	struct event_format format;
	char *text;
	size_t size;

	if (file_slurp(&ctx, path, 1 << 20, &text, &size) < 0)
		return complain(path);
	if (event_format_parse(&arena, text, size, false, &format) != 1)
		return complain(path);
	for (uint32_t i = 0; i < format.count; i++) {
		const struct event_field *f = &format.fields[i];

		printf("%s %" PRIu64 " %s %u %u %d\n", format.own_name, format.id,
		       f->name, f->offset, f->size, f->flags & EVENT_FIELD_SIGNED);
	}
	arena_release(&arena);
	free(text);
	return 0;
}

static void print_field(const struct event_field *f, const struct sample *s)
{
	const char *text;
	uint32_t size;
	uint64_t value;

	if (event_field_text(f, s, &text, &size))
		printf(" %s=%.*s", f->name, (int)size, text);
	else if (event_field_number(f, s, &value))
		printf(" %s=%" PRId64, f->name, value);
	else if (event_field_element(f, s, 0, &value))
		printf(" %s[0]=%" PRId64, f->name, value);
}

static void print_sample(const struct input *in, const struct sample *s, char **names)
{
	const struct recording *rec = input_recording(in);
	const struct event *e = &rec->events.v[s->event];
	const struct event_format *format = recording_format(rec, e);

	printf("%" PRIu64 ".%09" PRIu64 " %s", s->time / 1000000000, s->time % 1000000000,
	       intern_text(&strings, e->name));
	for (; *names; names++) {
		const struct event_field *f = event_format_find(format, *names);

		if (f)
			print_field(f, s);
	}
	printf("\n");
}

static int print_file(struct input *in, struct sample_reader *r, char **names)
{
	struct record record;
	struct sample s;
	uint64_t damaged = 0;

	while (state_next(&ctx, in, &record) > 0)
		;
	for (size_t i = 0; i < input_chunks(in); i++) {
		if (sample_reader_start(&ctx, r, i) < 0)
			return complain("chunk");
		while (sample_next(&ctx, r, &s, &damaged) > 0)
			print_sample(in, &s, names);
	}
	return damaged ? complain("damaged") : 0;
}

static int print_stream(struct input *in, struct sample_reader *r, char **names)
{
	struct stream_item item;
	struct sample s;

	while (input_next(&ctx, in, &item) > 0)
		if (item.kind == ITEM_SAMPLE &&
		    sample_decode(&ctx, r, item.bytes, item.position, &s) > 0)
			print_sample(in, &s, names);
	return 0;
}

static int print_recording(const char *path, char **names)
{
	struct sample_reader *r;
	struct input *in;
	enum input_kind kind;
	int code;

	if (input_open(&ctx, path, &strings, &in, &kind) < 0)
		return complain(path);
	if (sample_reader_new(&ctx, in, &r) < 0)
		return complain(path);
	code = input_is_stream(in) ? print_stream(in, r, names)
				   : print_file(in, r, names);
	sample_reader_free(r);
	input_close(in);
	return code;
}

static int print_run(struct live *live, char **names)
{
	size_t count, samples = 0;
	const struct live_opened *events = live_events(live, &count);
	struct sample_reader *r;
	struct input *in;
	struct live_record record;
	struct stream_item item;
	struct sample s;
	int found;

	if (input_open_live(&ctx, &strings, events, count, &in) < 0 ||
	    sample_reader_new(&ctx, in, &r) < 0 || live_start(&ctx, live) < 0)
		return complain("live");
	while (samples < 100 && (found = live_next(&ctx, live, &record)) >= 0) {
		if (found == 0 && live_wait(&ctx, live, 100, -1) < 0)
			break;
		if (found == 0 || record.kind != LIVE_RECORD ||
		    input_take(&ctx, in, record.bytes, record.size, &item) <= 0 ||
		    item.kind != ITEM_SAMPLE ||
		    sample_decode(&ctx, r, item.bytes, item.position, &s) <= 0)
			continue;
		printf("pid=%" PRId32 " ", (int32_t)s.tid);
		print_sample(in, &s, names);
		samples++;
	}
	sample_reader_free(r);
	input_close(in);
	return 0;
}

static int print_live(const char *event, char **names)
{
	struct live_options options = { .record = { .who = FF_RECORD_SYSTEM,
						    .events = &event,
						    .event_count = 1,
						    .chain = FF_RECORD_NO_CHAIN,
						    .flags = FF_RECORD_RAW_SAMPLES } };
	struct live *live;
	int code;

	if (live_open(&ctx, &options, &live) < 0)
		return complain(event);
	code = print_run(live, names);
	live_close(live);
	return code;
}

int main(int argc, char **argv)
{
	int code = 0;

	if (argc < 3 || intern_init(&strings) < 0)
		return 2;
	if (strcmp(argv[1], "samples") == 0)
		return print_recording(argv[2], argv + 3);
	if (strcmp(argv[1], "live") == 0)
		return print_live(argv[2], argv + 3);
	for (int i = 2; i < argc; i++)
		code |= print_format(argv[i]);
	return code;
}
