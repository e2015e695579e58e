/*
 * A pipe that perf writes to, read once as it comes:
 *
 *	input -> order (two rounds) -> process, or stack -> trie -> weight
 *
 * Memory: two rounds of records, the processes that live or have just ended (ENDED_MOST bytes
 * of those), and what every profile has.
 */
#include <errno.h>
#include <inttypes.h>

#include "engine/profile.h"

enum {
	/* A pipe without rounds is cut into such: what is held is twice this at the most,
	 * or, where the recorder has longer ones, twice as much as that. */
	ROUND_MOST = 32 << 20,
	RECORDERS_ROUND_MOST = 256 << 20,
	/* A process that has exited is still sampled while the kernel takes it down. */
	KEPT_NS = 1000000000,
};

/* What is held; the rest of its tag is its place in the pipe. */
enum { TAG_SAMPLE, TAG_STATE, TAG_BYTES, TAG_BITS = 2, TAG_KIND = 3 };

/* When the first sample goes out. */
static int choose_once(struct stream_run *f)
{
	if (f->chosen)
		return 0;
	f->chosen = true;
	return choose_events(f->r);
}

/* Whatever is wrong with the saved file, the profile goes on. */
static void stop_saving(struct stream_run *f)
{
	warn(&f->r->p->ctx, "%s", f->r->p->ctx.error);
	f->save = NULL;
	f->save_failed = true;
}

static int save_also(struct stream_run *f, const struct round_item *item,
		     const struct sample *sample)
{
	const struct event *event = &f->r->rec->events.v[sample->event];
	struct save_found found = { .cut = stack_chain_is_cut(sample, event) };
	int err;

	if (f->r->stacks.join)
		err = stack_user_chain(f->worker.stacks, sample, &found.user,
				       &found.user_count);
	else
		err = stack_leaf_caller(f->worker.stacks, sample, &found.caller);
	if (err < 0)
		return fail_memory(&f->worker.ctx);
	if (save_sample(&f->r->p->ctx, f->save, item->bytes, item->size, &found) < 0)
		stop_saving(f);
	return 0;
}

static int deliver_sample(struct stream_run *f, const struct round_item *item)
{
	struct ff_profile *p = f->r->p;
	struct sample sample;
	int found = sample_decode(&p->ctx, f->worker.reader, item->bytes,
				  item->tag >> TAG_BITS, &sample);

	f->damaged += found == 0;
	if (found <= 0)
		return found;
	/* One without a time has got it in the order of the pipe. */
	sample.time = item->time;
	found = choose_once(f);
	if (found == 0)
		found = worker_take(&f->worker, &sample);
	return found < 0 || !f->save ? found : save_also(f, item, &sample);
}

static int deliver_state(struct stream_run *f, const struct round_item *item)
{
	struct record record;

	memcpy(&record, item->bytes, sizeof(record));
	return processes_apply(f->r->processes, &record) < 0 ? fail_memory(&f->r->p->ctx)
							     : 0;
}

static int deliver_item(struct stream_run *f, const struct round_item *item)
{
	switch (item->tag & TAG_KIND) {
	case TAG_SAMPLE:
		return deliver_sample(f, item);
	case TAG_STATE:
		return deliver_state(f, item);
	default:
		if (f->save &&
		    save_record(&f->r->p->ctx, f->save, item->bytes, item->size) < 0)
			stop_saving(f);
		return 0;
	}
}

static int deliver(struct stream_run *f)
{
	struct round_item item;
	uint64_t time;
	int err = 0;

	while (err == 0 && rounds_next(&f->rounds, &item) > 0)
		err = deliver_item(f, &item);
	if (err == 0 && f->save && save_end_round(&f->r->p->ctx, f->save) < 0)
		stop_saving(f);
	/* They came in time order. */
	if (err == 0 &&
	    counter_reads_settle(&f->worker.counters, &f->r->weights, &f->worker.trie,
				 &f->worker.log, &f->worker.sum) < 0)
		err = fail_memory(&f->r->p->ctx);
	time = f->rounds.delivered > KEPT_NS ? f->rounds.delivered - KEPT_NS : 0;
	if (err < 0 || processes_forget(f->r->processes, time) == 0)
		return err;
	return fail_memory(&f->r->p->ctx);
}

