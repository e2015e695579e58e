/* The second pass: samples, in chunks, by any number of workers. */
#include <errno.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "engine/memory.h"
#include "engine/profile.h"

/* 1, 0 or a negative errno. */
static int passes(struct worker *w, const struct sample *s)
{
	const struct input_job *r = w->job;
	struct filter_subject subject = {
		.pid = s->pid,
		.tid = s->tid,
		.cpu = s->cpu,
		.comm = stack_comm(w->stacks, s),
		.event = r->rec->events.v[s->event].name,
		.cgroup = processes_cgroup(r->processes, s->cgroup),
		.time = s->time,
		.first = r->rec->first_time,
		.last = r->rec->last_time,
	};

	return filters_pass(&w->ctx, r->p->filters, w->memo, &r->p->strings, &subject);
}

static struct ff_process *find_tally(struct worker *w, uint32_t pid)
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

/* Samples of a processor come in runs of one process. */
static struct ff_process *tally(struct worker *w, uint32_t pid)
{
	struct ff_process *p;

	if (w->processes.count && w->processes.v[w->last_process].pid == pid)
		return &w->processes.v[w->last_process];
	p = find_tally(w, pid);
	if (p)
		w->last_process = (size_t)(p - w->processes.v);
	return p;
}

/* Stacks that are not whole can be left out. */
static bool is_dropped(const struct worker *w, uint32_t incomplete)
{
	return w->job->drop_truncated && incomplete & INCOMPLETE_TRUNCATED;
}

/* Beside why a stack is not whole: stack.followed, and that no memory was left for it. */
enum {
	NOTE_FOLLOWED = 1 << INCOMPLETE_BITS,
	NOTE_CUT = NOTE_FOLLOWED << 1,
	NOTE_INFERRED = NOTE_CUT << 1,
	NOTE_SKIPPED = NOTE_INFERRED << 1,
};

/* *@node: where the stack of a sample is; 0: it is dropped. @incomplete: and notes. */
static int walk_stack(struct worker *w, const struct sample *s, uint32_t *node,
		      uint32_t *incomplete)
{
	struct stack stack;
	int err = 0;

	if (stack_walk(w->stacks, s, &stack) < 0)
		return fail_memory(&w->ctx);
	*node = 0;
	*incomplete = stack.incomplete | (stack.followed ? NOTE_FOLLOWED : 0) |
		      (stack.inferred ? NOTE_INFERRED : 0) |
		      (stack.skipped ? NOTE_SKIPPED : 0);
	if (!is_dropped(w, stack.incomplete))
		err = memory_add_stack(&w->frames, &w->trie, stack.frames, stack.count,
				       node);
	*incomplete |= err > 0 ? NOTE_CUT : 0;
	return err < 0 ? fail_memory(&w->ctx) : 0;
}

/* The same, remembered or walked and added. */
static int find_stack(struct worker *w, const struct sample *s, uint32_t *node,
		      uint32_t *incomplete)
{
	const struct trie_memory *seen;
	struct trie_memory memory;
	struct stack_key key;
	int err;

	if (!stack_key(w->stacks, s, &key))
		return walk_stack(w, s, node, incomplete);
	seen = trie_recall(&w->trie, key.low, key.high);
	if (seen) {
		*node = seen->node;
		*incomplete = seen->note;
		return 0;
	}
	err = walk_stack(w, s, node, incomplete);
	memory = (struct trie_memory){ key.high, *node, *incomplete };
	if (err == 0 && *node)
		trie_remember(&w->trie, key.low, &memory);
	return err;
}

static void count_incomplete(struct worker *w, uint32_t incomplete)
{
	incomplete_count(&w->incomplete, incomplete & (NOTE_FOLLOWED - 1));
	w->tally.chains_broken += (incomplete & INCOMPLETE_ODD_CONTEXT) != 0;
	w->tally.inferred += (incomplete & NOTE_INFERRED) != 0;
	w->tally.skipped += (incomplete & NOTE_SKIPPED) != 0;
}

/* 1: it is kept; 0: it is not, or not to be. */
static int keep_sample(struct worker *w, const struct sample *s, uint32_t node,
		       uint64_t weight)
{
	struct kept_sample *kept;

	if (!w->job->keep_samples)
		return 0;
	if (w->log.refused)
		return 0;
	if (!sample_log_allows(&w->log, w->ctx.budget)) {
		w->log.refused = true;
		budget_refuse(w->ctx.budget, "samples", input_path(w->job->in));
		return 0;
	}
	kept = array_add(&w->log.list);
	if (!kept)
		return fail_memory(&w->ctx);
	*kept = (struct kept_sample){ .time = s->time,
				      .position = s->position,
				      .weight = weight,
				      .node = node,
				      .pid = s->pid,
				      .tid = s->tid,
				      .cpu = s->cpu,
				      .comm = stack_comm(w->stacks, s),
				      .event = s->event,
				      .input = w->job->index };
	return 1;
}

