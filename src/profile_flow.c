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

#include "order/order.h"
#include "profile.h"

enum {
	/* A pipe without rounds is cut into such: what is held is twice this at the most,
	 * or, where the recorder has longer ones, twice as much as that. */
	ROUND_MOST = 32 << 20,
	RECORDERS_ROUND_MOST = 256 << 20,
	/* A process that has exited is still sampled while the kernel takes it down. */
	KEPT_NS = 1000000000,
};

struct flowing {
	struct reading *r;
	struct worker worker;
	struct rounds rounds;
	bool chosen; /* which events count */
	uint64_t damaged;
};

/* What a held record is; the rest of its tag is its place in the pipe. */
enum { TAG_SAMPLE, TAG_STATE };

static int choose_events(struct flowing *f)
{
	struct ff_profile *p = f->r->p;
	bool compat = p->options.flags & FF_COMPAT_STACKCOLLAPSE;

	if (f->chosen)
		return 0;
	f->chosen = true;
	return event_choice_make(&p->ctx, &f->r->events, f->r->rec, &p->strings,
				 p->options.event, compat);
}

static int deliver_sample(struct flowing *f, const struct round_item *item)
{
	struct ff_profile *p = f->r->p;
	struct sample sample;
	int found = sample_decode(&p->ctx, f->worker.reader, item->bytes, item->tag >> 1,
				  &sample);

	f->damaged += found == 0;
	if (found <= 0)
		return found;
	/* One without a time has got it in the order of the pipe. */
	sample.time = item->time;
	found = choose_events(f);
	return found < 0 ? found : worker_take(&f->worker, &sample);
}

static int deliver_state(struct flowing *f, const struct round_item *item)
{
	struct record record;

	memcpy(&record, item->bytes, sizeof(record));
	return processes_apply(f->r->processes, &record) < 0 ? fail_memory(&f->r->p->ctx)
							     : 0;
}

static int deliver(struct flowing *f)
{
	struct round_item item;
	uint64_t time;
	int err = 0;

	while (err == 0 && rounds_next(&f->rounds, &item) > 0)
		err = item.tag & TAG_STATE ? deliver_state(f, &item)
					   : deliver_sample(f, &item);
	/* They came in time order. */
	if (err == 0 && counter_reads_settle(&f->worker.counters, &f->r->weights,
					     &f->worker.trie, &f->worker.sum) < 0)
		err = fail_memory(&f->r->p->ctx);
	time = f->rounds.delivered > KEPT_NS ? f->rounds.delivered - KEPT_NS : 0;
	if (err < 0 || processes_forget(f->r->processes, time) == 0)
		return err;
	return fail_memory(&f->r->p->ctx);
}

static int hold(struct flowing *f, const struct flow *flow)
{
	bool state = flow->kind == FLOW_STATE;
	const void *bytes = state ? (const void *)&flow->record : flow->bytes;
	uint32_t size = state ? (uint32_t)sizeof(flow->record) : flow->size;

	if (rounds_add(&f->rounds, flow->time, flow->position << 1 | state, bytes, size) <
	    0)
		return fail_memory(&f->r->p->ctx);
	return 0;
}

static int end_round(struct flowing *f)
{
	struct ff_profile *p = f->r->p;

	rounds_end_round(&f->rounds);
	flow_end_round(f->r->in);
	if (f->r->rec->kernel_samples)
		symbolizer_expect_kernel(p->symbolizer);
	show_progress(p, "reading records", state_progress(f->r->in), 0);
	return deliver(f);
}

static int read_rounds(struct flowing *f)
{
	size_t most = ROUND_MOST;
	struct flow flow;
	int err = 0, found = 1;

	while (err == 0 && (found = flow_next(&f->r->p->ctx, f->r->in, &flow)) > 0) {
		if (flow.kind != FLOW_ROUND)
			err = hold(f, &flow);
		else
			most = RECORDERS_ROUND_MOST;
		if (err == 0 &&
		    (flow.kind == FLOW_ROUND || rounds_full(&f->rounds, most)))
			err = end_round(f);
	}
	if (err < 0 || found < 0)
		return err < 0 ? err : found;
	rounds_end_input(&f->rounds);
	return deliver(f);
}

/* What the worker found becomes the profile's. */
static int end_flow(struct flowing *f, struct ff_input *input)
{
	struct worker *w = &f->worker;
	int err;

	w->sum.read += f->damaged;
	w->sum.samples_read += f->damaged;
	w->sum.lost[LOST_DAMAGED] += f->damaged;
	err = worker_merge(f->r->p, w);
	input->seen = w->seen;
	input->late = f->rounds.late;
	if (f->rounds.late)
		warn(&f->r->p->ctx,
		     "'%s': %" PRIu64 " records came after newer ones had gone",
		     input_path(f->r->in), f->rounds.late);
	return err < 0 ? err : settle_counters(f->r);
}

int read_flow(struct reading *r, struct ff_input *input)
{
	struct flowing f = { .r = r };
	struct ff_profile *p = r->p;
	int err;

	err = processes_new(&p->ctx, r->rec, &p->images, &p->strings, PROCESSES_GROWING,
			    &r->processes);
	if (err < 0)
		return err;
	rounds_init(&f.rounds);
	err = worker_start(r, &f.worker);
	if (err == 0)
		err = read_rounds(&f);
	if (err == 0)
		err = end_flow(&f, input);
	else if (f.worker.ctx.error[0])
		memcpy(p->ctx.error, f.worker.ctx.error, sizeof(p->ctx.error));
	worker_release(&f.worker);
	rounds_release(&f.rounds);
	return err;
}
