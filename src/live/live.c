/*
 * Passes over the rings come one after another, each with the end of a round behind it;
 * after the last one comes what was lost and no record has told. What was known before
 * the first record is handed out as soon as it is there, between others. No round ends
 * before that, because its end promises that nothing older comes.
 *
 *	AWAITED --thread done--> COMING --all handed out--> GIVEN: rounds may end
 *
 * Samples from before the start, and from after the time that was asked for, are dropped
 * here, by their time.
 */
#include "live/run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	END_MS = 1000, /* for a command to end */
};

const struct live_opened *live_events(const struct live *l, size_t *count)
{
	*count = l->opened.count;
	return l->opened.v;
}

bool live_fixes_leaves(const struct live *l)
{
	return l->plan.leaf_fix;
}

enum ff_record_chain live_chain(const struct live *l, uint32_t *stack_size)
{
	*stack_size = l->plan.stack_size;
	return l->plan.chain;
}

uint64_t live_frequency(const struct live *l)
{
	return l->plan.frequency;
}

uint64_t run_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Linux before 4.1 has only one of its own. */
static bool has_our_clock(const struct live *l)
{
	for (size_t i = 0; i < l->events.list.count; i++)
		if (!l->events.list.v[i].attr.use_clockid)
			return false;
	return true;
}

void live_until(struct live *l, uint64_t time)
{
	if (has_our_clock(l))
		l->until = time;
}

/* A process that ends before its name was read had no sample then: its events are enabled
 * first, so that no fork is missed, and its samples count when the names are there. */
int live_start(struct context *ctx, struct live *l)
{
	uint64_t delay = (uint64_t)(l->options->record.delay * 1e9); /* ns */
	bool enables =
		l->options->record.who != FF_RECORD_COMMAND || l->options->everywhere;
	int err;

	/* Nobody reads meanwhile, so only of the one that tells of forks: what the others
	 * would write is not counted, and might fill the rings. */
	for (uint32_t i = 0; enables && i < l->events.list.count; i++)
		if (l->events.list.v[i].attr.task)
			rings_enable_event(&l->rings, i);
	l->started = true;
	err = live_preexisting_start(ctx, &l->target, PREEXISTING_BY_INODE,
				     &l->preexisting);
	if (enables)
		rings_enable(&l->rings);
	if (enables && has_our_clock(l))
		l->from = run_now();
	if (err == 0 && l->readers)
		err = readers_resume(ctx, l->readers);
	if (err == 0 && l->options->record.command)
		err = live_command_run(ctx, &l->command);
	if (delay && has_our_clock(l))
		l->from = run_now() + delay;
	return err;
}

void live_stop(struct live *l)
{
	run_end_watch(l);
	if (!l->stopped) {
		rings_disable(&l->rings);
		l->counts.left = l->watch.stopped ? l->watch.left : rings_left(&l->rings);
		lost_count(&l->lost, &l->rings, &l->events);
	}
	l->stopped = true;
	l->passed = false;
}

/* What was there before comes first; once it has begun to come it comes whole. */
static int next_preexisting(struct context *ctx, struct live *l, struct live_record *ret)
{
	struct perf_event_header head;
	size_t size;
	int err;

	if (l->preexisting_state == PREEXISTING_AWAITED) {
		if (!l->stopped && !live_preexisting_done(l->preexisting))
			return 0;
		err = live_preexisting_records(ctx, l->preexisting, &l->preexisting_at,
					       &size);
		if (err < 0)
			return err;
		l->preexisting_end = l->preexisting_at + size;
		l->preexisting_state = PREEXISTING_COMING;
	}
	if (l->preexisting_state == PREEXISTING_COMING &&
	    l->preexisting_at < l->preexisting_end) {
		memcpy(&head, l->preexisting_at, sizeof(head));
		*ret = (struct live_record){ LIVE_RECORD, l->preexisting_at, head.size };
		l->preexisting_at += head.size;
		return 1;
	}
	if (l->preexisting_state == PREEXISTING_COMING) {
		l->preexisting_state = PREEXISTING_GIVEN;
		live_preexisting_free(l->preexisting);
		l->preexisting = NULL;
	}
	return 0;
}

/*
 * False where it is of the time before samples count, or behind that.
 *
 *	SAMPLE    head | u64 id, ip | u32 pid, tid | u64 time | ...
 */
