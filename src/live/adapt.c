/* What is asked for where the kernel cannot write, or we not read, as much as that. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "live/run.h"

enum {
	GROWTH = 4, /* of rings */
	STACK_LEAST = 1024,
	RATE_LEAST = 10,
};

static int larger_rings(struct context *ctx, struct live *l)
{
	size_t size = l->rings.size * GROWTH;
	int err;

	if (l->options->ring_size || size > RING_MOST)
		return -ERANGE;
	err = rings_resize(&l->rings, size);
	if (l->rings.list.count == 0 || !run_wait_for_rings(l))
		return fail_memory(ctx);
	if (err < 0)
		return -ERANGE;
	warn(ctx, "records are lost: rings have %zu KiB each from now on", size >> 10);
	return 0;
}

/* Events that belong to threads would have to be opened for those that came since, too. */
static bool can_reopen(const struct live *l)
{
	return (l->target.who == LIVE_SYSTEM || l->target.who == LIVE_CGROUP) &&
	       l->leaving.list.count == 0;
}

/*
 * All events once more, by the plan as it is now, beside those there are: these stop when
 * the others run. PERF_EVENT_IOC_PERIOD is no way: it does not reach inherited events, takes
 * the rate of a clock for its period in nanoseconds (perf_swevent_init_hrtimer() has cleared
 * attr.freq), and samples go on to say the period they had before.
 */
static int reopen(struct context *ctx, struct live *l)
{
	struct rings before = l->rings;
	int err;

	l->rings = (struct rings){ 0 };
	err = run_open_events(ctx, l, before.size);
	if (err == 0)
		err = run_list_ids(ctx, l);
	if (err < 0) {
		rings_release(&l->rings);
		l->rings = before;
		/* More files or memory than may be had: what there was goes on. */
		return err == -ENOMEM ? err : -ERANGE;
	}
	l->leaving = before;
	rings_enable(&l->rings);
	rings_disable(&l->leaving);
	return run_wait_for_rings(l) ? 0 : fail_memory(ctx);
}

static int shorter_dumps(struct context *ctx, struct live *l)
{
	uint32_t before = l->plan.stack_size;
	int err;

	if (l->plan.chain != LIVE_DWARF || before < 2 * STACK_LEAST || !can_reopen(l))
		return -ERANGE;
	l->plan.stack_size = before / 16 * 8;
	err = reopen(ctx, l);
	if (err < 0) {
		l->plan.stack_size = before;
		return err;
	}
	warn(ctx, "records are lost: %u bytes of each stack are copied from now on",
	     l->plan.stack_size);
	return 0;
}

/* A period that was asked for stays, and so does that of a tracepoint without any. */
static bool has_rate(const struct live *l)
{
	for (size_t i = 0; i < l->events.list.count; i++)
		if (l->events.list.v[i].attr.freq && !l->events.list.v[i].rated)
			return true;
	return false;
}

static int lower_rate(struct context *ctx, struct live *l)
{
	uint64_t before = l->plan.frequency;
	int err;

	if (before / 2 < RATE_LEAST || !has_rate(l) || !can_reopen(l))
		return -ERANGE;
	l->plan.frequency = before / 2;
	err = reopen(ctx, l);
	if (err < 0) {
		l->plan.frequency = before;
		return err;
	}
	warn(ctx, "records are lost: %" PRIu64 " samples a second from now on",
	     l->plan.frequency);
	return 0;
}

static int next_rung(struct context *ctx, struct live *l)
{
	int err = larger_rings(ctx, l);

	if (err == -ERANGE)
		err = shorter_dumps(ctx, l);
	if (err == -ERANGE)
		err = lower_rate(ctx, l);
	return err;
}

int live_adapt(struct context *ctx, struct live *l)
{
	int err;

	if (l->readers)
		readers_pause(l->readers);
	err = next_rung(ctx, l);
	if (l->readers && readers_resume(ctx, l->readers) < 0)
		return -ENOMEM;
	if (err == -ERANGE && !l->adapted_out) {
		warn(ctx, "records are lost, and there is nothing left to ask less of");
		l->adapted_out = true;
	}
	return err;
}
