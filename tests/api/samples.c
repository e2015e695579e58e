/*
 * Samples one by one: each with its time, its thread and its stack, and together the tree.
 * With files as arguments: of each of these the samples are what its tree is made of.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <flamefold.h>

#include "api.h"
#include "recording.h"

/* IP, TID, TIME, CPU, PERIOD, CALLCHAIN: of thread 1/@tid, in a chain of two. */
static void put_sample(uint64_t time, uint64_t tid, uint64_t cpu, uint64_t weight,
		       uint64_t caller)
{
	put_record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 72);
	put_u64(0x1234);
	put_u64(tid << 32 | 1);
	put_u64(time);
	put_u64(cpu);
	put_u64(weight);
	put_u64(3);
	put_u64((uint64_t)PERF_CONTEXT_USER);
	put_u64(0x1234);
	put_u64(caller);
}

/* Threads 1 and 2 have names; the samples are not in the order of their times. */
static void make_file(void)
{
	recording_begin(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN);
	put_comm(1, 1, "one");
	put_comm(1, 2, "two");
	put_sample(3000, 1, 0, 7, 0x1500);
	put_sample(1000, 2, 5, 100, 0x1500);
	put_sample(2000, 1, 1, 20, 0x1700);
	recording_finish();
}

static struct ff_profile *fresh(unsigned flags)
{
	struct ff_options options = FF_OPTIONS_INIT;
	struct ff_profile *p;

	options.flags = flags | FF_ADDRS;
	options.kallsyms = "/dev/null";
	options.symfs = "/nonexistent";
	CHECK(ff_profile_new(&p, &options) == 0);
	return p;
}

/* @times of them. */
static struct ff_profile *read_file(unsigned flags, int times)
{
	struct ff_profile *p = fresh(flags);

	make_file();
	for (; times > 0; times--)
		CHECK(ff_profile_read_memory(p, file, end, "it") == 0);
	CHECK(ff_profile_finish(p) == 0);
	return p;
}

static void samples_come_in_the_order_of_time(void)
{
	static const uint64_t expected[][5] = { { 1000, 100, 1, 2, 5 },
						{ 2000, 20, 1, 1, 1 },
						{ 3000, 7, 1, 1, 0 } };
	static const enum ff_sample_number which[] = { FF_SAMPLE_TIME, FF_SAMPLE_WEIGHT,
						       FF_SAMPLE_PID, FF_SAMPLE_TID,
						       FF_SAMPLE_CPU };
	struct ff_profile *p = read_file(FF_SAMPLES, 1);
	const struct ff_sample *s = NULL;
	const struct ff_node *n;
	int i, k;

	for (i = 0; i < 3; i++) {
		s = ff_sample_next(p, s);
		CHECK(s != NULL);
		for (k = 0; s && k < 5; k++)
			CHECK(ff_sample_number(s, which[k]) == expected[i][k]);
		CHECK(strcmp(ff_sample_comm(p, s), i ? "one" : "two") == 0);
		n = ff_sample_node(p, s);
		CHECK(ff_node_self(p, n) >= expected[i][1]);
		CHECK(ff_node_child(p, n) == NULL);
		while (ff_node_parent(p, ff_node_parent(p, n)))
			n = ff_node_parent(p, n);
		CHECK(strcmp(ff_node_name(p, n), "one") == 0 ||
		      strcmp(ff_node_name(p, n), "two") == 0);
		CHECK(ff_sample_input(p, s) == ff_input_next(p, NULL));
		CHECK(ff_sample_event(p, s) ==
		      ff_event_next(ff_input_next(p, NULL), NULL));
	}
	CHECK(ff_sample_next(p, s) == NULL);
	ff_profile_free(p);
}

