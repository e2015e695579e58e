/*
 * A pipe that perf writes to, read once as it comes:
 *
 *	input -> order (two rounds) -> process, or stack -> trie -> weight
 *
 * Memory: two rounds of records, the processes that live or have just ended (ENDED_MOST bytes
 * of those), and what every profile has.
 */
#include <errno.h>
#include <flamefold_diff.h>
#include <inttypes.h>

#include "engine/job.h"
#include "engine/live_mode.h"
#include "engine/map_lines.h"

enum {
	/* A pipe without rounds is cut into such: what is held is twice this at the most,
	 * or, where the recorder has longer ones, twice as much as that. */
	ROUND_MOST = 32 << 20,
	RECORDERS_ROUND_MOST = 256 << 20,
	/* A process that has exited is still sampled while the kernel takes it down. */
	KEPT_NS = 1000000000,
};

/* Whatever is wrong with the saved file, the profile goes on. */
static void stop_saving(struct stream_run *s)
{
	warn(&s->job->p->ctx, "%s", s->job->p->ctx.error);
	s->save = NULL;
	s->save_failed = true;
}

/* Into the tree, and where it is saved, with what only this machine can tell of its stack. */
static int deliver_sample(struct stream_run *s, const struct round_item *item)
{
	struct ff_profile *p = s->job->p;
	struct sample sample;
	struct save_found found = { 0 };
	int err = sample_decode(&p->ctx, s->worker.reader, item->bytes,
				item->tag >> TAG_BITS, &sample);

	/* A sample that cannot be decoded is counted, and is no error. */
	s->damaged += err == 0;
	if (err <= 0)
		return err;
	/* One without a time has got it in the order of the pipe, but for what was added up over
	 * all times. */
	if (sample.time < TIME_NEVER)
		sample.time = item->time;
	err = s->chosen ? 0 : choose_events(s->job);
	/* At the first sample, as a pipe tells its events on the way. */
	s->chosen = true;
	if (err == 0)
		err = worker_take(&s->worker, &sample);
	if (err < 0 || !s->save)
		return err;
	/* A saved sample has what the walk has found, for whoever reads it has not this
	 * machine's files. */
	found.cut = stack_chain_is_cut(&sample, &s->job->rec->events.v[sample.event]);
	if (s->job->stacks.join)
		err = stack_user_chain(s->worker.stacks, &sample, &found.user,
				       &found.user_count);
	else
		err = stack_leaf_caller(s->worker.stacks, &sample, &found.caller);
	if (err < 0)
		return fail_memory(&s->worker.ctx);
	if (save_sample(&p->ctx, s->save, item->bytes, item->size, &found) < 0)
		stop_saving(s);
	return 0;
}

int stream_run_save_bytes(struct stream_run *s, const uint8_t *bytes, uint32_t size)
{
	if (s->save && save_record(&s->job->p->ctx, s->save, bytes, size) < 0)
		stop_saving(s);
	return 0;
}

/* All that has been put in order by now. */
static int deliver_round(struct stream_run *s)
{
	struct context *ctx = &s->job->p->ctx;
	struct round_item item;
	struct record record;
	uint64_t time;
	int err = s->live ? 0 : limit_threads(s->job);

	while (err == 0 && rounds_next(&s->rounds, &item) > 0) {
		switch (item.tag & TAG_KIND) {
		case TAG_SAMPLE:
			err = deliver_sample(s, &item);
			break;
		case TAG_STATE:
			memcpy(&record, item.bytes, sizeof(record));
			if (processes_apply(s->job->processes, &record) < 0 ||
			    live_mode_follow(&s->job->pairing, &record) < 0)
				err = fail_memory(ctx);
			if (err == 0)
				err = note_running(s->job, &s->worker.collected, &record);
			break;
		case TAG_GROWTH:
			err = map_lines_deliver(s, &item);
			break;
		default:
			err = stream_run_save_bytes(s, item.bytes, item.size);
		}
	}
	if (err == 0 && s->save && save_end_round(ctx, s->save) < 0)
		stop_saving(s);
	/* What comes later is newer. Each round, so that what is deferred does not grow with the length of
	 * the run; but what there is before the first sample waits until events are chosen. */
	if (err == 0 && s->chosen)
		err = settle_deferred(s->job, &s->worker.collected, UINT64_MAX);
	/* Processes that ended longer ago than this are not asked for any more. */
	time = s->rounds.delivered > KEPT_NS ? s->rounds.delivered - KEPT_NS : 0;
	if (err < 0 || processes_forget(s->job->processes, time) == 0)
		return err;
	return fail_memory(ctx);
}

