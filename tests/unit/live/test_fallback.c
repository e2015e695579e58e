#include "live/fallback.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "live/rings/lost.h"

static char heard[1024];
static int times_heard;

static void hear(void *arg, const char *line)
{
	(void)arg;
	snprintf(heard, sizeof(heard), "%s", line);
	times_heard++;
}

static struct context ctx = { .log = hear };
static struct arena arena;
static struct live_events events;
static struct live_permission permission = { .paranoid = 2 };
static struct live_target target = { .who = FF_RECORD_COMMAND };
static struct fallback fallback = { .arena = &arena,
				    .permission = &permission,
				    .target = &target };

static struct live_event *parse(const char *text)
{
	cr_assert_eq(live_events_parse(&ctx, &arena, text, &events), 0, "%s", ctx.error);
	return array_last(&events.list);
}

static bool next(struct live_event *e, int err)
{
	return fallback_next(&ctx, &fallback, e, err);
}

Test(fallback, the_clock_counts_where_cycles_cannot_be_counted)
{
	static const char *const names[][2] = { { "cycles", "cpu-clock" },
						{ "cycles:u", "cpu-clock:u" },
						{ "cpu-cycles:k", "cpu-clock:k" } };

	for (size_t i = 0; i < 3; i++) {
		struct live_event *e = parse(names[i][0]);

		cr_assert(next(e, -ENOENT));
		cr_assert_eq(e->attr.type, PERF_TYPE_SOFTWARE);
		cr_assert_eq(e->attr.config, PERF_COUNT_SW_CPU_CLOCK);
		cr_assert_str_eq(e->name, names[i][1]);
		cr_assert_not(next(e, -ENOENT), "nothing is left");
	}
	cr_assert_not_null(strstr(heard, "no counter for 'cycles'"), "%s", heard);
	cr_assert_eq(times_heard, 1, "once for all");
}

Test(fallback, other_counters_have_no_stand_in)
{
	cr_assert_not(next(parse("cache-misses"), -ENOENT));
	cr_assert_not(next(parse("r1a8"), -ENOENT));
	cr_assert_not(next(parse("LLC-loads"), -EOPNOTSUPP));
	cr_assert_not(next(parse("cpu-clock"), -ENOENT));
}

Test(fallback, as_precise_as_can_be_is_less_where_it_has_to_be)
{
	struct live_event *e = parse("instructions:P");

	for (unsigned precise = 3; precise > 0; precise--) {
		cr_assert_eq(e->attr.precise_ip, precise);
		cr_assert(next(e, -EOPNOTSUPP));
	}
	cr_assert_not(next(e, -EOPNOTSUPP));
	cr_assert_not(next(parse("instructions:pp"), -EOPNOTSUPP), "that was asked for");
}

Test(fallback, user_space_is_left_where_the_kernel_is_not_allowed)
{
	static const char *const names[][2] = { { "cpu-clock", "cpu-clock:u" },
						{ "cycles:P", "cycles:Pu" } };

	for (size_t i = 0; i < 2; i++) {
		struct live_event *e = parse(names[i][0]);

		cr_assert(next(e, -EACCES));
		cr_assert(e->attr.exclude_kernel && e->attr.exclude_hv);
		cr_assert_str_eq(e->name, names[i][1]);
		cr_assert_not(next(e, -EACCES));
	}
	cr_assert_not_null(strstr(heard, "sysctl kernel.perf_event_paranoid=1"), "%s",
			   heard);
	cr_assert_eq(times_heard, 1);
}

Test(fallback, what_was_asked_for_is_not_left_out)
{
	struct live_event *e = parse("cpu-clock:k");

	cr_assert_not(next(e, -EACCES));
	e = parse("cpu-clock");
	e->attr.exclude_user = 1; /* --all-kernel */
	cr_assert_not(next(e, -EACCES));
	target.who = FF_RECORD_SYSTEM;
	cr_assert_not(next(parse("cpu-clock"), -EACCES),
		      "user space is not allowed either");
	target.who = FF_RECORD_COMMAND;
}

Test(fallback, namespaces_are_asked_for_by_those_who_may)
{
	struct live_event *e = parse("cpu-clock");

	e->attr.namespaces = 1;
	cr_assert(next(e, -EACCES));
	cr_assert(!e->attr.namespaces && !e->attr.exclude_kernel);
}

Test(fallback, what_an_old_kernel_does_not_know_goes_the_newest_first)
{
	struct live_event *e = parse("cpu-clock");
	int steps = 0;

	e->attr.build_id = e->attr.cgroup = e->attr.bpf_event = e->attr.ksymbol = 1;
	e->attr.namespaces = e->attr.use_clockid = 1;
	e->attr.clockid = 1;
	e->attr.sample_type = PERF_SAMPLE_CGROUP | PERF_SAMPLE_IP;
	e->attr.read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
	cr_assert(next(e, -EINVAL) && e->attr.build_id);
	cr_assert_eq(e->attr.read_format, PERF_FORMAT_ID);
	cr_assert(next(e, -EINVAL) && !e->attr.build_id && e->attr.cgroup);
	cr_assert(next(e, -EINVAL) && !e->attr.cgroup && e->attr.bpf_event);
	cr_assert_eq(e->attr.sample_type, PERF_SAMPLE_IP);
	while (next(e, -EINVAL))
		cr_assert_leq(++steps, 10);
	cr_assert(!e->attr.ksymbol && !e->attr.namespaces && !e->attr.use_clockid);
	cr_assert_eq(e->attr.clockid, 0);
	cr_assert_eq(times_heard, 0);
}

Test(fallback, other_refusals_are_final)
{
	static const int errors[] = { -ESRCH, -EMFILE, -EBUSY, -ENOSYS, -ENOMEM };

	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		cr_assert_not(next(parse("cycles"), errors[i]));
}