static int charge(struct worker *w, const struct sample *s, uint64_t weight)
{
	struct ff_process *process;
	uint32_t node = 0, incomplete = 0;
	int err = find_stack(w, s, &node, &incomplete);

	if (err < 0)
		return err;
	count_incomplete(w, incomplete);
	if (is_dropped(w, incomplete)) {
		w->sum.lost[LOST_TRUNCATED] += weight;
		return 0;
	}
	process = tally(w, s->pid);
	if (!process || trie_charge(&w->trie, node, COLUMN_WEIGHT, weight) < 0 ||
	    trie_charge(&w->trie, node, COLUMN_SAMPLES, 1) < 0 ||
	    (incomplete & NOTE_FOLLOWED &&
	     trie_charge(&w->trie, node, COLUMN_FOLLOWED, weight) < 0))
		return fail_memory(&w->ctx);
	process->samples++;
	w->sum.kept += weight;
	w->sum.cut += incomplete & NOTE_CUT ? weight : 0;
	w->sum.samples_kept++;
	err = keep_sample(w, s, node, weight);
	return err < 0 ? err : 0;
}

static void describe_counter(const struct input_job *r, const struct event *event,
			     const struct sample *s, struct counter_read *read)
{
	read->tid = event_counts_threads(event) ? s->tid : 0;
	read->as_one = r->weights.as_printed && event_is_anonymous(event);
}

/* Its sample is that of an event of its own, and weighs what is found out later. */
static int keep_counter(struct worker *w, const struct sample *s,
			struct counter_read *read)
{
	int err = read->lost ? 0 : keep_sample(w, s, read->node, WEIGHT_UNKNOWN);

	if (err > 0) {
		array_last(&w->log.list)->event = (uint16_t)read->event;
		read->kept = (uint32_t)w->log.list.count;
	}
	return err < 0 ? err : 0;
}

/* What it would weigh is known when all are. */
static void leave_out_counter(struct worker *w)
{
	if (!w->counters.refused)
		budget_refuse(w->ctx.budget, "counters of samples",
			      input_path(w->job->in));
	w->counters.refused = true;
	weight_sum_damaged(&w->sum, 1);
}

/* The counters that were read with a sample: they count later, in time order. */
static int keep_counters(struct worker *w, const struct sample *s, bool filtered)
{
	const struct input_job *r = w->job;
	uint32_t node = 0, incomplete = 0;
	int err = filtered ? 0 : find_stack(w, s, &node, &incomplete);

	for (uint32_t i = 0; i < s->group_count && err == 0; i++) {
		struct counter_read *read = NULL;
		int event;

		if (w->counters.refused ||
		    !counter_reads_allow(&w->counters, w->ctx.budget)) {
			leave_out_counter(w);
			continue;
		}
		read = array_add(&w->counters.list);
		if (!read)
			return fail_memory(&w->ctx);
		*read = (struct counter_read){ s->time, s->position, .node = node };
		read->value = sample_value(s, i, &read->id);
		event = input_event_of_id(r->in, read->id);
		read->event = event;
		if (event >= 0)
			describe_counter(r, &r->rec->events.v[event], s, read);
		if (event < 0 || !event_is_wanted(&r->events, (size_t)event))
			read->lost = LOST_EVENT + 1;
		else if (filtered)
			read->lost = LOST_FILTER + 1;
		else if (is_dropped(w, incomplete))
			read->lost = LOST_TRUNCATED + 1;
		err = keep_counter(w, s, read);
	}
	if (!filtered && err == 0)
		count_incomplete(w, incomplete);
	return err;
}

/* Stages 4 to 6 for one sample. */
int worker_take(struct worker *w, const struct sample *s)
{
	const struct input_job *r = w->job;
	int passed = w->filters ? passes(w, s) : 1;
	uint64_t weight;

	if (passed < 0)
		return passed;

	sample_tally_count(&w->tally, &r->rec->events.v[s->event], s);
	if (s->group_count)
		return keep_counters(w, s, !passed);
	weight = weight_of(&r->weights, &r->rec->events.v[s->event], s);
	if (weight >= WEIGHT_IMPOSSIBLE) {
		weight_sum_damaged(&w->sum, 1);
		return 0;
	}
	weight_sum_count(&w->sum, weight, 1);
	if (!event_is_wanted(&r->events, s->event)) {
		w->sum.lost[LOST_EVENT] += weight;
		return 0;
	}
	if (!passed) {
		w->sum.lost[LOST_FILTER] += weight;
		return 0;
	}
	return charge(w, s, weight);
}