int stream_run_hold(struct stream_run *s, const struct stream_item *item)
{
	bool state = item->kind == ITEM_STATE;
	const void *bytes = state ? (const void *)&item->record : item->bytes;
	uint32_t size = state ? (uint32_t)sizeof(item->record) : item->size;
	struct ff_profile *p = s->job->p;
	int kept = 0;

	/* Now, before its path leads to something else. */
	if (s->live && state)
		kept = images_keep(&p->images, &item->record);
	if (kept < 0)
		return fail_memory(&p->ctx);
	s->fresh |= kept > 0;
	/*
	 * The tag of a round's item:
	 *
	 *	bits 63 to 2             bits 1, 0
	 *	position in the pipe     what it is: TAG_*
	 */
	if (rounds_add(&s->rounds, item->time,
		       item->position << TAG_BITS | (state ? TAG_STATE : TAG_SAMPLE),
		       bytes, size) < 0)
		return fail_memory(&p->ctx);
	return 0;
}

int stream_run_hold_bytes(struct stream_run *s, uint64_t time, const uint8_t *bytes,
			  uint32_t size)
{
	if (rounds_add(&s->rounds, time, TAG_BYTES, bytes, size) < 0)
		return fail_memory(&s->job->p->ctx);
	return 0;
}

int stream_run_end_round(struct stream_run *s)
{
	if (rounds_end_round(&s->rounds) < 0)
		return fail_memory(&s->job->p->ctx);
	input_end_round(s->job->in);
	if (s->job->rec->kernel_samples)
		symbolizer_expect_kernel(s->job->p->symbolizer);
	return deliver_round(s);
}

int stream_run_finish(struct stream_run *s)
{
	struct input_job *j = s->job;
	uint64_t cut;
	int err;

	if (rounds_end_input(&s->rounds) < 0)
		return fail_memory(&j->p->ctx);
	err = deliver_round(s);
	if (err < 0)
		return err;
	weight_sum_damaged(&s->worker.collected.sum, s->damaged);
	err = merge_worker(j, &s->worker);
	j->input->late = s->rounds.late;
	if (s->rounds.late)
		warn(&j->p->ctx,
		     "'%s': %" PRIu64 " records came after newer ones had gone",
		     input_path(j->in), s->rounds.late);
	/* A file is read as a whole, and there nothing is copied. */
	cut = processes_maps_cut(j->processes);
	if (cut)
		warn(&j->p->ctx,
		     "'%s': processes that were forked began without %" PRIu64
		     " of the maps of their parents, which were too many to be copied: "
		     "what they ran there is [unknown]",
		     input_path(j->in), cut);
	return err;
}

int stream_run_start(struct stream_run *s)
{
	struct input_job *j = s->job;
	struct ff_profile *p = j->p;
	int err;

	if (filters_need_end(p->filters))
		return fail(
			&p->ctx, -EINVAL,
			"'%s' is read as it comes, so percentages of its time are not "
			"known yet: give the time in seconds, START,END",
			input_path(j->in));
	rounds_init(&s->rounds);
	err = processes_new(&p->ctx, j->rec, &p->images, PROCESSES_GROWING,
			    &j->processes);
	if (err == 0 && p->options.flags & FF_COMPAT_STACKCOLLAPSE)
		processes_label_as_printed(j->processes);
	if (p->options.flags & FF_TIME_BLOCKS)
		j->grid = time_grid_growing();
	return err < 0 ? err : worker_start(j, &s->worker);
}

int stream_run_release(struct stream_run *s, int err)
{
	struct ff_profile *p = s->job->p;

	if (err < 0 && s->worker.ctx.error[0])
		/* The worker has a context of its own, and its sentence says what went
		 * wrong. */
		memcpy(p->ctx.error, s->worker.ctx.error, sizeof(p->ctx.error));
	worker_release(&s->worker);
	rounds_release(&s->rounds);
	return err;
}

int read_stream(struct input_job *j)
{
	struct stream_run s = { .job = j };
	size_t most = ROUND_MOST;
	struct stream_item item;
	int err = stream_run_start(&s), found;

	while (err == 0 && (found = input_next(&j->p->ctx, j->in, &item)) != 0) {
		bool ends_round = item.kind == ITEM_ROUND;

		if (found < 0) {
			err = found;
			break;
		}
		/* A recorder that marks its rounds decides how long they are, up to a
		 * limit. */
		if (ends_round)
			most = RECORDERS_ROUND_MOST;
		else
			err = stream_run_hold(&s, &item);
		if (err < 0 || !(ends_round || rounds_full(&s.rounds, most)))
			continue;
		show_progress(j->p, "reading records", state_progress(j->in), 0);
		err = stream_run_end_round(&s);
	}
	if (err == 0)
		err = stream_run_finish(&s);
	return stream_run_release(&s, err);
}
