/*
 * A stream on its way: the profile has a snapshot of what the worker has collected, is finished
 * for as long as somebody looks, and forgets it again.
 */
#include <errno.h>
#include <stdlib.h>

#include "engine/job.h"

int stream_run_show(struct stream_run *s, int (*show)(void *arg, struct ff_profile *p),
		    void *arg)
{
	struct ff_profile *p = s->job->p;
	struct ff_input *input = s->job->input;
	struct worker *w = &s->worker;
	/* A live run is the only input of a profile, which has nothing else yet. */
	struct collected own = p->collected;
	int err;

	snapshot_take(&p->collected, &w->collected);
	stack_counts_add(&p->collected.unwound, stack_walker_counts(w->stacks));
	input->tally = w->collected.tally;
	input->delivered = w->collected.sum.samples_read;
	/* A header needs to know what was counted, which else is noted when the input
	 * ends. */
	err = note_events(p, input, &s->job->events, &s->job->pairing, &s->job->wall);
	if (err == 0)
		err = finish_so_far(p);
	if (err == 0)
		err = show(arg, p);
	/* Also after a failure: the profile is as it was, and goes on. */
	forget_results(p);
	snapshot_release(&p->collected, &w->collected);
	p->collected = own;
	input->tally = (struct sample_tally){ 0 };
	input->delivered = 0;
	return err;
}

int stream_run_forget(struct stream_run *s)
{
	/* What is open has its end, or the next reading of its counter, in another window: it and its
	 * stack are all that is kept. */
	struct collected before = s->worker.collected;
	int err;

	s->worker.collected = (struct collected){ 0 };
	worker_release(&s->worker);
	s->worker = (struct worker){ 0 };
	s->frames_noted = 0;
	/* They were those of its frames. */
	symbols_release(&s->job->p->symbols);
	err = worker_start(s->job, &s->worker);
	if (err == 0 && collected_carry_on(&s->worker.collected, &before) < 0)
		err = fail_memory(&s->job->p->ctx);
	collected_release(&before);
	return err;
}

static int name_worker(struct stream_run *s)
{
	struct ff_profile *p = s->job->p;

	return symbolizer_run(&p->ctx, p->symbolizer, &s->worker.collected.frames,
			      &p->symbols);
}

int stream_run_make_room(struct stream_run *s)
{
	int err = name_worker(s);

	if (err == 0)
		/* Only when frames have their names, which may be in the files that are
		 * let go of. */
		images_close_oldest(&s->job->p->images, s->rounds.delivered);
	return err;
}

int stream_run_compact(struct stream_run *s)
{
	struct ff_profile *p = s->job->p;
	struct collected *c = &s->worker.collected;
	uint32_t *map = NULL;
	int err = name_worker(s);

	if (err < 0)
		return err;
	/* Frames that show the same functions of one image are alike; stacks of such
	 * become one. */
	if (symbols_equivalence(&p->symbols, &c->frames, &p->images, &map) < 0 ||
	    collected_compact(c, map, NULL) < 0)
		err = fail_memory(&p->ctx);
	free(map);
	return err;
}
