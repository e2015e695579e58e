/*
 * What the workers have become one: the profile's frames, trie and counts.
 *
 *	worker 0  ---+-----------+---- profile
 *	worker 1  --'           |
 *	worker 2  ---+---------'      pairs in parallel, until there are two left; the last
 *	worker 3  --'                 ones beside the names, which need frames only
 */
#include <errno.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "engine/profile.h"

enum {
	MERGE_LONG = 1 << 16, /* nodes: some milliseconds */
};

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

/* The nodes of kept counters and samples become those of another trie; NULL: they are. */
static int merge_counters(struct counter_reads *to_all, struct sample_log *log,
			  struct worker *w, const uint32_t *node_map)
{
	uint32_t kept = (uint32_t)log->list.count;

	if (!array_reserve(&to_all->list, w->counters.list.count) ||
	    sample_log_merge(log, &w->log, node_map) < 0)
		return -ENOMEM;
	counter_reads_take_claim(to_all, &w->counters);
	for (size_t i = 0; i < w->counters.list.count; i++) {
		struct counter_read *to = array_add(&to_all->list);

		*to = w->counters.list.v[i];
		if (node_map)
			to->node = node_map[to->node];
		if (to->kept)
			to->kept += kept;
	}
	for (size_t i = 0; i < w->counters.delivered.count; i++)
		if (counter_reads_deliver(to_all, i, w->counters.delivered.v[i]) < 0)
			return -ENOMEM;
	return 0;
}

/* The first worker's frames need no merging: they are the profile's from now on. */
static int merge_frames(struct ff_profile *p, struct worker *w)
{
	struct frames frames = p->frames;

	if (w->absorbed)
		return 0;
	w->first = trie_is_empty(&p->trie) && frames.list.count == 0;
	if (!w->first)
		return frames_merge(&p->frames, &w->frames, &w->frame_map);
	p->frames = w->frames;
	w->frames = frames;
	return 0;
}

/* Behind merge_frames(). */
static int merge_stacks(struct ff_profile *p, struct worker *w)
{
	struct trie trie = p->trie;
	uint32_t *node_map = NULL;
	int err = 0;

	scale_weights(&p->columns, &w->trie, &w->sum, p->decimals);
	if (w->absorbed)
		return 0;
	if (w->first) {
		p->trie = w->trie;
		w->trie = trie;
	} else {
		trie_drop_index(&w->trie);
		err = trie_merge(&p->trie, &w->trie, w->frame_map, &node_map);
	}
	if (err == 0)
		err = merge_counters(&w->job->counters, &p->samples, w, node_map);
	free(node_map);
	return err;
}

/* Behind merge_stacks(). */
static int merge_counts(struct ff_profile *p, struct worker *w)
{
	int err = 0;

	for (size_t i = 0; i < w->processes.count && err == 0; i++)
		err = merge_process(p, w->job->processes, w->job->rec->last_time,
				    &w->processes.v[i]);
	weight_sum_add(&p->sum, &w->sum);
	incomplete_counts_add(&p->incomplete, &w->incomplete);
	return err;
}

int worker_merge(struct ff_profile *p, struct worker *w)
{
	int err;

	worker_finish(w);
	err = merge_frames(p, w);

	if (err == 0)
		err = merge_stacks(p, w);
	if (err == 0)
		err = merge_counts(p, w);
	return err < 0 ? fail_memory(&p->ctx) : 0;
}

static int merge_all_stacks(struct input_job *r)
{
	int err = 0;

	for (size_t i = 0; i < r->threads && err == 0; i++)
		err = merge_stacks(r->p, &r->workers[i]);
	return err;
}

enum { JOB_MERGE, JOB_NAME, JOBS };

/* What merges does not look at names, and names are those of frames. */
static int merge_or_name(void *arg, size_t job, size_t worker)
{
	struct input_job *r = arg;

	(void)worker;
	return job == JOB_MERGE ? merge_all_stacks(r) : name_frames(r->p);
}

/* One worker's stacks become those of another one. */
static int absorb(struct worker *to, struct worker *w)
{
	uint32_t *frame_map = NULL, *node_map = NULL;
	int err = frames_merge(&to->frames, &w->frames, &frame_map);

	trie_drop_index(&w->trie);
	if (err == 0)
		err = trie_merge(&to->trie, &w->trie, frame_map, &node_map);
	if (err == 0)
		err = merge_counters(&to->counters, &to->log, w, node_map);
	free(frame_map);
	free(node_map);
	frames_release(&w->frames);
	trie_release(&w->trie);
	counter_reads_release(&w->counters);
	sample_log_release(&w->log);
	w->absorbed = true;
	return err;
}

struct pairing {
	struct input_job *job;
	size_t step; /* from a worker to its pair's other one */
};

static int absorb_pair(void *arg, size_t pair, size_t worker)
{
	const struct pairing *p = arg;
	struct worker *to = &p->job->workers[pair * 2 * p->step];

	(void)worker;
	return absorb(to, to + p->step);
}

/* Until two are left: with n workers that takes as long as log2(n) - 1 of them. */
static int reduce(struct input_job *r)
{
	struct pairing p = { r, 1 };
	int err = 0;

	for (; err == 0 && 2 * p.step < r->threads; p.step *= 2)
		err = parallel_run(r->threads, (r->threads + p.step - 1) / (2 * p.step),
				   absorb_pair, &p);
	return err;
}

/* Much is merged: names can be looked up meanwhile, and all frames are known. */
static bool is_long(const struct input_job *r)
{
	size_t nodes = 0;

	for (size_t i = 1; i < r->threads; i++)
		nodes += r->workers[i].trie.count;
	return nodes > MERGE_LONG;
}

int workers_merge(struct input_job *r)
{
	int err = reduce(r);

	for (size_t i = 0; i < r->threads && err == 0; i++)
		err = merge_frames(r->p, &r->workers[i]);
	if (err == 0)
		err = is_long(r) ? parallel_run(2, JOBS, merge_or_name, r)
				 : merge_all_stacks(r);
	for (size_t i = 0; i < r->threads && err == 0; i++)
		err = merge_counts(r->p, &r->workers[i]);
	return err < 0 ? fail_memory(&r->p->ctx) : 0;
}
