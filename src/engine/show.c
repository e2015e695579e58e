/*
 * The tree of a live run on the way: the profile borrows what its worker has, is finished
 * for as long as somebody looks, and gives it back.
 */
#include <errno.h>
#include <stdlib.h>

#include "engine/profile.h"

/* What the profile had of its own. */
struct own {
	struct frames frames;
	struct trie trie;
	struct weight_sum sum;
	struct incomplete_counts incomplete;
	struct stack_counts unwound;
	struct sample_tally tally;
	uint64_t delivered;
};

static void lend(struct stream_run *f, struct ff_input *input, struct own *own)
{
	struct ff_profile *p = f->r->p;
	struct worker *w = &f->worker;

	*own = (struct own){ p->frames,	 p->trie,      p->sum,		p->incomplete,
			     p->unwound, input->tally, input->delivered };
	p->frames = w->frames;
	p->trie = w->trie;
	weight_sum_add(&p->sum, &w->sum);
	incomplete_counts_add(&p->incomplete, &w->incomplete);
	stack_counts_add(&p->unwound, stack_walker_counts(w->stacks));
	input->tally = w->tally;
	input->delivered = w->sum.samples_read;
}

static void give_back(struct stream_run *f, struct ff_input *input, const struct own *own)
{
	struct ff_profile *p = f->r->p;

	/* What filters by frames have left out of the trie does not come back. */
	f->worker.sum = p->sum;
	weight_sum_remove(&f->worker.sum, &own->sum);
	p->frames = own->frames;
	p->trie = own->trie;
	p->sum = own->sum;
	p->incomplete = own->incomplete;
	p->unwound = own->unwound;
	input->tally = own->tally;
	input->delivered = own->delivered;
}

int stream_run_show(struct stream_run *f, struct ff_input *input,
		    int (*show)(void *arg, struct ff_profile *p), void *arg)
{
	struct ff_profile *p = f->r->p;
	struct own own;
	int err;

	lend(f, input, &own);
	err = note_events(p, input, &f->r->events);
	if (err == 0)
		err = finish_so_far(p);
	if (err == 0)
		err = show(arg, p);
	forget_results(p);
	give_back(f, input, &own);
	return err;
}

int stream_run_forget(struct stream_run *f)
{
	worker_release(&f->worker);
	f->worker = (struct worker){ 0 };
	/* They were those of its frames. */
	symbols_release(&f->r->p->symbols);
	return worker_start(f->r, &f->worker);
}

/* A trie of the same stacks, with one frame for all that show the same. */
static int join_alike(struct trie *t, const uint32_t *map)
{
	struct trie joined;

	if (trie_init(&joined) < 0)
		return -ENOMEM;
	trie_limit(&joined, t->budget);
	if (trie_merge_collapsing(&joined, t, map) < 0) {
		trie_release(&joined);
		return -ENOMEM;
	}
	trie_release(t);
	*t = joined;
	return 0;
}

static int name_worker(struct stream_run *f)
{
	struct ff_profile *p = f->r->p;

	return symbolizer_run(&p->ctx, p->symbolizer, &f->worker.frames, &p->symbols);
}

int stream_run_make_room(struct stream_run *f)
{
	int err = name_worker(f);

	if (err == 0)
		images_let_go(&f->r->p->images, f->rounds.delivered);
	return err;
}

int stream_run_compact(struct stream_run *f)
{
	struct ff_profile *p = f->r->p;
	struct worker *w = &f->worker;
	uint32_t *map = NULL;
	int err = name_worker(f);

	if (err < 0)
		return err;
	if (symbols_alike(&p->symbols, &w->frames, &p->images, &map) < 0 ||
	    join_alike(&w->trie, map) < 0)
		err = fail_memory(&p->ctx);
	free(map);
	return err;
}
