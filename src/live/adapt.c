/*
 * Records are lost where the kernel writes more than is read. With --adapt less is asked for
 * while it runs, one step at a time and the cheapest first: larger rings, then shorter copies
 * of stacks, then half the rate. Otherwise live_remedies() says what to ask for the next time.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "live/run.h"

enum {
	GROWTH = 4, /* of rings */
	STACK_LEAST = 1024,
	RATE_LEAST = 10,
};

/* Events that belong to threads would have to be opened for those that came since, too. */
bool run_can_reopen(const struct live *l)
{
	return (l->target.who == FF_RECORD_SYSTEM || l->target.who == FF_RECORD_CGROUP) &&
	       l->leaving.list.count == 0;
}

/*
 * All events once more, by the plan as it is now, beside those there are: these stop when
 * the others run. PERF_EVENT_IOC_PERIOD is no way: it does not reach inherited events, takes
 * the rate of a clock for its period in nanoseconds (perf_swevent_init_hrtimer() has cleared
 * attr.freq), and samples go on to say the period they had before.
 */
static int reopen(struct context *ctx, struct live *l, size_t size)
{
	struct rings before = l->rings;
	int err;

	l->rings = (struct rings){ 0 };
	err = run_open_events(ctx, l, size);
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

int run_reopen(struct context *ctx, struct live *l)
{
	return reopen(ctx, l, l->rings.size);
}

/*
 * Beside those there are, where that can be: what comes while rings are made anew goes to none, and no
 * record tells of it. Else in their place, also because both together may be more than a user may lock.
 */
static int larger_rings(struct context *ctx, struct live *l)
{
	size_t size = l->rings.size * GROWTH;
	int err = -ERANGE;

	if (l->options->record.ring_size || size > RING_MOST)
		return -ERANGE;
	if (run_can_reopen(l) && l->permission.ipc_lock)
		err = reopen(ctx, l, size);
	if (err < 0 && err != -ERANGE)
		return err;
	if (err == -ERANGE) {
		err = rings_resize(&l->rings, &l->events, size);
		/* Not even rings as they were before could be mapped again. */
		if (l->rings.list.count == 0 || !run_wait_for_rings(l))
			return fail_memory(ctx);
	}
	if (err < 0)
		return -ERANGE;
	warn(ctx, "records are lost: rings have %zu KiB each from now on",
	     l->rings.size >> 10);
	return 0;
}

static int shorter_dumps(struct context *ctx, struct live *l)
{
	uint32_t before = l->plan.stack_size;
	int err;

	if ((l->plan.chain != FF_RECORD_DWARF && l->plan.chain != FF_RECORD_AUTO) ||
	    before < 2 * STACK_LEAST || !run_can_reopen(l))
		return -ERANGE;
	/* Half of it, and a multiple of 8, as the kernel wants it. */
	l->plan.stack_size = before / 16 * 8;
	err = run_reopen(ctx, l);
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

	if (before / 2 < RATE_LEAST || !has_rate(l) || !run_can_reopen(l))
		return -ERANGE;
	l->plan.frequency = before / 2;
	err = run_reopen(ctx, l);
	if (err < 0) {
		l->plan.frequency = before;
		return err;
	}
	warn(ctx, "records are lost: %" PRIu64 " samples a second from now on",
	     l->plan.frequency);
	return 0;
}

/* Readers are paused first: they read from the rings that are about to be replaced. */
int live_adapt(struct context *ctx, struct live *l)
{
	int err = 0;

	/* What has just been opened anew is given a second. */
	if (l->leaving.list.count)
		return 0;
	if (l->readers)
		readers_pause(l->readers);
	/* What is stopped must not run again. */
	pthread_mutex_lock(&l->watch.lock);
	if (!l->watch.stopped) {
		/* -ERANGE: that step cannot be taken, or not any more. The next one is
		 * tried. */
		err = larger_rings(ctx, l);
		if (err == -ERANGE)
			err = shorter_dumps(ctx, l);
		if (err == -ERANGE)
			err = lower_rate(ctx, l);
	}
	pthread_mutex_unlock(&l->watch.lock);
	if (l->readers && readers_resume(ctx, l->readers) < 0)
		return -ENOMEM;
	if (err == -ERANGE && !l->adapted_out) {
		warn(ctx, "records are lost, and nothing is left that could be lowered");
		l->adapted_out = true;
	}
	return err;
}

static void add_remedy(struct text *t, const char *option, uint64_t value)
{
	text_printf(t, "%s%s%" PRIu64, t->size ? ", " : "", option, value);
}

void live_remedies(const struct live *l, uint64_t samples, bool adapting,
		   struct text *ret)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), ring = l->rings.size, largest = 0;
	uint64_t most_lost = 0, needed;
	bool stacks =
		l->plan.chain == FF_RECORD_DWARF && l->plan.stack_size / 2 >= STACK_LEAST;
	bool rings_grow =
		!l->options->record.ring_size && l->rings.size * GROWTH <= RING_MOST;
	bool reopens =
		l->target.who == FF_RECORD_SYSTEM || l->target.who == FF_RECORD_CGROUP;
	/* Half as many samples as did get through. */
	double lost = (double)l->counts.lost, all = (double)samples + lost;
	double share = all > 0 ? (double)samples / all / 2 : 0.5;
	bool fixed = false;

	for (size_t i = 0; i < l->events.list.count; i++) {
		const struct live_event *event = &l->events.list.v[i];
		size_t sample = live_attr_sample_size(&event->attr);

		largest = sample > largest ? sample : largest;
		fixed |= !event->attr.freq && !event->rated;
	}
	for (size_t i = 0; i < l->lost.cpus.count; i++)
		if (l->lost.cpus.v[i].told > most_lost)
			most_lost = l->lost.cpus.v[i].told;
	/* A ring that would have held all that was lost on one processor, as if that had
	 * been of the largest kind of sample; as far as it is allowed. */
	needed = ring + most_lost * largest;
	while (ring < needed && ring < RING_MOST)
		ring *= 2;
	if (!l->permission.ipc_lock && l->permission.paranoid != -1)
		while (ring > l->rings.size && ring + page > l->permission.mlock_kb << 10)
			ring /= 2;
	if (ring > l->rings.size && ring >= 1 << 20)
		text_printf(ret, "-m %zuM", ring >> 20);
	else if (ring > l->rings.size)
		text_printf(ret, "-m %zuK", ring >> 10);
	if (has_rate(l) && (double)l->plan.frequency * share >= 1)
		add_remedy(ret, "-F ", (uint64_t)((double)l->plan.frequency * share));
	else if (fixed && share > 0)
		add_remedy(ret, "-c ",
			   (uint64_t)((double)(l->plan.period ? l->plan.period : 1) /
				      share) +
				   1);
	if (stacks)
		add_remedy(ret, "-g dwarf,", l->plan.stack_size / 16 * 8);
	if (!adapting && (rings_grow || (reopens && (stacks || has_rate(l)))))
		text_printf(ret, "%s--adapt", ret->size ? ", " : "");
}
