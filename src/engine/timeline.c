/*
 * The first pass over a file: what changes the state of processes, put in time order, becomes
 * the timeline that samples are looked up in.
 *
 *	input -> order -> process
 */
#include <errno.h>

#include "engine/job.h"

enum {
	SCAN_LEAST = 16 << 20
}; /* bytes of a file: to start a thread takes a tenth of a ms */

void scan_in_parts(const struct ff_profile *p, struct input *in)
{
	input_set_parallel_scan(in, profile_threads(p),
				p->parts.scan_least ? p->parts.scan_least : SCAN_LEAST);
}

int read_timeline(struct input_job *j)
{
	enum { SOME = 1024, A_STATE = 2 * sizeof(struct record) };
	struct ff_profile *p = j->p;
	const struct record *in_order;
	struct record record;
	struct order order;
	int err;

	scan_in_parts(p, j->in);
	if (p->parts.chunk)
		input_set_chunk(j->in, p->parts.chunk);
	order_init(&order);
	while ((err = state_next(&p->ctx, j->in, &record)) > 0) {
		/* RECORD_NONE is no state, only a place to look how far it is. */
		if (record.type == RECORD_NONE) {
			if (j->rec->kernel_samples && !j->rec->kallsyms)
				symbolizer_expect_kernel(p->symbolizer);
			show_progress(p, "reading maps", state_progress(j->in),
				      j->rec->bytes);
			continue;
		}
		err = note_running(j, &p->collected, &record);
		if (err < 0)
			goto out;
		if (record.type == PERF_RECORD_SWITCH)
			continue;
		/* A record, which few bytes can be, is held until all are in order, and its
		 * process keeps as much. */
		if (j->states_allowed == 0 &&
		    claim_add_part(&j->states, &p->budget, BUDGET_NAMES,
				   (uint64_t)SOME * A_STATE))
			j->states_allowed = SOME;
		if (j->states_allowed == 0) {
			budget_refuse(&p->budget, "records of processes",
				      input_path(j->in));
			continue;
		}
		j->states_allowed--;
		if (order_add(&order, &record) < 0) {
			err = fail_memory(&p->ctx);
			goto out;
		}
	}
	/* Nothing older can come: all of it may go out. */
	order_end_input(&order);
	/* After all has been read, when the header is known, too. */
	if (err == 0)
		err = processes_new(&p->ctx, j->rec, &p->images, PROCESSES_WHOLE,
				    &j->processes);
	if (err == 0 && p->options.flags & FF_COMPAT_STACKCOLLAPSE)
		processes_label_as_printed(j->processes);
	/* Samples come later, so who has ended is still one of them. */
	if (err == 0)
		err = limit_threads(j);
	while (err == 0 && order_next(&order, &in_order) > 0)
		if (processes_apply(j->processes, in_order) < 0 ||
		    (in_order->type == PERF_RECORD_FORK &&
		     thread_set_follow(&j->pairing.threads, in_order->ptid,
				       in_order->tid) < 0))
			err = fail_memory(&p->ctx);
out:
	order_release(&order);
	return err;
}
