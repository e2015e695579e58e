/*
 * Spans that are too narrow to be seen become one with their neighbours, as they are closed. That goes on
 * from any result to one with a larger least length: what was joined is narrower than that, too.
 */
#include "chart/chart.h"

#include <errno.h>

static int add_joined(struct chart_joined_list *to, const struct chart_joined *one)
{
	if (!array_reserve(to, 1))
		return -ENOMEM;
	to->v[to->count++] = *one;
	return 0;
}

/* @open: by depth what may still grow; count 0: nothing does. */
static int join_span(const struct chart_join *how, const struct chart_joined *one,
		     struct chart_joined_list *open, struct chart_joined_list *ret)
{
	bool is_narrow = one->sum < how->least;
	struct chart_joined *run;

	while (open->count <= one->depth)
		if (!array_add(open))
			return -ENOMEM;
	run = &open->v[one->depth];
	if (run->count &&
	    (!is_narrow || one->begin - run->end >= how->least ||
	     (how->block && one->begin / how->block != run->begin / how->block))) {
		if (add_joined(ret, run) < 0)
			return -ENOMEM;
		run->count = 0;
	}
	if (!is_narrow)
		return add_joined(ret, one);
	if (!run->count) {
		*run = *one;
		return 0;
	}
	run->end = one->end;
	run->sum += one->sum;
	run->samples += one->samples;
	run->count++;
	if (one->sum > run->longest.end - run->longest.begin)
		run->longest = one->longest;
	return 0;
}

int chart_join_thread(const struct chart *c, const struct chart_thread *thread,
		      const struct chart_join *how, struct chart_joined_list *ret)
{
	struct chart_joined_list open = { 0 };
	struct chart_walk walk = { 0 };
	struct chart_span span;
	int err = 0, step;

	chart_walk_start(&walk, c, how->in, thread);
	walk.numbers = how->numbers;
	while (err == 0 && (step = chart_next(&walk, &span)) != CHART_END) {
		struct chart_joined one = {
			.longest = span,
			.begin = span.begin,
			.end = span.end,
			.sum = span.end - span.begin,
			.samples = span.samples,
			.count = 1,
			.depth = (uint32_t)walk.open.count,
		};

		if (step < 0)
			err = step;
		else if (step == CHART_CLOSES && !(how->outermost && one.depth))
			err = join_span(how, &one, &open, ret);
	}
	for (size_t i = 0; i < open.count && err == 0; i++)
		if (open.v[i].count)
			err = add_joined(ret, &open.v[i]);
	array_release(&open);
	chart_walk_release(&walk);
	return err;
}