static void there_are_none_where_nobody_asked(void)
{
	struct ff_profile *p = read_file(0, 1);

	CHECK(ff_sample_next(p, NULL) == NULL);
	ff_profile_free(p);
	p = fresh(FF_SAMPLES);
	CHECK(ff_profile_read_memory(p, "a;b 7\n", 6, NULL) == 0);
	CHECK(ff_sample_next(p, NULL) == NULL);
	CHECK(ff_profile_finish(p) == 0);
	CHECK(ff_sample_next(p, NULL) == NULL);
	ff_profile_free(p);
}

static void what_filters_leave_out_is_no_sample(void)
{
	struct ff_profile *p = fresh(FF_SAMPLES);
	const struct ff_sample *s;

	CHECK(ff_profile_drop(p, "tid=2") == 0);
	make_file();
	CHECK(ff_profile_read_memory(p, file, end, NULL) == 0);
	CHECK(ff_profile_finish(p) == 0);
	s = ff_sample_next(p, NULL);
	CHECK(s && ff_sample_number(s, FF_SAMPLE_TIME) == 2000);
	s = ff_sample_next(p, s);
	CHECK(s && ff_sample_number(s, FF_SAMPLE_TIME) == 3000);
	CHECK(ff_sample_next(p, s) == NULL);
	ff_profile_free(p);
	p = fresh(FF_SAMPLES);
	CHECK(ff_profile_drop(p, "symbol=1700") == 0);
	CHECK(ff_profile_read_memory(p, file, end, NULL) == 0);
	CHECK(ff_profile_finish(p) == 0);
	for (s = NULL; (s = ff_sample_next(p, s));)
		CHECK(ff_sample_number(s, FF_SAMPLE_TIME) != 2000);
	ff_profile_free(p);
}

static void inputs_come_one_after_the_other(void)
{
	struct ff_profile *p = read_file(FF_SAMPLES, 2);
	const struct ff_input *first = ff_input_next(p, NULL), *input = first;
	const struct ff_sample *s;
	uint64_t before = 0, count = 0;

	for (s = NULL; (s = ff_sample_next(p, s)); count++) {
		if (ff_sample_input(p, s) != input)
			before = 0;
		input = ff_sample_input(p, s);
		CHECK(ff_sample_number(s, FF_SAMPLE_TIME) > before);
		before = ff_sample_number(s, FF_SAMPLE_TIME);
	}
	CHECK(count == 6 && input == ff_input_next(p, first));
	ff_profile_free(p);
}

/* Takes away from the node what its samples weigh: nothing is left of it, or of its children. */
static void check_node(const struct ff_profile *p, const struct ff_node *n)
{
	const struct ff_node *child;
	const struct ff_sample *s;
	uint64_t sum = 0;

	for (s = NULL; (s = ff_sample_next(p, s));)
		if (ff_sample_node(p, s) == n)
			sum += ff_sample_number(s, FF_SAMPLE_WEIGHT);
	CHECK(sum == ff_node_self(p, n));
	for (child = ff_node_child(p, n); child; child = ff_node_next(p, child))
		check_node(p, child);
}

static void check_file(const char *path, unsigned flags)
{
	struct ff_profile *p = fresh(FF_SAMPLES | flags);
	const struct ff_sample *s;
	uint64_t count = 0;
	int before = api_failed;

	if (ff_profile_read(p, path) == 0) {
		CHECK(ff_profile_finish(p) == 0);
		for (s = NULL; (s = ff_sample_next(p, s));)
			count++;
		CHECK(count == ff_profile_total(p, FF_TOTAL_SAMPLES_TREE));
		check_node(p, ff_profile_root(p));
	}
	if (api_failed > before)
		printf("%s\n", path);
	ff_profile_free(p);
}

int main(int argc, char **argv)
{
	for (; argc > 1; argc--) {
		check_file(argv[argc - 1], 0);
		check_file(argv[argc - 1], FF_COMPAT_STACKCOLLAPSE);
	}
	samples_come_in_the_order_of_time();
	there_are_none_where_nobody_asked();
	what_filters_leave_out_is_no_sample();
	inputs_come_one_after_the_other();
	return api_failed;
}
