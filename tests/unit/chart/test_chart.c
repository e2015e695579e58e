/* Runs of threads, made whole, joined within cells, and walked over as spans. */
#include "chart/chart.h"

#include <criterion/criterion.h>

static struct chart_log made;
static const uint32_t same[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };

static uint32_t thread(uint32_t pid, uint32_t tid)
{
	struct chart_log_thread *t = array_add(&made.threads);

	*t = (struct chart_log_thread){
		.pid = pid, .tid = tid, .cpu = UINT32_MAX, .passed = true
	};
	return (uint32_t)made.threads.count - 1;
}

static void run(uint32_t thread, uint64_t begin, uint64_t end, uint32_t node)
{
	struct chart_log_run *r = array_add(&made.runs);

	*r = (struct chart_log_run){
		.begin = begin, .end = end, .node = node, .thread = thread, .samples = 1
	};
}

static void expect_run(const struct chart *c, size_t i, struct chart_run expected)
{
	const struct chart_run *r = &c->runs.v[i];

	cr_assert_lt(i, c->runs.count);
	cr_expect_eq(r->begin, expected.begin, "%zu begins at %lu", i, r->begin);
	cr_expect_eq(r->end, expected.end, "%zu ends at %lu", i, r->end);
	cr_expect_eq(r->node, expected.node, "%zu: %u", i, r->node);
	cr_expect_eq(r->samples, expected.samples, "%zu: %u samples", i, r->samples);
}

static void make(struct chart *ret)
{
	cr_assert_eq(chart_make(&made, same, ret), 0);
	chart_log_release(&made);
}

Test(chart, nothing_is_a_chart_of_no_thread)
{
	struct chart c;

	make(&c);
	cr_expect_eq(c.threads.count, 0);
	cr_expect_eq(c.length, 0);
	chart_release(&c);
}

Test(chart, a_processes_threads_are_together_and_the_busiest_first)
{
	uint32_t a = thread(1, 1), b = thread(2, 2), c = thread(1, 3);
	struct chart chart;

	run(a, 100, 110, 1);
	run(b, 100, 125, 1);
	run(c, 100, 120, 1);
	make(&chart);
	cr_assert_eq(chart.threads.count, 3);
	cr_expect_eq(chart.threads.v[0].tid, 3);
	cr_expect_eq(chart.threads.v[1].tid, 1);
	cr_expect_eq(chart.threads.v[2].tid, 2);
	cr_expect_eq(chart.threads.v[0].ran, 20);
	cr_expect_eq(chart.length, 25);
	chart_release(&chart);
}

Test(chart, a_stack_that_goes_on_is_one_run)
{
	uint32_t t = thread(1, 1);
	struct chart c;

	run(t, 100, 110, 1);
	run(t, 110, 120, 1);
	run(t, 121, 130, 1);
	run(t, 130, 140, 2);
	make(&c);
	cr_assert_eq(c.runs.count, 3);
	expect_run(&c, 0, (struct chart_run){ 0, 20, 1, 2, 0 });
	expect_run(&c, 1, (struct chart_run){ 21, 30, 1, 1, 0 });
	expect_run(&c, 2, (struct chart_run){ 30, 40, 2, 1, 0 });
	chart_release(&c);
}

/* A filter has taken the stack out: time goes on without it. */
Test(chart, a_stack_that_is_nowhere_is_left_out)
{
	static const uint32_t some[] = { 0, 1, CHART_NOWHERE };
	uint32_t t = thread(1, 1);
	struct chart c;

	run(t, 100, 110, 1);
	run(t, 110, 120, 2);
	run(t, 120, 130, 1);
	cr_assert_eq(chart_make(&made, some, &c), 0);
	cr_assert_eq(c.runs.count, 2);
	expect_run(&c, 1, (struct chart_run){ 20, 30, 1, 1, 0 });
	chart_release(&c);
	chart_log_release(&made);
}

static uint64_t time_of(const struct chart *c, uint32_t node)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < c->runs.count; i++)
		if (c->runs.v[i].node == node)
			sum += c->runs.v[i].end - c->runs.v[i].begin;
	return sum;
}

Test(chart, coarser_cells_keep_the_time_of_each_stack)
{
	enum { RUNS = 4000, STACKS = 7 };
	uint32_t t = thread(1, 1), u = thread(1, 2);
	struct chart c, coarse;
	uint64_t at = 0;

	for (uint32_t i = 0; i < RUNS; i++) {
		run(i % 3 ? t : u, at, at + 200 + i % 5, 1 + i * i % STACKS);
		at += 300;
	}
	make(&c);
	for (size_t most = RUNS; most > 50; most /= 3) {
		cr_assert_eq(chart_coarsen(&c, most, &coarse), 0);
		cr_expect_leq(coarse.runs.count, most);
		cr_expect_eq(coarse.cell != 0, most < RUNS);
		for (uint32_t node = 1; node <= STACKS; node++)
			cr_expect_eq(time_of(&c, node), time_of(&coarse, node));
		for (size_t i = 0; i < 2; i++) {
			const struct chart_thread *thread = &coarse.threads.v[i];

			for (size_t k = thread->first + 1; k < thread->end; k++)
				cr_assert_leq(coarse.runs.v[k - 1].end,
					      coarse.runs.v[k].begin);
		}
		chart_release(&coarse);
	}
	chart_release(&c);
}

/* Nothing is left out for a number: then there are more. */
Test(chart, as_many_runs_as_there_are_stacks_stay)
{
	uint32_t t = thread(1, 1);
	struct chart c, coarse;

	for (uint32_t i = 0; i < 9; i++)
		run(t, 100 * i, 100 * i + 100, 1 + i);
	make(&c);
	cr_assert_eq(chart_coarsen(&c, 3, &coarse), 0);
	cr_expect_eq(coarse.runs.count, 9);
	chart_release(&coarse);
	chart_release(&c);
}

