/* The second pass: samples, in chunks, by any number of workers. */
#include <errno.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "profile.h"

struct worker {
	struct context ctx;
	struct reading *reading;
	struct sample_reader *reader;
	struct frames frames;
	struct trie trie;
	struct stack_walker *stacks;
	struct filter_memo *memo;
	struct weight_sum sum;
	uint64_t poorer[POORER_ALL];
	uint64_t chains, user_stacks;
	ARRAY(struct ff_process) processes;
	struct hash_map process_by_pid;
};

static bool passes(struct worker *w, const struct sample *s)
{
	const struct reading *r = w->reading;
	struct filter_subject subject = {
		.pid = s->pid,
		.tid = s->tid,
		.cpu = s->cpu,
		.comm = stack_comm(w->stacks, s),
		.event = r->rec->events.v[s->event].name,
		.time = s->time,
		.first = r->rec->first_time,
		.last = r->rec->last_time,
	};

	return filters_pass(r->p->filters, w->memo, &r->p->strings, &subject);
}

static struct ff_process *tally(struct worker *w, uint32_t pid)
{
	uint32_t *index = hash_map_get(&w->process_by_pid, pid);
	struct ff_process *process;

	if (index)
		return &w->processes.v[*index];
	if (!hash_map_set(&w->process_by_pid, pid, (uint32_t)w->processes.count))
		return NULL;
	process = array_add(&w->processes);
	if (process)
		process->pid = pid;
	return process;
}

/* The node of a sample's stack: remembered, or walked and added. */
static int find_stack(struct worker *w, const struct sample *s, uint32_t *node,
		      uint32_t *poorer)
{
	const struct trie_memory *seen;
	struct trie_memory memory;
	struct stack_key key;
	struct stack stack;

	stack_key(w->stacks, s, &key);
	seen = trie_recall(&w->trie, key.low, key.high);
	if (seen) {
		*node = seen->node;
		*poorer = seen->note;
		return 0;
	}
	if (stack_walk(w->stacks, s, &stack) < 0 ||
	    trie_add(&w->trie, stack.frames, stack.count, node) < 0)
		return fail_memory(&w->ctx);
	*poorer = stack.poorer;
	memory = (struct trie_memory){ key.low, key.high, *node, stack.poorer };
	trie_remember(&w->trie, &memory);
	return 0;
}

static int charge(struct worker *w, const struct sample *s, uint64_t weight)
{
	struct ff_process *process;
	uint32_t node = 0, poorer = 0;
	int err = find_stack(w, s, &node, &poorer);

	if (err < 0)
		return err;
	process = tally(w, s->pid);
	if (!process || trie_charge(&w->trie, node, TRIE_WEIGHT, weight) < 0 ||
	    trie_charge(&w->trie, node, TRIE_SAMPLES, 1) < 0)
		return fail_memory(&w->ctx);
	process->samples++;
	w->poorer[poorer]++;
	w->sum.kept += weight;
	w->sum.samples_kept++;
	return 0;
}

/* Stages 4 to 6 for one sample. */
static int take(struct worker *w, const struct sample *s)
{
	const struct reading *r = w->reading;
	uint64_t weight = weight_of(&r->weights, &r->rec->events.v[s->event], s);

	w->sum.read += weight;
	w->sum.samples_read++;
	w->chains += s->chain_count > 0;
	w->user_stacks += s->has_user_stack;
	if (!r->events.wanted.v[s->event]) {
		w->sum.lost[LOST_EVENT] += weight;
		return 0;
	}
	if (!filters_empty(r->p->filters) && !passes(w, s)) {
		w->sum.lost[LOST_FILTER] += weight;
		return 0;
	}
	return charge(w, s, weight);
}

