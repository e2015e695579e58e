/*
 * A worker has all that it takes to turn samples into weight, and one `struct collected` that
 * nobody else touches meanwhile: workers share what they only read.
 */
#include <errno.h>
#include <flamefold_time.h>

#include "engine/job.h"

int worker_start(struct input_job *j, struct worker *w)
{
	struct ff_profile *p = j->p;
	struct stack_sources sources = {
		.ps = j->processes,
		.rec = j->rec,
		.strings = &p->strings,
		.binaries = p->binaries,
	};

	w->job = j;
	/* Nowhere, until a chunk says otherwise. */
	w->damaged_at = UINT64_MAX;
	w->filters = filters_ask_samples(p->filters);
	w->asks_kthreads = filters_ask_kthreads(p->filters);
	w->ctx.log = p->ctx.log;
	w->ctx.log_arg = p->ctx.log_arg;
	w->ctx.budget = p->ctx.budget;
	if (profile_reads_many(p))
		collected_lend(p, &w->collected);
	else if (collected_init(&w->collected, &p->limit) < 0)
		return fail_memory(&p->ctx);
	/* Slices of one number are added up, whatever time each recording has for it. */
	w->collected.blocks.grid = j->grid;
	w->collected.blocks.budget = p->ctx.budget;
	if (filter_memo_new(p->filters, &w->memo) < 0)
		return fail_memory(&p->ctx);
	if (p->options.flags & FF_HEAT)
		w->collected.heat =
			heat_of(recording_first(j->rec), p->slice, p->ctx.budget);
	/* Slices, which have a width of their own, are of stacks alone. */
	if (p->options.flags & FF_HEAT && !p->slice)
		w->collected.processors =
			heat_of(recording_first(j->rec), 0, p->ctx.budget);
	/* Refers to w->collected, so a worker is not moved or copied from here on. */
	w->weigher = (struct weigher){ .ctx = &w->ctx,
				       .options = &j->weights,
				       .events = &j->events,
				       .pairing = &j->pairing,
				       .wall = &j->wall,
				       .chart = &j->chart,
				       .filters = j->p->filters,
				       .rec = j->rec,
				       .in = j->in,
				       .target = collected_target(&w->collected),
				       .input = (uint16_t)j->input->index,
				       .keep_samples = j->keep_samples };
	if (sample_reader_new(&p->ctx, j->in, &w->reader) < 0)
		return -ENOMEM;
	if (p->options.flags & FF_COMPAT_STACKCOLLAPSE)
		sample_reader_take_any_target(w->reader);
	if (!p->walker)
		return stack_walker_new(&p->ctx, &sources, &w->collected.frames,
					&j->stacks, &w->stacks);
	w->stacks = p->walker;
	p->walker = NULL;
	stack_walker_take_next(w->stacks, &sources, &w->collected.frames, &j->stacks);
	return 0;
}

int worker_filter(struct worker *w, const struct sample *s)
{
	const struct input_job *j = w->job;
	struct space space;
	uint64_t lowest;
	struct filter_subject subject = {
		.pid = s->pid,
		.tid = s->tid,
		.cpu = s->cpu,
		.comm = stack_comm(w->stacks, s),
		.event = j->rec->events.v[s->event].name,
		.cgroup = processes_cgroup(j->processes, s->cgroup),
		.time = s->time,
		.first = *recording_first(j->rec),
		.last = recording_last(j->rec),
		.any_time = j->pairing.is_bound,
		.state = pairing_state(&j->pairing, s),
	};

	/* Threads of the kernel have no memory of their own, from their beginning to their
	 * end. */
	if (w->asks_kthreads) {
		processes_space(j->processes, s->pid, s->time, &space);
		subject.kthread = !processes_lowest_code(j->processes, &space, &lowest);
	}
	return filters_pass(&w->ctx, j->p->filters, w->memo, &j->p->strings, &subject);
}

/* What is remembered of a stack beside its node: why it is not whole, and these. */
enum {
	NOTE_FOLLOWED = 1 << INCOMPLETE_BITS,
	NOTE_CUT = NOTE_FOLLOWED << 1,
	NOTE_INFERRED = NOTE_CUT << 1,
	NOTE_SKIPPED = NOTE_INFERRED << 1,
};

/* Stacks that are not whole can be left out. */
static bool is_dropped(const struct worker *w, uint32_t notes)
{
	return w->job->drop_truncated && notes & INCOMPLETE_TRUNCATED;
}

int worker_find_stack(struct worker *w, const struct sample *s, struct charge *ret)
{
	struct collected *c = &w->collected;
	const struct trie_memory *known = NULL;
	struct trie_memory found;
	struct stack_key key = { 0 };
	bool has_key = stack_key(w->stacks, s, &key);
	struct stack stack;
	int err = 0;

	if (has_key)
		known = trie_recall(&c->trie, key.low, key.high);
	/* A stack is walked once for each key, which stands for all of it; a sample that
	 * has none is walked each time. */
	if (!known) {
		if (stack_walk(w->stacks, s, &stack) < 0)
			return fail_memory(&w->ctx);
		found.high = key.high;
		found.note = stack.incomplete | (stack.followed ? NOTE_FOLLOWED : 0) |
			     (stack.inferred ? NOTE_INFERRED : 0) |
			     (stack.skipped ? NOTE_SKIPPED : 0);
		found.node = 0; /* it stays so where the stack is dropped */
		if (!is_dropped(w, found.note))
			err = collected_add_stack(c, stack.frames, stack.count,
						  &found.node);
		if (err < 0)
			return fail_memory(&w->ctx);
		found.note |= err > 0 ? NOTE_CUT : 0;
		known = &found;
		/* Only what is in the tree is remembered: 0 would say the same of every
		 * dropped stack. */
		if (has_key && found.node)
			trie_remember(&c->trie, key.low, &found);
	}
	ret->node = known->node;
	ret->followed = known->note & NOTE_FOLLOWED;
	ret->cut = known->note & NOTE_CUT;
	/* What weighs nothing tells nothing of the stacks that do: it is for a chart. */
	if (ret->lost && w->job->chart.is_bound)
		return 0;
	if (is_dropped(w, known->note))
		ret->lost = LOST_TRUNCATED + 1;
	incomplete_count(&c->incomplete, known->note & (NOTE_FOLLOWED - 1));
	c->tally.chains_broken += (known->note & INCOMPLETE_ODD_CONTEXT) != 0;
	c->tally.inferred += (known->note & NOTE_INFERRED) != 0;
	c->tally.skipped += (known->note & NOTE_SKIPPED) != 0;
	return 0;
}

static void release_readers(struct worker *w)
{
	sample_reader_free(w->reader);
	stack_walker_free(w->stacks);
	filter_memo_free(w->memo);
	w->reader = NULL;
	w->stacks = NULL;
	w->memo = NULL;
}

void worker_finish(struct worker *w)
{
	stack_counts_add(&w->collected.unwound, stack_walker_counts(w->stacks));
	if (profile_reads_many(w->job->p)) {
		w->job->p->walker = w->stacks;
		w->stacks = NULL;
	}
	release_readers(w);
}

void worker_release(struct worker *w)
{
	release_readers(w);
	array_release(&w->handed);
	if (w->job && profile_reads_many(w->job->p))
		collected_take_back(w->job->p, &w->collected);
	collected_release(&w->collected);
}
