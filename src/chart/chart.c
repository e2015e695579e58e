/*
 * Runs are counted out to their threads, which keeps their order. Then each thread's are made whole:
 * those of which only the time of a sample is known get the usual distance of samples of that thread,
 * and what follows at once in the same stack is joined. That depends on times and stacks alone, so the
 * result is the same for any number of workers.
 */
#include "chart/chart.h"

#include <errno.h>
#include <stdlib.h>

static int compare_distances(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The median of the distances of samples that have no period of their own; 0: there is one at most. */
static int usual_distance(const struct chart_log_run *runs, const uint32_t *list,
			  size_t count, uint64_t *ret)
{
	ARRAY(uint64_t) distances = { 0 };
	const struct chart_log_run *before = NULL;

	*ret = 0;
	for (size_t i = 0; i < count; i++) {
		const struct chart_log_run *run = &runs[list[i]];

		if (!run->unsure)
			continue;
		if (before && !array_reserve(&distances, 1)) {
			array_release(&distances);
			return -ENOMEM;
		}
		if (before)
			distances.v[distances.count++] = run->begin - before->begin;
		before = run;
	}
	if (distances.count) {
		qsort(distances.v, distances.count, sizeof(*distances.v),
		      compare_distances);
		*ret = distances.v[distances.count / 2];
	}
	array_release(&distances);
	return 0;
}

static int add_thread_runs(const struct chart_log *log, const uint32_t *list,
			   const uint32_t *node_of, struct chart_thread *thread,
			   struct chart *c)
{
	size_t count = thread->end - thread->first;
	uint64_t distance;
	int err = usual_distance(log->runs.v, list + thread->first, count, &distance);

	if (err < 0 || !array_reserve(&c->runs, count))
		return -ENOMEM;
	list += thread->first;
	thread->first = c->runs.count;
	for (size_t i = 0; i < count; i++) {
		const struct chart_log_run *from = &log->runs.v[list[i]];
		const struct chart_log_run *next =
			i + 1 < count ? &log->runs.v[list[i + 1]] : NULL;
		struct chart_run run = {
			.begin = from->begin,
			.end = from->end,
			.node = node_of[from->node],
			.samples = from->samples,
			.what = from->what,
		};
		struct chart_run *last =
			c->runs.count > thread->first ? array_last(&c->runs) : NULL;

		if (from->unsure) {
			uint64_t least = run.begin + (distance ? distance : 1);

			if (next && next->begin - run.begin <=
					    distance / 2 * 5 + distance % 2 * 2)
				least = next->begin;
			run.end = run.end < least ? run.end : least;
		} else if (run.end == CHART_OPEN) {
			run.end = log->last;
		}
		/* One at a time: a sample's period may reach into what follows. */
		if (next && run.end > next->begin)
			run.end = next->begin;
		if (run.node == CHART_NOWHERE || run.end <= run.begin)
			continue;
		if (run.what < CHART_WAITING)
			thread->ran += run.end - run.begin;
		if (last && last->end == run.begin && last->node == run.node &&
		    last->what == run.what) {
			last->end = run.end;
			last->samples += run.samples;
		} else {
			c->runs.v[c->runs.count++] = run;
		}
	}
	thread->end = c->runs.count;
	return 0;
}

/* A thread with what its process has, which comes first. */
struct ordered_thread {
	struct chart_thread thread;
	uint64_t process;
};

static int compare_chart_threads(const void *left, const void *right)
{
	const struct ordered_thread *a = left, *b = right;
	const struct chart_thread *x = &a->thread, *y = &b->thread;

	if (!x->tid != !y->tid)
		return x->tid ? -1 : 1;
	if (a->process != b->process)
		return a->process > b->process ? -1 : 1;
	if (x->input != y->input)
		return x->input < y->input ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->ran != y->ran)
		return x->ran > y->ran ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	/* A number that was given again: as they came. */
	return x->first < y->first ? -1 : x->first > y->first;
}

