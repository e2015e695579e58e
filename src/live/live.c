#include "live/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	RECORD_LOST = 2,
	LOST_SIZE = 24, /* head, u64 event, u64 records */
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

uint64_t live_frequency(const struct live *l)
{
	return l->plan.frequency;
}

int live_start(struct context *ctx, struct live *l)
{
	int err;

	if (l->options->who != LIVE_COMMAND)
		rings_enable(&l->rings);
	l->started = true;
	err = live_known_start(ctx, &l->target, KNOWN_BY_INODE, &l->known);
	if (err == 0 && l->readers)
		err = readers_resume(ctx, l->readers);
	if (err == 0 && l->options->command)
		err = live_command_run(ctx, &l->command);
	return err;
}

void live_stop(struct live *l)
{
	if (!l->stopped)
		rings_disable(&l->rings);
	l->stopped = true;
	l->passed = false;
}

/* What was there before comes first; once it has begun to come it comes whole. */
static int next_known(struct context *ctx, struct live *l, struct live_record *ret)
{
	struct perf_event_header head;
	size_t size;
	int err;

	if (l->known_state == KNOWN_AWAITED) {
		if (!l->stopped && !live_known_done(l->known))
			return 0;
		err = live_known_records(ctx, l->known, &l->known_at, &size);
		if (err < 0)
			return err;
		l->known_end = l->known_at + size;
		l->known_state = KNOWN_COMING;
	}
	if (l->known_state == KNOWN_COMING && l->known_at < l->known_end) {
		memcpy(&head, l->known_at, sizeof(head));
		*ret = (struct live_record){ LIVE_RECORD, l->known_at, head.size };
		l->known_at += head.size;
		return 1;
	}
	if (l->known_state == KNOWN_COMING) {
		l->known_state = KNOWN_GIVEN;
		live_known_free(l->known);
		l->known = NULL;
	}
	return 0;
}

static void count_record(struct live *l, const struct live_record *record)
{
	struct perf_event_header head;
	struct live_trailer trailer;
	uint64_t lost;

	l->counts.records++;
	l->counts.bytes += record->size;
	memcpy(&head, record->bytes, sizeof(head));
	if (head.type != RECORD_LOST || head.size < LOST_SIZE + sizeof(trailer))
		return;
	memcpy(&lost, record->bytes + 16, sizeof(lost));
	memcpy(&trailer, record->bytes + head.size - sizeof(trailer), sizeof(trailer));
	l->counts.lost += lost;
	if (trailer.cpu < l->lost_by_cpu.count)
		l->lost_by_cpu.v[trailer.cpu] += lost;
}

int live_next(struct context *ctx, struct live *l, struct live_record *ret)
{
	int found = next_known(ctx, l, ret);

	if (found == 0 && l->passed) {
		l->passed = l->stopped;
		return 0;
	}
	ret->kind = LIVE_RECORD;
	if (found == 0 && l->leaving.list.count) {
		found = rings_next(&l->leaving, &ret->bytes, &ret->size);
		if (found == 0)
			rings_release(&l->leaving);
	}
	if (found == 0)
		found = l->readers ? readers_next(l->readers, &ret->bytes, &ret->size)
				   : rings_next(&l->rings, &ret->bytes, &ret->size);
	if (found == -ENOMEM)
		return fail_memory(ctx);
	if (found > 0) {
		count_record(l, ret);
		return 1;
	}
	if (found < 0)
		return found;
	l->passed = true;
	/* Nothing goes out before what was known. */
	if (l->known_state != KNOWN_GIVEN)
		return live_next(ctx, l, ret);
	l->counts.rounds++;
	ret->kind = LIVE_ROUND;
	return 1;
}

/* A process that has gone, an event whose thread has gone: not to be waited for again. */
static void note_gone(struct live *l)
{
	for (size_t i = 2; i < l->waiting.count; i++) {
		struct pollfd *p = &l->waiting.v[i];

		if (i < l->waiting_rings && p->fd >= 0 && p->revents) {
			close(p->fd);
			p->fd = -1;
			l->processes_left--;
		} else if (p->revents & (POLLHUP | POLLERR | POLLNVAL)) {
			p->fd = -1;
		}
	}
}

int live_wait(struct context *ctx, struct live *l, int ms, int wake)
{
	l->waiting.v[0].fd = wake;
	if (l->command.reaped)
		l->waiting.v[1].fd = -1;
	/* Who waits for what is known already need not wait long. */
	if (l->known_state != KNOWN_GIVEN && ms > 5)
		ms = 5;
	if (poll(l->waiting.v, l->waiting.count, ms) < 0)
		return errno == EINTR ? 0
				      : fail(ctx, -errno, "poll: %s", strerror(errno));
	note_gone(l);
	return 0;
}

bool live_ended(struct live *l)
{
	if (l->command.pid)
		return live_command_ended(&l->command);
	return l->target.processes.count > 0 && l->processes_left == 0;
}

int live_exit_status(const struct live *l)
{
	return l->command.pid && l->command.reaped ? live_command_status(&l->command)
						   : -1;
}

void live_count(const struct live *l, struct live_counts *ret)
{
	*ret = l->counts;
	ret->lost_by_cpu = l->lost_by_cpu.v;
	ret->cpu_count = l->lost_by_cpu.count;
	ret->fullest = l->rings.fullest;
	ret->ring_size = l->rings.size;
	ret->rings = l->rings.list.count;
}
