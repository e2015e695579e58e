#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "filter/filter.h"

#define SECOND 1000000000ull

/* Filters, and somebody who asks them. */
static struct context ctx;
static struct intern strings;
static struct filters *filters;
static struct filter_memo *memo;

static void set_up(void)
{
	cr_assert_eq(intern_init(&strings), 0);
	cr_assert_eq(filters_new(&filters), 0);
	cr_assert_eq(filter_memo_new(filters, &memo), 0);
}

static void tear_down(void)
{
	filter_memo_free(memo);
	filters_free(filters);
	intern_release(&strings);
}

TestSuite(filters, .init = set_up, .fini = tear_down);

static void only(const char *text)
{
	cr_assert_eq(filters_add(&ctx, filters, FILTER_ONLY, text), 0, "%s: %s", text,
		     ctx.error);
}

static void drop(const char *text)
{
	cr_assert_eq(filters_add(&ctx, filters, FILTER_DROP, text), 0, "%s: %s", text,
		     ctx.error);
}

static void refuses(const char *text, const char *sentence)
{
	cr_expect_eq(filters_add(&ctx, filters, FILTER_ONLY, text), -EINVAL, "%s", text);
	cr_expect_str_eq(ctx.error, sentence);
	cr_expect_not(filters_ask_samples(filters));
}

static uint32_t id_of(const char *text)
{
	uint32_t id;

	cr_assert_eq(intern_add(&strings, text, strlen(text), &id), 0);
	return id;
}

static int pass(const struct filter_subject *s)
{
	return filters_pass(&ctx, filters, memo, &strings, s);
}

static int pass_comm(const char *comm)
{
	return pass(&(struct filter_subject){ .comm = id_of(comm) });
}

static bool pass_pid(uint32_t pid)
{
	return pass(&(struct filter_subject){ .pid = pid });
}

static bool pass_cgroup(const char *path)
{
	return pass(&(struct filter_subject){ .cgroup = id_of(path) });
}

/* Of an input from 100 s to 110 s. */
static bool pass_time(double seconds)
{
	return pass(&(struct filter_subject){
		.time = 100 * SECOND + (uint64_t)(seconds * 1e9 + 0.5),
		.first = 100 * SECOND,
		.last = 110 * SECOND,
	});
}

/* Seconds that are kept of the same input, from the first to the last of which it is @reach. */
static double kept(double *reach)
{
	uint64_t first = 100 * SECOND, last = 110 * SECOND;
	uint64_t all = filters_time(filters, &first, &last);

	*reach = (double)(last - first) / 1e9;
	return (double)all / 1e9;
}

Test(filters, times_are_as_long_as_was_asked_for)
{
	double reach;

	cr_expect_eq(kept(&reach), 10);
	cr_expect_eq(reach, 10);
	only("time=1,2");
	cr_expect_eq(kept(&reach), 1);
	/* What lies in two of them counts once, and what is behind the end does not. */
	only("time=15%-30%");
	only("time=9,90");
	cr_expect_eq(kept(&reach), 3);
	cr_expect_eq(reach, 9);
	drop("time=,1.5");
	drop("time=9.5,");
	cr_expect_eq(kept(&reach), 2);
	cr_expect_eq(reach, 8);
	drop("time=0,10");
	cr_expect_eq(kept(&reach), 0);
}

Test(filters, none_pass_everything)
{
	cr_expect_not(filters_ask_samples(filters));
	cr_expect(pass_pid(1));
}

Test(filters, a_text_matches_anywhere)
{
	only("comm=net");
	cr_expect(filters_ask_samples(filters));
	cr_expect(pass_comm("netd"));
	cr_expect(pass_comm("dnet0"));
	cr_expect_not(pass_comm("nEt"));
	cr_expect_not(pass_comm(""));
}

Test(filters, a_text_is_a_pattern)
{
	only("comm=^(?i:java|node)$");
	cr_expect(pass_comm("Java"));
	cr_expect(pass_comm("node"));
	cr_expect_not(pass_comm("nodes"));
}

Test(filters, a_value_may_hold_the_sign_that_ends_the_key)
{
	only("comm=a=b");
	cr_expect(pass_comm("xa=b"));
	cr_expect_not(pass_comm("a"));
}

Test(filters, text_need_not_be_utf8)
{
	only("comm=\xff.x");
	cr_expect(pass_comm("\xff\xfex"));
}

Test(filters, a_verdict_is_the_same_when_it_is_asked_for_again)
{
	only("comm=yes");
	for (int i = 0; i < 3; i++) {
		cr_expect(pass_comm("yes"));
		cr_expect_not(pass_comm("no"));
	}
}

