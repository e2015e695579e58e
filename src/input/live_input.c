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

static int add_text(struct input *in, const char *text, uint32_t *ret)
{
	return intern_add(in->strings, text, strlen(text), ret);
}

/* What a clock shows, in ns. */
static uint64_t clock_now(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* What a file has in its header. */
static int describe_machine(struct input *in)
{
	struct utsname name;

	if (uname(&name) < 0)
		return 0;
	in->rec.day_clock = CLOCK_MONOTONIC;
	in->rec.day_time = clock_now(CLOCK_REALTIME);
	in->rec.clock_time = clock_now(CLOCK_MONOTONIC);
	in->rec.processors = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	if (add_text(in, name.nodename, &in->rec.host) < 0 ||
	    add_text(in, name.release, &in->rec.kernel) < 0 ||
	    add_text(in, name.machine, &in->rec.arch) < 0)
		return -ENOMEM;
	return add_text(in, "flamefold " FF_VERSION, &in->rec.recorder);
}

static int add_ids(struct context *ctx, struct input *in,
		   const struct live_opened *opened, uint32_t index)
{
	for (size_t i = 0; i < opened->id_count; i++)
		if (!hash_map_set(&in->finder.by_id, opened->ids[i], index))
			return fail_memory(ctx);
	return 0;
}

static int add_event(struct context *ctx, struct input *in,
		     const struct live_opened *opened)
{
	int err =
		event_add(ctx, in, (const uint8_t *)&opened->attr, sizeof(opened->attr));
	uint32_t index = (uint32_t)in->rec.events.count - 1;

	if (err < 0)
		return err;
	if (add_text(in, opened->name, &in->rec.events.v[index].name) < 0)
		return fail_memory(ctx);
	err = tracepoint_read_live(ctx, in, opened);
	return err < 0 ? err : add_ids(ctx, in, opened, index);
}

static int open_live(struct context *ctx, struct input *in,
		     const struct live_opened *events, size_t count)
{
	int err = 0;

	in->path = strdup("live");
	if (!in->path || describe_machine(in) < 0)
		return fail_memory(ctx);
	in->live = true;
	in->rec.format = "live";
	in->rec.form = "live";
	in->named = true;
	for (size_t i = 0; i < count && err == 0; i++)
		err = add_event(ctx, in, &events[i]);
	if (err == 0)
		event_finder_settle(in);
	return err;
}

int input_open_live(struct context *ctx, struct intern *strings,
		    const struct live_opened *events, size_t count, struct input **ret)
{
	struct input *in = calloc(1, sizeof(*in));
	int err;

	if (!in)
		return fail_memory(ctx);
	in->strings = strings;
	in->budget = ctx->budget;
	err = open_live(ctx, in, events, count);
	if (err < 0)
		input_close(in);
	else
		*ret = in;
	return err;
}

int input_add_ids(struct context *ctx, struct input *in, const struct live_opened *events,
		  size_t count)
{
	int err = 0;

	for (size_t i = 0; i < count && err == 0; i++)
		err = add_ids(ctx, in, &events[i], (uint32_t)i);
	return err;
}

int input_set_command(struct input *in, const char *command)
{
	return add_text(in, command, &in->rec.command);
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
