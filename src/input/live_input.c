/*
 * A live run: what it gives is what perf writes to a pipe, record by record; only the
 * attributes and the header come some other way.
 */
#include <errno.h>
#include <flamefold.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "input/perf.h"
#include "input/stream_item.h"
#include "live/live.h"

static int intern_into(struct input *in, const char *text, uint32_t *ret)
{
	return intern_add(in->strings, text, strlen(text), ret);
}

/* What a clock shows, in ns. */
static uint64_t clock_shows(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Ids of an event that was opened later join those it has. */
static int add_ids_of(struct context *ctx, struct input *in,
		      const struct live_opened *opened, uint32_t index)
{
	for (size_t i = 0; i < opened->id_count; i++)
		if (!hash_map_set(&in->finder.by_id, opened->ids[i], index))
			return fail_memory(ctx);
	return 0;
}

int input_open_live(struct context *ctx, struct intern *strings,
		    const struct live_opened *events, size_t count, struct input **ret)
{
	struct input *in = calloc(1, sizeof(*in));
	struct utsname name;
	int err;

	if (!in)
		return fail_memory(ctx);
	in->strings = strings;
	in->budget = ctx->budget;
	in->live = true;
	in->rec.format = "live";
	in->rec.form = "live";
	in->named = true;
	in->path = strdup("live");
	err = in->path ? 0 : fail_memory(ctx);
	/* What a file has in its header. */
	if (err == 0 && uname(&name) >= 0) {
		in->rec.day_clock = CLOCK_MONOTONIC;
		in->rec.day_time = clock_shows(CLOCK_REALTIME);
		in->rec.clock_time = clock_shows(CLOCK_MONOTONIC);
		in->rec.processors = in->rec.processors_there =
			(uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
		if (intern_into(in, name.nodename, &in->rec.host) < 0 ||
		    intern_into(in, name.release, &in->rec.kernel) < 0 ||
		    intern_into(in, name.machine, &in->rec.arch) < 0 ||
		    intern_into(in, "flamefold " FF_VERSION, &in->rec.recorder) < 0)
			err = fail_memory(ctx);
	}
	for (uint32_t i = 0; i < count && err == 0; i++) {
		const struct perf_event_attr *attr = &events[i].attr;

		err = event_add(ctx, in, (const uint8_t *)attr, sizeof(*attr));
		if (err == 0 &&
		    intern_into(in, events[i].name, &in->rec.events.v[i].name) < 0)
			err = fail_memory(ctx);
		if (err == 0)
			err = tracepoint_read_live(ctx, in, &events[i]);
		if (err == 0)
			err = add_ids_of(ctx, in, &events[i], i);
	}
	if (err < 0) {
		input_close(in);
		return err;
	}
	event_finder_settle(in);
	*ret = in;
	return 0;
}

int input_add_ids(struct context *ctx, struct input *in, const struct live_opened *events,
		  size_t count)
{
	int err = 0;

	for (size_t i = 0; i < count && err == 0; i++)
		err = add_ids_of(ctx, in, &events[i], (uint32_t)i);
	return err;
}

int input_set_command(struct input *in, const char *command)
{
	return intern_into(in, command, &in->rec.command);
}

int input_take(struct context *ctx, struct input *in, const uint8_t *bytes, uint32_t size,
	       struct stream_item *ret)
{
	struct raw_record raw = { .head = record_head_at(bytes, false), .bytes = bytes };

	if (size < RECORD_HEAD || raw.head.size != size)
		return 0;
	raw.position = in->rec.bytes;
	in->rec.bytes += size;
	return stream_item_take(ctx, in, &raw, ret);
}