Test(filters, verdicts_about_comm_and_event_are_apart)
{
	struct filter_subject s = { .comm = id_of("x"), .event = id_of("x") };

	only("comm=x");
	drop("event=y");
	cr_expect(pass(&s));
	drop("event=x");
	filter_memo_free(memo);
	cr_assert_eq(filter_memo_new(filters, &memo), 0);
	cr_expect_not(pass(&s));
}

Test(filters, the_same_key_again_is_or)
{
	only("pid=1");
	only("pid=2");
	cr_expect(pass_pid(1));
	cr_expect(pass_pid(2));
	cr_expect_not(pass_pid(3));
}

Test(filters, different_keys_are_and)
{
	only("pid=1");
	only("cpu=2");
	cr_expect(pass(&(struct filter_subject){ .pid = 1, .cpu = 2 }));
	cr_expect_not(pass(&(struct filter_subject){ .pid = 1, .cpu = 3 }));
	cr_expect_not(pass(&(struct filter_subject){ .pid = 2, .cpu = 2 }));
}

Test(filters, any_drop_drops)
{
	drop("pid=1");
	drop("cpu=2");
	cr_expect_not(pass(&(struct filter_subject){ .pid = 1, .cpu = 3 }));
	cr_expect_not(pass(&(struct filter_subject){ .pid = 3, .cpu = 2 }));
	cr_expect(pass(&(struct filter_subject){ .pid = 3, .cpu = 3 }));
}

Test(filters, drop_wins_over_only)
{
	only("pid=1-9");
	drop("pid=5");
	cr_expect(pass_pid(4));
	cr_expect_not(pass_pid(5));
}

Test(filters, numbers_are_lists_and_ranges)
{
	only("pid=1,5-9,20-");
	cr_expect_not(pass_pid(0));
	cr_expect(pass_pid(1));
	cr_expect_not(pass_pid(4));
	cr_expect(pass_pid(5));
	cr_expect(pass_pid(9));
	cr_expect_not(pass_pid(10));
	cr_expect(pass_pid(20));
	cr_expect(pass_pid(UINT32_MAX));
}

Test(filters, tid_and_cpu_are_their_own)
{
	struct filter_subject s = { .pid = 1, .tid = 2, .cpu = 3 };

	only("pid=1");
	only("tid=2");
	only("cpu=3");
	cr_expect(pass(&s));
	s.tid = 1;
	cr_expect_not(pass(&s));
}

Test(filters, a_time_has_its_start_but_not_its_end)
{
	only("time=2,3.5");
	cr_expect_not(pass_time(1.999999999));
	cr_expect(pass_time(2));
	cr_expect(pass_time(3.499999999));
	cr_expect_not(pass_time(3.5));
}

Test(filters, a_time_may_have_units)
{
	only("time=100ms,0.5s");
	cr_expect_not(pass_time(0.099999999));
	cr_expect(pass_time(0.1));
	cr_expect(pass_time(0.499999999));
	cr_expect_not(pass_time(0.5));
	only("time=2m,1h");
	cr_expect_not(pass_time(119));
	cr_expect(pass_time(120));
	cr_expect_not(pass_time(3600));
}

Test(filters, a_time_may_be_open)
{
	only("time=,1");
	only("time=9.5,");
	cr_expect(pass_time(0));
	cr_expect_not(pass_time(1));
	cr_expect(pass_time(10));
}

Test(filters, a_time_may_be_a_percentage)
{
	only("time=10%-20%");
	cr_expect_not(pass_time(0.999999999));
	cr_expect(pass_time(1));
	cr_expect(pass_time(1.999999999));
	cr_expect_not(pass_time(2));
}

Test(filters, a_percentage_may_have_a_fraction)
{
	only("time=12.5%-99.9%");
	cr_expect_not(pass_time(1.249));
	cr_expect(pass_time(1.25));
	cr_expect(pass_time(9.98));
	cr_expect_not(pass_time(9.99));
}

Test(filters, a_hundred_percent_has_the_last_sample)
{
	only("time=90%-100%");
	cr_expect(pass_time(10));
}

Test(filters, a_time_before_the_first_sample_counts_as_it)
{
	only("time=0,1");
	cr_expect(pass(&(struct filter_subject){ .time = 5, .first = 10, .last = 20 }));
}

Test(filters, the_end_of_time_does_not_overflow)
{
	struct filter_subject s = { .time = UINT64_MAX / 2, .last = UINT64_MAX };

	only("time=50%-51%");
	cr_expect(pass(&s));
	s.time = UINT64_MAX / 100 * 52;
	cr_expect_not(pass(&s));
}

static bool pass_state(int64_t state)
{
	return pass(&(struct filter_subject){ .state = state });
}