/*	0 --- 1 --- 2
 *	      |---- 3	*/
static struct named_node nodes[] = { { 0, 0, 4 }, { 1, 0, 4 }, { 2, 1, 3 }, { 3, 1, 4 } };
static struct function functions[4];

static void expect_spans(const struct chart *c, const char *expected)
{
	struct named tree = { .nodes = { .v = nodes, .count = 4 } };
	struct symbols symbols = { .functions = { .v = functions, .count = 4 } };
	struct tree_source in = { .tree = &tree, .symbols = &symbols };
	struct chart_walk walk = { 0 };
	struct chart_span span;
	char found[400] = "", *at = found;
	int step;

	chart_walk_start(&walk, c, &in, &c->threads.v[0]);
	while ((step = chart_next(&walk, &span)) > 0)
		if (step == CHART_OPENS)
			at += sprintf(at, "(%u@%lu ", span.node, span.begin);
		else
			at += sprintf(at, "%u@%lu*%lu) ", span.node, span.end,
				      span.samples);
	cr_expect_eq(step, CHART_END);
	cr_expect_str_eq(found, expected);
	chart_walk_release(&walk);
}

Test(chart, what_two_stacks_share_stays_open)
{
	uint32_t t = thread(1, 1);
	struct chart c;

	for (size_t i = 0; i < 4; i++)
		functions[i].kind = FUNCTION_USER;
	run(t, 0, 10, 2);
	run(t, 10, 20, 3);
	run(t, 20, 30, 1);
	run(t, 35, 40, 1);
	make(&c);
	expect_spans(&c, "(1@0 (2@0 2@10*1) (3@10 3@20*1) 1@30*3) (1@35 1@40*1) ");
	chart_release(&c);
}

/* What is narrow is the longest of its neighbours, and none is lost. */
Test(chart, narrow_spans_are_joined)
{
	struct named tree = { .nodes = { .v = nodes, .count = 4 } };
	struct symbols symbols = { .functions = { .v = functions, .count = 4 } };
	struct tree_source in = { .tree = &tree, .symbols = &symbols };
	static const uint32_t one_function[] = { 0, 1, 2, 2 };
	static const struct {
		struct chart_join how;
		const char *spans; /* depth begin-end node count sum */
	} cases[] = {
		{ { .least = 1 },
		  "1:0-5 2 1 5, 1:5-15 3 1 10, 1:15-18 2 1 3, 0:0-18 1 1 18, "
		  "1:30-32 2 1 2, 0:30-32 1 1 2, 0:100-130 1 1 30, " },
		{ { .least = 11 },
		  "0:0-18 1 1 18, 1:0-18 3 3 18, 0:30-32 1 1 2, 0:100-130 1 1 30, "
		  "1:30-32 2 1 2, " },
		{ { .least = 15 },
		  "0:0-18 1 1 18, 0:30-32 1 1 2, 0:100-130 1 1 30, 1:0-32 3 4 20, " },
		{ { .least = 15, .block = 15 },
		  "1:0-15 3 2 15, 0:0-18 1 1 18, 1:15-18 2 1 3, 0:30-32 1 1 2, "
		  "0:100-130 1 1 30, 1:30-32 2 1 2, " },
		{ { .least = 1, .outermost = true },
		  "0:0-18 1 1 18, 0:30-32 1 1 2, 0:100-130 1 1 30, " },
		{ { .least = 1, .numbers = one_function },
		  "1:0-18 2 1 18, 0:0-18 1 1 18, 1:30-32 2 1 2, 0:30-32 1 1 2, 0:100-130 "
		  "1 1 30, " },
	};
	uint32_t t = thread(1, 1);
	struct chart c;

	for (size_t i = 0; i < 4; i++)
		functions[i].kind = FUNCTION_USER;
	run(t, 0, 5, 2);
	run(t, 5, 15, 3);
	run(t, 15, 18, 2);
	run(t, 30, 32, 2);
	run(t, 100, 130, 1);
	make(&c);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct chart_join how = cases[i].how;
		struct chart_joined_list list = { 0 };
		char found[400] = "", *at = found;

		how.in = &in;
		cr_assert_eq(chart_join_thread(&c, &c.threads.v[0], &how, &list), 0);
		for (size_t k = 0; k < list.count; k++) {
			const struct chart_joined *one = &list.v[k];

			at += sprintf(at, "%u:%lu-%lu %u %lu %lu, ", one->depth,
				      one->begin, one->end, one->longest.node, one->count,
				      one->sum);
		}
		cr_expect_str_eq(found, cases[i].spans, "%zu: %s", i, found);
		array_release(&list);
	}
	chart_release(&c);
}

Test(chart, waiting_is_another_kind_of_span)
{
	uint32_t t = thread(1, 1);
	struct chart c;

	for (size_t i = 0; i < 4; i++)
		functions[i].kind = FUNCTION_USER;
	run(t, 0, 10, 1);
	run(t, 10, 20, 1);
	array_last(&made.runs)->what = CHART_WAITING;
	array_last(&made.runs)->samples = 0;
	make(&c);
	expect_spans(&c, "(1@0 1@10*1) (1@10 (0@10 0@20*0) 1@20*0) ");
	chart_release(&c);
}

Test(chart, a_process_is_the_thread_and_no_span)
{
	uint32_t t = thread(1, 1);
	struct chart c;

	functions[1].kind = FUNCTION_LABEL;
	functions[2].kind = FUNCTION_USER;
	run(t, 0, 10, 2);
	run(t, 20, 30, 1);
	make(&c);
	expect_spans(&c, "(2@0 2@10*1) (0@20 0@30*1) ");
	chart_release(&c);
}