static int take_chunk(void *arg, size_t chunk, size_t worker)
{
	struct input_job *r = arg;
	struct worker *w = &r->workers[worker];
	uint64_t damaged = 0;
	struct sample sample;
	int err;

	err = sample_reader_start(&w->ctx, w->reader, chunk);
	if (err < 0)
		return err;
	while ((err = sample_next(&w->ctx, w->reader, &sample, &damaged)) > 0) {
		w->found++;
		err = worker_take(w, &sample);
		if (err < 0)
			break;
	}
	weight_sum_damaged(&w->sum, damaged);
	w->found += damaged;
	if (sample_reader_damaged_at(w->reader) < w->damaged_at)
		w->damaged_at = sample_reader_damaged_at(w->reader);
	atomic_fetch_add(&r->chunks_done, 1);
	/* The caller's thread is worker 0. */
	if (worker == 0)
		show_progress(r->p, "reading samples", atomic_load(&r->chunks_done),
			      input_chunks(r->in));
	return err;
}

int worker_start(struct input_job *r, struct worker *w)
{
	struct stack_sources sources = {
		.ps = r->processes,
		.rec = r->rec,
		.strings = &r->p->strings,
		.binaries = r->p->binaries,
	};

	w->job = r;
	w->damaged_at = UINT64_MAX;
	w->filters = filters_ask_samples(r->p->filters);
	w->ctx.log = r->p->ctx.log;
	w->ctx.log_arg = r->p->ctx.log_arg;
	w->ctx.budget = r->p->ctx.budget;
	if (trie_init(&w->trie) < 0 || filter_memo_new(r->p->filters, &w->memo) < 0)
		return fail_memory(&r->p->ctx);
	memory_limit(r->p, &w->frames, &w->trie);
	if (sample_reader_new(&r->p->ctx, r->in, &w->reader) < 0)
		return -ENOMEM;
	if (r->p->options.flags & FF_COMPAT_STACKCOLLAPSE)
		sample_reader_take_any_target(w->reader);
	return stack_walker_new(&r->p->ctx, &sources, &w->frames, &r->stacks, &w->stacks);
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
	stack_counts_add(&w->job->p->unwound, stack_walker_counts(w->stacks));
	release_readers(w);
}

void worker_release(struct worker *w)
{
	release_readers(w);
	frames_release(&w->frames);
	trie_release(&w->trie);
	counter_reads_release(&w->counters);
	sample_log_release(&w->log);
	array_release(&w->processes);
	hash_map_release(&w->process_by_pid);
	free(w->frame_map);
}

/* The first worker that failed says why. */
static int adopt_error(struct input_job *r, int err)
{
	for (size_t i = 0; i < r->threads && err < 0; i++)
		if (r->workers[i].ctx.error[0]) {
			memcpy(r->p->ctx.error, r->workers[i].ctx.error,
			       sizeof(r->p->ctx.error));
			break;
		}
	return err;
}

static int keep_split(struct ff_profile *p, struct ff_input *input,
		      const struct counter_reads *reads)
{
	size_t size = reads->delivered.count * sizeof(*input->split);

	if (!size)
		return 0;
	input->split = arena_alloc(&p->arena, size);
	if (!input->split)
		return -ENOMEM;
	memcpy(input->split, reads->delivered.v, size);
	input->split_count = reads->delivered.count;
	return 0;
}

/* What was counted beside the samples, when all of them are known. */
int settle_counters(struct input_job *r, struct ff_input *input)
{
	int err = counter_reads_settle(&r->counters, &r->weights, &r->p->trie,
				       &r->p->samples, &r->p->sum);

	if (err == 0)
		err = keep_split(r->p, input, &r->counters);
	counter_reads_release(&r->counters);
	return err < 0 ? fail_memory(&r->p->ctx) : 0;
}

/* The second pass has read the same as the first one; else it is said, and what it has not
 * found is lost, as other damaged records are. */
static int compare_passes(struct input_job *r, struct ff_input *input)
{
	uint64_t found = 0, at = UINT64_MAX;

	for (size_t i = 0; i < r->threads; i++) {
		found += r->workers[i].found;
		if (r->workers[i].damaged_at < at)
			at = r->workers[i].damaged_at;
	}
	if (found == r->rec->samples && (at == UINT64_MAX || r->rec->truncated_at))
		return 0;
	input->changed = true;
	if (found < r->rec->samples)
		weight_sum_damaged(&r->workers[0].sum, r->rec->samples - found);
	return input_note_change(&r->p->ctx, r->in, found, at);
}

int read_samples(struct input_job *r, struct ff_input *input)
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
	for (size_t i = 0; i < r->threads && err == 0; i++)
		worker_finish(&r->workers[i]);
	if (err == 0)
		err = compare_passes(r, input);
	if (err == 0)
		err = workers_merge(r);
	for (size_t i = 0; i < r->threads; i++) {
		sample_tally_add(&input->tally, &r->workers[i].tally);
		worker_release(&r->workers[i]);
	}
	free(r->workers);
	return err < 0 ? err : settle_counters(r, input);
}