Test(filters, states_are_letters)
{
	only("state=DR");
	cr_expect(filters_ask_samples(filters));
	cr_expect(filters_ask_intervals(filters));
	cr_expect(filters_ask_states(filters));
	cr_expect_not(filters_ask_durations(filters));
	cr_expect(pass_state(2));
	cr_expect(pass_state(0));
	cr_expect(pass_state(0x100), "preempted");
	cr_expect_not(pass_state(1));
	cr_expect_not(pass_state(0x80), "I is another one");
	cr_expect_not(pass_state(0x101));
}

Test(filters, states_to_drop)
{
	drop("state=S");
	drop("state=I");
	cr_expect_not(pass_state(1));
	cr_expect_not(pass_state(0x80));
	cr_expect(pass_state(2));
}

Test(filters, threads_of_the_kernel)
{
	only("kthread=1");
	cr_expect(filters_ask_kthreads(filters));
	cr_expect(pass(&(struct filter_subject){ .kthread = 1 }));
	cr_expect_not(pass(&(struct filter_subject){ .kthread = 0 }));
}

Test(filters, durations_that_touch_share_none)
{
	only("duration=1ms..2ms");
	only("duration=5s..");
	cr_expect(filters_ask_durations(filters));
	cr_expect_not(filters_pass_duration(filters, 999999));
	cr_expect(filters_pass_duration(filters, 1000000));
	cr_expect(filters_pass_duration(filters, 1999999));
	cr_expect_not(filters_pass_duration(filters, 2000000));
	cr_expect(filters_pass_duration(filters, UINT64_MAX));
	/* Samples are not asked. */
	cr_expect(pass_pid(1));
}

Test(filters, durations_to_drop)
{
	cr_expect(filters_pass_duration(filters, 0));
	drop("duration=..10us");
	cr_expect_not(filters_pass_duration(filters, 0));
	cr_expect_not(filters_pass_duration(filters, 9999));
	cr_expect(filters_pass_duration(filters, 10000));
}

Test(filters, refuse_what_no_interval_is_asked)
{
	refuses("state=SQ",
		"filter 'state=SQ': 'Q' is not a state: R, S, D, T, t, X, Z, P "
		"and I are");
	refuses("kthread=2", "filter 'kthread=2': kthread is 0 or 1");
	refuses("duration=5",
		"filter 'duration=5': a duration is 1ms.., ..2s or 1ms..2s");
	refuses("duration=10%..",
		"filter 'duration=10%..': a duration is 1ms.., ..2s or 1ms..2s");
	refuses("duration=1x..",
		"filter 'duration=1x..': a duration is 1ms.., ..2s or 1ms..2s");
	refuses("duration=..", "filter 'duration=..' has neither least nor most");
	refuses("duration=2s..1s", "filter 'duration=2s..1s' runs backwards");
}

Test(filters, refuse_what_is_no_filter)
{
	refuses("pid", "filter 'pid' is not KEY=VALUE");
	refuses("", "filter '' is not KEY=VALUE");
	refuses("pod=1", "filter 'pod=1': the keys are comm, event, cgroup, pid, tid, "
			 "cpu, time, symbol, dso; of a mode state, duration, kthread");
	refuses("=1", "filter '=1': the keys are comm, event, cgroup, pid, tid, cpu, "
		      "time, symbol, dso; of a mode state, duration, kthread");
	refuses("pid=", "filter 'pid=' has no value");
	refuses("comm=", "filter 'comm=' has no value");
}

Test(filters, refuse_what_is_no_number)
{
	refuses("pid=abc", "filter 'pid=abc': 'abc' is not a number");
	refuses("pid=1,,2", "filter 'pid=1,,2': '' is not a number");
	refuses("pid=1,", "filter 'pid=1,': '' is not a number");
	refuses("pid=-5", "filter 'pid=-5': '-5' is not a number");
	refuses("pid=1-2-3", "filter 'pid=1-2-3': '1-2-3' is not a number");
	refuses("tid=0x10", "filter 'tid=0x10': '0x10' is not a number");
	refuses("cpu=4294967296",
		"filter 'cpu=4294967296': '4294967296' is not a number");
	refuses("cpu=99999999999999999999", "filter 'cpu=99999999999999999999': "
					    "'99999999999999999999' is not a number");
	refuses("cpu=9-5", "filter 'cpu=9-5': '9-5' runs backwards");
	refuses("cpu= 1", "filter 'cpu= 1': ' 1' is not a number");
}

