#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "live/run.h"

enum { LAST = 5000000 };

static struct live_options options = { .everywhere = true };
static const struct live_asked calls = { .filter = "", .threads = { "common_pid" } };
static const struct live_asked switches = { .filter = "", .threads = { "prev_pid" } };
static struct live run;

static struct live_event *add_event(const struct live_asked *asked, bool is_probe)
{
	struct live_event *e = array_add(&run.events.list);

	e->asked = asked;
	e->probe = is_probe ? PROBE_ENTRY : PROBE_NONE;
	e->attr.type = is_probe ? 7 : PERF_TYPE_TRACEPOINT;
	return e;
}

static void begin(void)
{
	struct stat st;

	/* PROC_PID_INIT_INO: elsewhere nobody is named. */
	if (stat("/proc/self/ns/pid", &st) < 0 || st.st_ino != 0xEFFFFFFC)
		cr_skip_test("numbers of processes are not the kernel's here");
	run = (struct live){ .options = &options };
	run.target.who = FF_RECORD_SYSTEM;
}

static void end(void)
{
	array_release(&run.events.list);
	array_release(&run.watched.threads);
	arena_release(&run.arena);
}

TestSuite(filter, .init = begin, .fini = end);

Test(filter, calls_of_a_command_are_its_own_and_those_of_whoever_begins_later)
{
	struct live_event *e = add_event(&calls, true);
	int named, newer, size = 0;

	run.command.pid = 77;
	run_make_filters(&run);
	cr_assert_neq(run.newer.than, 0);
	cr_assert_eq(sscanf(e->filter, "common_pid == %d || common_pid > %d%n", &named,
			    &newer, &size),
		     2, "%s", e->filter);
	cr_expect_eq(e->filter[size], '\0');
	cr_expect_eq(named, 77);
	cr_expect_eq(newer, run.newer.than);
	cr_expect(!strchr(e->wide_filter, '|'), "%s", e->wide_filter);
}

Test(filter, who_begins_later_passes_until_numbers_begin_anew)
{
	struct live_event *e = add_event(&calls, true);

	run.command.pid = 77;
	run_make_filters(&run);
	run.newer = (struct newer){ 100, 1000 };
	cr_expect(!live_leaves_out(&run, 101, true));
	cr_expect(!live_leaves_out(&run, 50, false), "it does not count");
	cr_expect(live_leaves_out(&run, 50, true));
	cr_expect(live_leaves_out(&run, 1000, true));
	cr_expect(live_leaves_out(&run, 1000, false), "the next one may be 300");
	e->filter = e->wide_filter;
	cr_expect(!live_leaves_out(&run, 50, true), "all pass");
}

Test(filter, where_a_tracepoint_names_threads_each_new_one_is_left_out)
{
	struct live_event *e;

	*(pid_t *)array_add(&run.watched.threads) = 77;
	add_event(&calls, true);
	e = add_event(&switches, false);
	run_make_filters(&run);
	cr_expect_str_eq(e->filter, "prev_pid == 77");
	cr_expect(live_leaves_out(&run, LAST, true));
	cr_expect(!live_leaves_out(&run, LAST, false));
}