int stream_run_hold(struct stream_run *f, const struct stream_item *item)
{
	bool state = item->kind == ITEM_STATE;
	const void *bytes = state ? (const void *)&item->record : item->bytes;
	uint32_t size = state ? (uint32_t)sizeof(item->record) : item->size;
	struct ff_profile *p = f->r->p;
	int kept = 0;

	/* Now, before its path leads to something else. */
	if (f->live && state)
		kept = images_keep(&p->images, &p->strings, &item->record);
	if (kept < 0)
		return fail_memory(&p->ctx);
	f->fresh |= kept > 0;
	if (rounds_add(&f->rounds, item->time,
		       item->position << TAG_BITS | (state ? TAG_STATE : TAG_SAMPLE),
		       bytes, size) < 0)
		return fail_memory(&p->ctx);
	return 0;
}

int stream_run_hold_bytes(struct stream_run *f, uint64_t time, const uint8_t *bytes,
			  uint32_t size)
{
	if (rounds_add(&f->rounds, time, TAG_BYTES, bytes, size) < 0)
		return fail_memory(&f->r->p->ctx);
	return 0;
}

int stream_run_end_round(struct stream_run *f)
{
	if (rounds_end_round(&f->rounds) < 0)
		return fail_memory(&f->r->p->ctx);
	input_end_round(f->r->in);
	if (f->r->rec->kernel_samples)
		symbolizer_expect_kernel(f->r->p->symbolizer);
	return deliver(f);
}

static int end_round(struct stream_run *f)
{
	show_progress(f->r->p, "reading records", state_progress(f->r->in), 0);
	return stream_run_end_round(f);
}

static int read_rounds(struct stream_run *f)
{
	size_t most = ROUND_MOST;
	struct stream_item item;
	int err = 0, found = 1;

	while (err == 0 && (found = input_next(&f->r->p->ctx, f->r->in, &item)) > 0) {
		if (item.kind != ITEM_ROUND)
			err = stream_run_hold(f, &item);
		else
			most = RECORDERS_ROUND_MOST;
		if (err == 0 &&
		    (item.kind == ITEM_ROUND || rounds_full(&f->rounds, most)))
			err = end_round(f);
	}
	return err < 0 ? err : found;
}

/* A file is read as a whole, and there nothing is copied. */
static void tell_maps_cut(struct input_job *r)
{
	uint64_t cut = processes_maps_cut(r->processes);

	if (cut)
		warn(&r->p->ctx,
		     "'%s': processes that were forked began without %" PRIu64
		     " of the maps of their parents, which were too many to be copied: "
		     "what they ran there is [unknown]",
		     input_path(r->in), cut);
}

int stream_run_finish(struct stream_run *f, struct ff_input *input)
{
	struct worker *w = &f->worker;
	int err;

	if (rounds_end_input(&f->rounds) < 0)
		return fail_memory(&f->r->p->ctx);
	err = deliver(f);
	if (err < 0)
		return err;
	weight_sum_damaged(&w->sum, f->damaged);
	err = worker_merge(f->r->p, w);
	input->tally = w->tally;
	input->late = f->rounds.late;
	if (f->rounds.late)
		warn(&f->r->p->ctx,
		     "'%s': %" PRIu64 " records came after newer ones had gone",
		     input_path(f->r->in), f->rounds.late);
	tell_maps_cut(f->r);
	return err < 0 ? err : settle_counters(f->r, input);
}

int stream_run_start(struct stream_run *f)
{
	struct input_job *r = f->r;
	struct ff_profile *p = r->p;
	int err;

	if (filters_need_end(p->filters))
		return fail(
			&p->ctx, -EINVAL,
			"'%s' is read as it comes, so percentages of its time are not "
			"known yet: give the time in seconds, START,END",
			input_path(r->in));
	rounds_init(&f->rounds);
	err = processes_new(&p->ctx, r->rec, &p->images, &p->strings, PROCESSES_GROWING,
			    &r->processes);
	if (err == 0 && p->options.flags & FF_COMPAT_STACKCOLLAPSE)
		processes_label_as_printed(r->processes);
	return err < 0 ? err : worker_start(r, &f->worker);
}

int stream_run_release(struct stream_run *f, int err)
{
	struct ff_profile *p = f->r->p;

	if (err < 0 && f->worker.ctx.error[0])
		memcpy(p->ctx.error, f->worker.ctx.error, sizeof(p->ctx.error));
	worker_release(&f->worker);
	rounds_release(&f->rounds);
	return err;
}

int read_stream(struct input_job *r, struct ff_input *input)
{
	struct stream_run f = { .r = r };
	int err = stream_run_start(&f);

	if (err == 0)
		err = read_rounds(&f);
	if (err == 0)
		err = stream_run_finish(&f, input);
	return stream_run_release(&f, err);
}