Test(filters, refuse_what_is_no_time)
{
	refuses("time=5", "filter 'time=5': a time is START,END in seconds, or with "
			  "units (100ms,2s), or 10%-20%");
	refuses("time=,", "filter 'time=,' has neither start nor end");
	refuses("time=a,5", "filter 'time=a,5': 'a' is not a time");
	refuses("time=1,b", "filter 'time=1,b': 'b' is not a time");
	refuses("time=5x,", "filter 'time=5x,': '5x' is not a time");
	refuses("time=ms,", "filter 'time=ms,': 'ms' is not a time");
	refuses("time=99999999999h,",
		"filter 'time=99999999999h,': '99999999999h' is not a time");
	refuses("time=1e3,", "filter 'time=1e3,': '1e3' is not a time");
	refuses("time=.,5", "filter 'time=.,5': '.' is not a time");
	refuses("time=-1,5", "filter 'time=-1,5': '-1' is not a time");
	refuses("time=5,3", "filter 'time=5,3' ends before it starts");
	refuses("time=1,2,3", "filter 'time=1,2,3': '2,3' is not a time");
	refuses("time=10%-101%", "filter 'time=10%-101%': '101%' is not a time");
	refuses("time=99999999999,",
		"filter 'time=99999999999,': '99999999999' is not a time");
}

Test(filters, refuse_a_broken_pattern)
{
	refuses("comm=a(",
		"filter 'comm=a(': missing closing parenthesis, at character 3 of "
		"the pattern");
}

Test(filters, cgroup_is_a_pattern_for_its_path)
{
	only("cgroup=^/system[.]slice/");
	drop("cgroup=web");
	cr_assert(pass_cgroup("/system.slice/db"));
	cr_assert_not(pass_cgroup("/system.slice/web"));
	cr_assert_not(pass_cgroup("/user.slice"));
	cr_assert_not(pass_cgroup(""), "a sample without one");
}

Test(filters, a_sample_without_cgroup_has_an_empty_path)
{
	only("cgroup=^$");
	cr_assert(pass_cgroup(""));
	cr_assert_not(pass_cgroup("/"));
}

static unsigned match(const char *name, const char *module)
{
	struct filter_frame frame = { { name, strlen(name) },
				      { module, strlen(module) } };
	int bits = filters_match_frame(&ctx, filters, memo, &frame);

	cr_assert_geq(bits, 0);
	return (unsigned)bits;
}

Test(filters, frames_are_asked_apart_from_samples)
{
	only("symbol=^a$");
	cr_expect_not(filters_ask_samples(filters));
	cr_expect(filters_ask_frames(filters));
	cr_expect_not(filters_ask_objects(filters));
	drop("dso=libx");
	cr_expect(filters_ask_objects(filters));
	only("pid=1");
	cr_expect(filters_ask_samples(filters));
	cr_expect(filters_pass_frames(filters, match("a", "/lib/liby.so")));
	cr_expect_not(filters_pass_frames(filters, match("aa", "/lib/liby.so")));
	cr_expect_not(filters_pass_frames(filters, match("a", "/lib/libx.so")));
	cr_expect_not(filters_pass_frames(filters, 0));
}

Test(filters, each_key_may_be_matched_by_another_frame)
{
	only("symbol=f");
	only("symbol=g");
	only("dso=libx");
	cr_expect_not(filters_pass_frames(filters, match("f", "liby")));
	cr_expect_not(filters_pass_frames(filters, match("h", "libx")));
	cr_expect(filters_pass_frames(filters, match("f", "liby") | match("h", "libx")));
	cr_expect(filters_pass_frames(filters, match("g", "libx")));
}

Test(filters, what_is_of_no_object_is_of_none)
{
	only("dso=^$");
	cr_expect_not(filters_pass_frames(filters, match("f", "")));
	drop("symbol=.");
	cr_expect_not(filters_pass_frames(filters, match("f", "libx")));
}

/* (a+)+$ tries every way to cut a row of a's that something else ends. */
#define SLOW "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"

Test(filters, a_pattern_that_takes_too_many_steps_is_an_error)
{
	only("comm=^(a+)+$");
	cr_expect_eq(pass_comm("aaa"), 1);
	cr_expect_eq(pass_comm(SLOW), -EINVAL);
	cr_expect_str_eq(ctx.error, "filter 'comm=^(a+)+$': the pattern takes more than "
				    "13568 steps for '" SLOW "': make it simpler");
	cr_expect_eq(pass_comm(SLOW), -EINVAL, "and is one each time");
}

Test(filters, what_is_to_be_dropped_may_take_too_many_steps_too)
{
	drop("comm=^(a+)+$");
	cr_expect_eq(pass_comm("aaa"), 0);
	cr_expect_eq(pass_comm(SLOW), -EINVAL);
}

Test(filters, a_frame_whose_name_takes_too_many_steps_is_an_error)
{
	struct filter_frame frame = { { SLOW, strlen(SLOW) }, { "", 0 } };

	drop("symbol=^(a+)+$");
	cr_expect_eq(filters_match_frame(&ctx, filters, memo, &frame), -EINVAL);
	cr_expect(strstr(ctx.error, "filter 'symbol=^(a+)+$'"));
}
