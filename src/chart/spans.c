/*
 * From run to run: what two have in common stays open where one begins when the other ends and both
 * are of one kind, the rest is closed, leaf first, and what is new is opened. The process, which
 * a stack begins with, is the thread's name.
 */
#include <errno.h>

#include "base/text.h"
#include "chart/chart.h"

const char *chart_what_name(enum chart_what what)
{
	static const char *const names[] = {
		[CHART_SAMPLED] = "[no frames]",
		[CHART_UNSAMPLED] = "[not sampled]",
		[CHART_WAITING] = "[waiting]",
		[CHART_RUNNABLE] = "[runqueue]",
	};

	return names[what];
}

void chart_thread_name(const struct chart *c, const struct chart_thread *t,
		       const struct intern *strings, struct text *to)
{
	const char *comm = t->comm ? intern_text(strings, t->comm) : "thread";

	if (c->inputs > 1)
		text_printf(to, "input %u: ", t->input + 1);
	text_string(to, comm);
	if (t->tid)
		text_printf(to, "-%u", t->tid);
	else if (t->cpu != UINT32_MAX)
		text_printf(to, "/%u", t->cpu);
}

uint64_t chart_process(const struct chart_thread *t)
{
	/* Above the kernel's largest number, 2^22. */
	return t->input * UINT64_C(10000000) + t->pid;
}

void chart_walk_start(struct chart_walk *w, const struct chart *chart,
		      const struct tree_source *in, const struct chart_thread *thread)
{
	w->chart = chart;
	w->tree = in->tree;
	w->symbols = in->symbols;
	w->numbers = NULL;
	w->run = thread->first;
	w->end = thread->end;
	w->open.count = w->path.count = 0;
	w->keep = w->wanted = 0;
}

static bool is_one(const struct chart_walk *w, uint32_t a, uint32_t b)
{
	return w->numbers ? w->numbers[a] == w->numbers[b] : a == b;
}

/* The frames of a run, leaf first, and how many of them are open already. */
static int share_path(struct chart_walk *w, const struct chart_run *run)
{
	const struct chart_span *leaf = w->open.count ? array_last(&w->open) : NULL;
	size_t shared = 0;

	w->path.count = 0;
	if (!array_reserve(&w->path, 1))
		return -ENOMEM;
	if (run->what != CHART_SAMPLED)
		w->path.v[w->path.count++] = 0;
	for (uint32_t n = run->node; n; n = w->tree->nodes.v[n].parent) {
		const struct named_node *node = &w->tree->nodes.v[n];

		if (!node->parent &&
		    function_is_process(&w->symbols->functions.v[node->function]))
			break;
		if (node->parent && is_one(w, n, node->parent))
			continue;
		if (!array_reserve(&w->path, 2))
			return -ENOMEM;
		w->path.v[w->path.count++] = n;
	}
	if (!w->path.count)
		w->path.v[w->path.count++] = 0;
	if (leaf && leaf->what == run->what && w->at == run->begin)
		while (shared < w->open.count && shared < w->path.count &&
		       is_one(w, w->open.v[shared].node,
			      w->path.v[w->path.count - 1 - shared]))
			shared++;
	w->keep = shared;
	w->wanted = w->path.count;
	return 0;
}

int chart_next(struct chart_walk *w, struct chart_span *ret)
{
	for (;;) {
		const struct chart_run *run = &w->chart->runs.v[w->run];

		if (w->open.count > w->keep) {
			*ret = w->open.v[--w->open.count];
			ret->end = w->at;
			/* What its callees have had is its own, too. */
			if (w->open.count)
				array_last(&w->open)->samples += ret->samples;
			return CHART_CLOSES;
		}
		if (w->open.count < w->wanted) {
			if (!array_reserve(&w->open, 1))
				return -ENOMEM;
			*ret = (struct chart_span){
				.begin = run->begin,
				.node = w->path.v[w->wanted - 1 - w->open.count],
				.what = run->what,
			};
			w->open.v[w->open.count++] = *ret;
			w->keep = w->open.count;
			return CHART_OPENS;
		}
		if (w->wanted) {
			/* All of it is open, until it ends. */
			array_last(&w->open)->samples += run->samples;
			w->at = run->end;
			w->wanted = 0;
			w->run++;
			run++;
		}
		if (w->run < w->end) {
			if (share_path(w, run) < 0)
				return -ENOMEM;
		} else if (w->open.count) {
			w->keep = 0;
		} else {
			return CHART_END;
		}
	}
}

void chart_walk_release(struct chart_walk *w)
{
	array_release(&w->open);
	array_release(&w->path);
	*w = (struct chart_walk){ 0 };
}