static int take_chunk(void *arg, size_t chunk, size_t worker)
{
	struct reading *r = arg;
	struct worker *w = &r->workers[worker];
	uint64_t damaged = 0;
	struct sample sample;
	int err;

	sample_reader_start(w->reader, chunk);
	while ((err = sample_next(&w->ctx, w->reader, &sample, &damaged)) > 0) {
		err = take(w, &sample);
		if (err < 0)
			break;
	}
	w->sum.read += damaged;
	w->sum.samples_read += damaged;
	w->sum.lost[LOST_DAMAGED] += damaged;
	atomic_fetch_add(&r->chunks_done, 1);
	/* The caller's thread is worker 0. */
	if (worker == 0)
		show_progress(r->p, "reading samples", atomic_load(&r->chunks_done),
			      input_chunks(r->in));
	return err;
}

static int worker_start(struct reading *r, struct worker *w)
{
	w->reading = r;
	w->ctx.log = r->p->ctx.log;
	w->ctx.log_arg = r->p->ctx.log_arg;
	if (trie_init(&w->trie) < 0 || filter_memo_new(r->p->filters, &w->memo) < 0)
		return fail_memory(&r->p->ctx);
	if (sample_reader_new(&r->p->ctx, r->in, &w->reader) < 0)
		return -ENOMEM;
	return stack_walker_new(&r->p->ctx, r->processes, &w->frames, &r->stacks,
				&w->stacks);
}

static void worker_release(struct worker *w)
{
	sample_reader_free(w->reader);
	stack_walker_free(w->stacks);
	filter_memo_free(w->memo);
	frames_release(&w->frames);
	trie_release(&w->trie);
	array_release(&w->processes);
	hash_map_release(&w->process_by_pid);
}

static int merge_process(struct ff_profile *p, const struct processes *processes,
			 uint64_t until, const struct ff_process *from)
{
	uint32_t *index = hash_map_get(&p->process_by_pid, from->pid);
	struct ff_process *to;
	struct comm comm;

	if (index) {
		p->processes.v[*index].samples += from->samples;
		return 0;
	}
	if (!hash_map_set(&p->process_by_pid, from->pid, (uint32_t)p->processes.count))
		return -ENOMEM;
	to = array_add(&p->processes);
	if (!to)
		return -ENOMEM;
	processes_comm(processes, from->pid, from->pid, until, &comm);
	*to = (struct ff_process){ from->pid, intern_text(&p->strings, comm.name),
				   from->samples };
	return 0;
}

static int worker_merge(struct ff_profile *p, struct worker *w)
{
	uint32_t *map = NULL;
	int err;

	scale_weights(&w->trie, &w->sum, p->decimals);
	err = frames_merge(&p->frames, &w->frames, &map);
	if (err == 0)
		err = trie_merge(&p->trie, &w->trie, map);
	free(map);
	for (size_t i = 0; i < w->processes.count && err == 0; i++)
		err = merge_process(p, w->reading->processes, w->reading->rec->last_time,
				    &w->processes.v[i]);
	weight_sum_add(&p->sum, &w->sum);
	for (int i = 0; i < POORER_ALL; i++)
		p->poorer[i] += w->poorer[i];
	return err < 0 ? fail_memory(&p->ctx) : 0;
}

/* The first worker that failed says why. */
static int adopt_error(struct reading *r, int err)
{
	for (size_t i = 0; i < r->threads && err < 0; i++)
		if (r->workers[i].ctx.error[0]) {
			memcpy(r->p->ctx.error, r->workers[i].ctx.error,
			       sizeof(r->p->ctx.error));
			break;
		}
	return err;
}

int read_samples(struct reading *r, struct ff_input *input)
{
	int err = 0;

	r->workers = calloc(r->threads, sizeof(*r->workers));
	if (!r->workers)
		return fail_memory(&r->p->ctx);
	for (size_t i = 0; i < r->threads && err == 0; i++)
		err = worker_start(r, &r->workers[i]);
	if (err == 0)
		err = adopt_error(
			r, parallel_run(r->threads, input_chunks(r->in), take_chunk, r));
	for (size_t i = 0; i < r->threads; i++) {
		if (err == 0)
			err = worker_merge(r->p, &r->workers[i]);
		input->chains += r->workers[i].chains;
		input->user_stacks += r->workers[i].user_stacks;
		worker_release(&r->workers[i]);
	}
	free(r->workers);
	return err;
}