static bool count_record(struct live *l, const struct live_record *record)
{
	struct perf_event_header head;
	uint64_t time;

	memcpy(&head, record->bytes, sizeof(head));
	if (head.type == PERF_RECORD_SAMPLE &&
	    head.size >= LIVE_SAMPLE_TIME + sizeof(time)) {
		memcpy(&time, record->bytes + LIVE_SAMPLE_TIME, sizeof(time));
		if (time < l->from || time >= l->until)
			return false;
	}
	l->counts.records++;
	l->counts.bytes += record->size;
	if (head.type == PERF_RECORD_LOST)
		lost_take(&l->lost, record->bytes, record->size);
	return true;
}

int live_next(struct context *ctx, struct live *l, struct live_record *ret)
{
	int found = next_preexisting(ctx, l, ret);

	if (found == 0 && l->passed) {
		l->passed = l->stopped;
		return 0;
	}
	if (found != 0)
		return found;
	ret->kind = LIVE_RECORD;
	do {
		found = 0;
		/* Events that others have taken the place of: their rest is older. */
		if (l->leaving.list.count) {
			found = rings_next(&l->leaving, &ret->bytes, &ret->size);
			if (found == 0) {
				lost_count(&l->lost, &l->leaving, &l->events);
				rings_release(&l->leaving);
			}
		}
		if (found == 0)
			found = l->readers
					? readers_next(l->readers, &ret->bytes,
						       &ret->size)
					: rings_next(&l->rings, &ret->bytes, &ret->size);
	} while (found > 0 && !count_record(l, ret));
	/* What was lost and no record has told is behind all others. */
	if (found == 0 && l->stopped &&
	    lost_remainder(&l->lost, run_now(), &l->lost_record)) {
		ret->bytes = (const uint8_t *)&l->lost_record;
		ret->size = sizeof(l->lost_record);
		return 1;
	}
	if (found == -ENOMEM)
		return fail_memory(ctx);
	if (found != 0)
		return found;
	l->passed = true;
	/* Nothing goes out before what was known. */
	if (l->preexisting_state != PREEXISTING_GIVEN)
		return live_next(ctx, l, ret);
	l->counts.rounds++;
	ret->kind = LIVE_ROUND;
	return 1;
}

int live_wait(struct context *ctx, struct live *l, int ms, int wake)
{
	l->waiting.v[0].fd = wake;
	if (l->command.reaped)
		l->waiting.v[1].fd = -1;
	/* Who waits for what is known already need not wait long. */
	if (l->preexisting_state != PREEXISTING_GIVEN && ms > 5)
		ms = 5;
	if (poll(l->waiting.v, l->waiting.count, ms) < 0)
		return errno == EINTR ? 0
				      : fail(ctx, -errno, "poll: %s", strerror(errno));
	/* A process that has gone is not waited for again, nor an event whose thread has; who
	 * is left writes to the same ring. */
	for (size_t i = 2; i < l->waiting.count; i++) {
		struct pollfd *p = &l->waiting.v[i];

		if (i < l->waiting_rings && p->fd >= 0 && p->revents) {
			close(p->fd);
			p->fd = -1;
			l->processes_left--;
		} else if (p->revents & (POLLHUP | POLLERR | POLLNVAL)) {
			p->fd = rings_wait_on(&l->rings, p->fd);
		}
	}
	return 0;
}

bool live_ended(struct live *l)
{
	/* Those without a pidfd are asked for without a signal. EPERM: it is there. */
	for (size_t i = 0; i < l->asked_for.count;) {
		if (kill(l->asked_for.v[i], 0) == 0 || errno != ESRCH) {
			i++;
			continue;
		}
		l->asked_for.v[i] = l->asked_for.v[--l->asked_for.count];
		l->processes_left--;
	}
	if (l->command.pid)
		return live_command_ended(&l->command);
	return l->watched.processes.count > 0 && l->processes_left == 0;
}

void live_end_command(struct live *l)
{
	live_command_end(&l->command);
}

pid_t live_unended_command(struct live *l)
{
	if (!atomic_load(&l->command.told) || live_command_wait(&l->command, END_MS))
		return 0;
	return l->command.pid;
}

int live_exit_status(const struct live *l)
{
	return l->command.pid && l->command.reaped ? live_command_status(&l->command)
						   : -1;
}

void live_count(const struct live *l, struct live_counts *ret)
{
	*ret = l->counts;
	ret->lost = l->lost.told;
	ret->cpu_count = l->lost.cpus.count;
	ret->fullest = l->rings.fullest;
	ret->ring_size = l->rings.size;
	ret->rings = l->rings.list.count;
}

uint64_t live_lost_on(const struct live *l, size_t cpu)
{
	return cpu < l->lost.cpus.count ? l->lost.cpus.v[cpu].told : 0;
}