static int order_threads(struct chart *c)
{
	struct ordered_thread *list = calloc(c->threads.count + 1, sizeof(*list));
	struct hash_map sums = { 0 }; /* index of a process's first thread */
	int err = list ? 0 : -ENOMEM;

	for (size_t i = 0; i < c->threads.count && err == 0; i++) {
		const struct chart_thread *t = &c->threads.v[i];
		uint64_t key = (uint64_t)t->input << 32 | t->pid;
		const uint32_t *known = hash_map_get(&sums, key);

		list[i].thread = *t;
		list[known ? *known : i].process += t->ran;
		if (!known && !hash_map_set(&sums, key, (uint32_t)i))
			err = -ENOMEM;
	}
	for (size_t i = 0; i < c->threads.count && err == 0; i++) {
		const struct chart_thread *t = &c->threads.v[i];

		list[i].process =
			list[*hash_map_get(&sums, (uint64_t)t->input << 32 | t->pid)]
				.process;
	}
	if (err == 0)
		qsort(list, c->threads.count, sizeof(*list), compare_chart_threads);
	for (size_t i = 0; i < c->threads.count && err == 0; i++)
		c->threads.v[i] = list[i].thread;
	hash_map_release(&sums);
	free(list);
	return err;
}

/* From the first moment of each input on, or of all. */
static int begin_at_zero(struct chart *c, bool one_axis)
{
	uint64_t *firsts = malloc(c->inputs * sizeof(*firsts) + 1);

	if (!firsts)
		return -ENOMEM;
	memset(firsts, 0xff, c->inputs * sizeof(*firsts));
	for (size_t i = 0; i < c->threads.count; i++) {
		const struct chart_thread *t = &c->threads.v[i];
		uint64_t *first = &firsts[one_axis ? 0 : t->input];

		if (c->runs.v[t->first].begin < *first)
			*first = c->runs.v[t->first].begin;
	}
	for (size_t i = 0; i < c->threads.count; i++) {
		const struct chart_thread *t = &c->threads.v[i];
		const uint64_t first = firsts[one_axis ? 0 : t->input];

		for (size_t k = t->first; k < t->end; k++) {
			c->runs.v[k].begin -= first;
			c->runs.v[k].end -= first;
		}
		if (c->runs.v[t->end - 1].end > c->length)
			c->length = c->runs.v[t->end - 1].end;
	}
	free(firsts);
	return 0;
}

int chart_make(const struct chart_log *log, const uint32_t *node_of, struct chart *ret)
{
	size_t threads = log->threads.count, count = log->runs.count;
	size_t *at = calloc(threads + 1, sizeof(*at));
	uint32_t *list = malloc(count * sizeof(*list) + 1);
	int err = at && list ? 0 : -ENOMEM;

	*ret = (struct chart){ 0 };
	/* How many each has, where these begin, and which they are. */
	for (size_t i = 0; err == 0 && i < count; i++)
		at[log->runs.v[i].thread + 1]++;
	for (size_t i = 0; err == 0 && i < threads; i++)
		at[i + 1] += at[i];
	for (size_t i = 0; err == 0 && i < count; i++)
		list[at[log->runs.v[i].thread]++] = (uint32_t)i;
	for (size_t i = 0; err == 0 && i < threads; i++) {
		const struct chart_log_thread *t = &log->threads.v[i];
		struct chart_thread thread = {
			.pid = t->pid,
			.tid = t->tid,
			.input = t->input,
			.cpu = t->cpu,
			.comm = t->comm,
			.first = i ? at[i - 1] : 0,
			.end = at[i],
		};

		if (!t->passed)
			continue;
		if (ret->inputs <= t->input)
			ret->inputs = t->input + (size_t)1;
		err = add_thread_runs(log, list, node_of, &thread, ret);
		if (err < 0 || thread.end == thread.first)
			continue;
		if (array_reserve(&ret->threads, 1))
			ret->threads.v[ret->threads.count++] = thread;
		else
			err = -ENOMEM;
	}
	if (err == 0)
		err = order_threads(ret);
	if (err == 0)
		err = begin_at_zero(ret, log->one_axis);
	free(at);
	free(list);
	if (err < 0)
		chart_release(ret);
	return err;
}

void chart_release(struct chart *c)
{
	array_release(&c->threads);
	array_release(&c->runs);
	*c = (struct chart){ 0 };
}
