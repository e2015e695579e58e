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
	return l->events.list.count == 1 &&
	       (l->target.who == LIVE_SYSTEM || l->target.who == LIVE_CGROUP) &&
	       l->leaving.list.count == 0;
}

static int shorter_dumps(struct context *ctx, struct live *l)
{
	size_t size = l->rings.size;
	int err;

	if (l->plan.chain != LIVE_DWARF || l->plan.stack_size < 2 * STACK_LEAST ||
	    !can_reopen(l))
		return -ERANGE;
	l->plan.stack_size = l->plan.stack_size / 16 * 8;
	l->leaving = l->rings;
	l->rings = (struct rings){ 0 };
	err = run_open_events(ctx, l, size);
	if (err < 0)
		return err;
	rings_enable(&l->rings);
	rings_disable(&l->leaving);
	if (!run_wait_for_rings(l))
		return fail_memory(ctx);
	warn(ctx, "records are lost: %u bytes of each stack are copied from now on",
	     l->plan.stack_size);
	return 0;
}

static int lower_rate(struct context *ctx, struct live *l)
{
	uint64_t frequency = l->plan.frequency / 2;
	int err;

	if (frequency < RATE_LEAST)
		return -ERANGE;
	err = rings_set_frequency(&l->rings, &l->events, frequency);
	if (err < 0)
		return fail(ctx, err, "cannot lower the rate: %s", strerror(-err));
	l->plan.frequency = frequency;
	warn(ctx, "records are lost: %" PRIu64 " samples a second from now on",
	     frequency);
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
