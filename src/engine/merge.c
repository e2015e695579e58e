/*
 * What the workers have collected becomes the profile's.
 *
 *	worker 0  ---+-----------+---- profile
 *	worker 1  --'           |
 *	worker 2  ---+---------'      pairs in parallel, until there are two left; the last
 *	worker 3  --'                 ones beside the names, which need frames only
 */
#include <errno.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "engine/job.h"

enum {
	MERGE_LONG = 1 << 16, /* nodes: some milliseconds */
	LEFT_MOST = 2, /* workers */
};

/* A round of merges in pairs: of workers that are @step apart. */
struct merge_round {
	struct input_job *job;
	size_t step;
};

static int merge_pair(void *arg, size_t pair, size_t worker)
{
	const struct merge_round *round = arg;
	struct collected *to = &round->job->workers[pair * 2 * round->step].collected;
	struct collected *from =
		&round->job->workers[(pair * 2 + 1) * round->step].collected;
	int err = collected_merge(to, from);

	(void)worker;
	collected_release(from);
	return err;
}

/* Those that are left, and their frames by the profile's. */
struct last_merge {
	struct input_job *job;
	struct collected *left[LEFT_MOST];
	uint32_t *frame_maps[LEFT_MOST];
	size_t count;
};

/* The names of processes are those they had last. */
static void name_by_last_comm(const struct input_job *j, struct process_list *all)
{
	for (size_t i = 0; i < all->list.count; i++) {
		struct ff_process *process = &all->list.v[i];
		struct comm comm;

		/* An earlier recording has named it. One that says no name, as perf does not where it comes to
		 * a process late, leaves that to the others. */
		if (process->comm && *process->comm)
			continue;
		/* Without times, the places in the file have gone for them. */
		processes_comm(j->processes, process->pid, process->pid,
			       j->rec->last_time ? j->rec->last_time : UINT64_MAX - 1,
			       &comm);
		process->comm = intern_text(&j->p->strings, comm.name);
	}
}

static int merge_rest(struct last_merge *m)
{
	int err = 0;

	for (size_t i = 0; i < m->count && err == 0; i++)
		err = collected_merge_rest(&m->job->p->collected, m->left[i],
					   m->frame_maps[i]);
	return err;
}

enum { JOB_MERGE, JOB_NAME, JOBS };

/* What merges does not look at names, and names are those of frames. */
static int merge_or_name(void *arg, size_t job, size_t worker)
{
	struct last_merge *m = arg;

	(void)worker;
	return job == JOB_MERGE ? merge_rest(m) : name_frames(m->job->p);
}

int merge_workers(struct input_job *j)
{
	struct merge_round round = { j, 1 };
	struct last_merge m = { .job = j };
	size_t nodes = 0;
	int err = 0;

	/* Until two are left: with n workers that takes as long as log2(n) - 1 of them. */
	for (; err == 0 && LEFT_MOST * round.step < j->threads; round.step *= 2)
		/* Workers that are @step apart are left; an odd one out waits for the
		 * next round. */
		err = parallel_run(j->threads,
				   (j->threads + round.step - 1) / (2 * round.step),
				   merge_pair, &round);
	for (size_t i = 0; err == 0 && i < j->threads; i += round.step)
		m.left[m.count++] = &j->workers[i].collected;
	if (profile_reads_many(j->p)) {
		sample_tally_add(&j->input->tally, &m.left[0]->tally);
		name_by_last_comm(j, &m.left[0]->processes);
		collected_take_back(j->p, m.left[0]);
		m.count = 0;
	}
	for (size_t i = 0; i < m.count && err == 0; i++) {
		sample_tally_add(&j->input->tally, &m.left[i]->tally);
		name_by_last_comm(j, &m.left[i]->processes);
		/* The first one's trie is taken over as it is where the profile has none,
		 * and costs nothing. */
		nodes += i ? m.left[i]->trie.count : 0;
		err = collected_merge_frames(&j->p->collected, m.left[i],
					     &m.frame_maps[i]);
	}
	/* Much is merged: names can be looked up meanwhile, and all frames are known. */
	if (err == 0)
		err = nodes > MERGE_LONG ? parallel_run(2, JOBS, merge_or_name, &m)
					 : merge_rest(&m);
	for (size_t i = 0; i < m.count; i++)
		free(m.frame_maps[i]);
	return err < 0 ? fail_memory(&j->p->ctx) : 0;
}

/* A stream has one worker, so there is nothing to be done in parallel. */
int merge_worker(struct input_job *j, struct worker *w)
{
	worker_finish(w);
	sample_tally_add(&j->input->tally, &w->collected.tally);
	name_by_last_comm(j, &w->collected.processes);
	if (profile_reads_many(j->p)) {
		collected_take_back(j->p, &w->collected);
		return 0;
	}
	return collected_merge(&j->p->collected, &w->collected) < 0
		       ? fail_memory(&j->p->ctx)
		       : 0;
}
