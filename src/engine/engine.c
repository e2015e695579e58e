/*
 * The pipeline: connects the stages.
 *
 *	input -> order -> process                    first pass: the timeline of processes
 *	input -> filter, stack -> trie -> weight     second pass: samples, in parallel chunks
 *	         one collected a worker -> one collected of the profile -> what was deferred
 *	symbol -> filter -> tree -> write            at the end, once
 *
 * What is read once, as it comes, goes the same way in rounds: stream.c, and live.c for this
 * machine. Folded text and pictures are stacks already: folded.c, saved.c.
 */
#include <assert.h>
#include <errno.h>
#include <flamefold_diff.h>
#include <flamefold_time.h>
#include <stdlib.h>

#include "engine/interrupts.h"
#include "engine/job.h"

int worker_take(struct worker *w, const struct sample *s)
{
	int passed = w->filters ? worker_filter(w, s) : 1, err = 0;
	struct weighing weighing;

	if (passed < 0)
		return passed;
	weight_begin(&w->weigher, s, passed, &weighing);
	/* One whose stack a mode does not draw was recorded without. */
	if (weighing.how == WEIGH_ITSELF || weighing.match.has_stack)
		sample_tally_count(&w->collected.tally, &w->job->rec->events.v[s->event],
				   s);
	/* Walking is what costs most, so a sample that is lost already has no stack. */
	if (weighing.needs_stack)
		err = worker_find_stack(w, s, &weighing.charge);
	if (err < 0)
		return err;
	if (w->weigher.keep_samples || w->job->chart.is_bound)
		weighing.comm = stack_comm(w->stacks, s);
	err = weight_take(&w->weigher, &weighing);
	/* Processes are listed by samples that are in the tree, not by those that were
	 * read. */
	if (err > 0 && !(w->job->rec->is_list && s->pid == UINT32_MAX) &&
	    collected_count_process(&w->collected, s) < 0)
		err = fail_memory(&w->ctx);
	return err < 0 ? err : 0;
}

int read_recording(struct ff_profile *p, struct ff_input *input)
{
	struct input_job job;
	int err = input_job_start(p, input, &job);

	if (err < 0 || input_is_stream(job.in))
		return input_job_end(&job, err < 0 ? err : read_stream(&job));
	/* A file is read twice. */
	err = read_timeline(&job);
	if (err == 0)
		err = add_recording_symbols(&job);
	/* The first pass tells whether there are any: kallsyms is read in a thread
	 * meanwhile. */
	if (err == 0 && job.rec->kernel_samples)
		symbolizer_expect_kernel(p->symbolizer);
	if (err == 0)
		err = choose_events(&job);
	/* A list says how long it took all in all, and of no sample when it was. */
	if (err == 0 && p->options.flags & FF_TIME_BLOCKS && !job.rec->is_list) {
		uint64_t first = job.rec->first_time, last = job.rec->last_time;

		/* Pieces are of all time that was asked for, whether anything was sampled in it
		 * or not. */
		filters_time(p->filters, &first, &last);
		job.grid = time_grid_known(first, last);
	}
	if (err == 0)
		err = read_samples(&job); /* worker_take() of each */
	if (err == 0)
		err = merge_workers(&job);
	/* Also after a failure: what they read is the profile's by now, or nobody's. */
	workers_release(&job);
	if (err == 0)
		err = settle_deferred(&job, &p->collected, UINT64_MAX);
	/* In any case, for it gives back what the job holds; it returns the error it was
	 * given. */
	return input_job_end(&job, err);
}

/*
 * The order is what each step needs:
 *
 *	names -> interrupts -> filters by frames -> tree, lists -> samples in the tree -> findings
 */
int finish_so_far(struct ff_profile *p)
{
	uint8_t *left_out = NULL;
	int err;

	if (p->finished)
		return 0;
	if (!p->symbolizer)
		return fail(&p->ctx, -EINVAL, "the profile could not be finished");
	/* A sum that wrapped cannot be compared, so this comes before the assertion. */
	if (p->collected.sum.overflow)
		return fail(&p->ctx, -ERANGE, "the weights add up to more than 2^64");
	assert(collected_is_conserved(&p->collected));
	batch_end_stacks(p);
	err = spill_rest(p);
	if (err < 0)
		return err;
	show_progress(p, "reading symbols", 0, p->collected.frames.list.count);
	err = batch_is_named(p) ? 0 : name_frames(p);
	if (err < 0)
		return err;
	warn_of_unread(p);
	err = interrupts_cut(&p->collected, &p->symbols, &p->strings);
	/* It has added some frames. */
	if (err == 0 && p->collected.frames.list.count > p->symbols.of_frame.count)
		err = name_frames(p);
	if (err == 0)
		err = ratio_finish(p);
	if (err == 0)
		batch_end_names(p);
	if (err == 0)
		err = filter_stacks(p, &left_out);
	assert(err < 0 || collected_is_conserved(&p->collected));
	if (err == 0)
		err = make_tree(p, left_out);
	if (err == 0)
		err = place_samples(p, left_out);
	if (err == 0 && p->options.flags & FF_PHASES &&
	    heat_is_wanted(&p->collected.heat))
		err = phases_find(p, &p->phases);
	/* A profile file has no place for them, and they look at code anew. */
	if (err == 0 && !profile_reads_many(p))
		err = findings_make(p);
	free(left_out);
	if (err < 0)
		forget_results(p);
	p->finished = err == 0;
	if (err == 0)
		batch_end_tree(p);
	return err == -ENOMEM ? fail_memory(&p->ctx) : err;
}

int ff_profile_finish(struct ff_profile *p)
{
	trie_drop_index(&p->collected.trie);
	return finish_so_far(p);
}
