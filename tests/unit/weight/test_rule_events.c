#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "weight/rule.h"

/* A machine that knows these, with spaces around each. */
static const char machine[] =
	" sched:sched_switch sched:sched_waking block:block_rq_issue "
	"block:block_rq_complete "
	"page-faults raw_syscalls:sys_enter raw_syscalls:sys_exit syscalls:sys_exit_brk "
	"uprobe:libc:malloc uretprobe:libc:malloc uprobe:/a/b:f ";

static int is_known(void *arg, const char *name)
{
	char word[128];

	snprintf(word, sizeof(word), " %s ", name);
	if (strstr(machine, word))
		return 1;
	fail(arg, -ENOENT, "no '%s'", name);
	return 0;
}

/* "NAME[+stack][{FILTER}] ...", "all: " before them where they are of whole processors. */
static void expect(const char *rule_text, const char *expected)
{
	struct context ctx = { .log = NULL };
	const struct event_asker asker = { is_known, &ctx, false };
	struct rule_events found = { 0 };
	struct pair_rule rule;
	char text[1024];
	size_t size;

	cr_assert_eq(rule_parse(&ctx, rule_text, &rule), 0, "%s", ctx.error);
	cr_assert_eq(rule_events_find(&ctx, &rule, &asker, &found), 0, "%s", ctx.error);
	cr_assert_str_empty(ctx.error);
	size = (size_t)snprintf(text, sizeof(text), "%s",
				found.everywhere ? "all:" : "own:");
	for (size_t i = 0; i < found.list.count; i++) {
		const struct rule_event *e = &found.list.v[i];

		size += (size_t)snprintf(text + size, sizeof(text) - size, " %s%s%s%s%s",
					 e->name, e->has_stack ? "+stack" : "",
					 *e->filter ? "{" : "", e->filter,
					 *e->filter ? "}" : "");
	}
	cr_expect_str_eq(text, expected);
	rule_events_release(&found);
}

/* Those that are asked of the event, "arg1 arg3 ret". */
static void expect_registers(const char *rule_text, size_t event, unsigned registers)
{
	struct context ctx = { .log = NULL };
	const struct event_asker asker = { is_known, &ctx, false };
	struct rule_events found = { 0 };
	struct pair_rule rule;

	cr_assert_eq(rule_parse(&ctx, rule_text, &rule), 0, "%s", ctx.error);
	cr_assert_eq(rule_events_find(&ctx, &rule, &asker, &found), 0, "%s", ctx.error);
	cr_expect_eq(found.list.v[event].registers, registers, "%s: %x", rule_text,
		     found.list.v[event].registers);
	cr_expect_str_eq(found.list.v[event].threads[0], "common_pid");
	rule_events_release(&found);
}

static const char *rule_named(const char *mode)
{
	return mode_find(mode)->rule;
}

#define RUNNABLE "(prev_state == 0 || prev_state == 256 || prev_state & 48)"

Test(rule_events, one_event_of_several_steps_is_opened_once_with_the_stack_of_any)
{
	expect("start sched:sched_switch key prev_pid; end sched:sched_switch key "
	       "next_pid",
	       "all: sched:sched_switch+stack");
}

Test(rule_events, where_few_have_to_have_a_stack_the_others_are_recorded_without)
{
	expect(rule_named("offcpu"),
	       "all: sched:sched_switch{(next_pid != 0) || (" RUNNABLE
	       " && prev_pid != 0)} "
	       "sched:sched_switch+stack{prev_state & 255 && prev_pid != 0}");
	/* All that are no switch from idle have one. */
	expect("start sched:sched_switch key prev_pid if prev_pid;"
	       "end sched:sched_switch key next_pid if next_pid",
	       "all: sched:sched_switch+stack{(prev_pid != 0) || (next_pid != 0)}");
}

Test(rule_events, a_side_of_a_switch_is_about_its_thread)
{
	struct context ctx = { .log = NULL };
	const struct event_asker asker = { is_known, &ctx, false };
	struct rule_events found = { 0 };
	struct pair_rule rule;

	cr_assert_eq(rule_parse(&ctx, rule_named("offcpu"), &rule), 0);
	cr_assert_eq(rule_events_find(&ctx, &rule, &asker, &found), 0);
	cr_expect_str_eq(found.list.v[0].threads[0], "prev_pid");
	cr_expect_str_eq(found.list.v[0].threads[1], "next_pid");
	cr_expect_str_eq(found.list.v[1].threads[0], "prev_pid");
	cr_expect_null(found.list.v[1].threads[1]);
	rule_events_release(&found);
}

static void expect_without_stacks(const char *rule_text, size_t count)
{
	struct context ctx = { .log = NULL };
	const struct event_asker asker = { is_known, &ctx, true };
	struct rule_events found = { 0 };
	struct pair_rule rule;

	cr_assert_eq(rule_parse(&ctx, rule_text, &rule), 0);
	cr_assert_eq(rule_events_find(&ctx, &rule, &asker, &found), 0);
	cr_expect_eq(found.list.count, count);
	rule_events_release(&found);
}

Test(rule_events, without_stacks_all_are_alike)
{
	expect_without_stacks(rule_named("offcpu"), 1);
}

Test(rule_events, what_the_kernel_has_no_words_for_it_lets_pass)
{
	expect("sample page-faults if a && !b && c + 1 && !runnable(d) && runnable( e )",
	       "own: page-faults+stack{a != 0 && b == 0 && (e == 0 || e == 256)}");
	expect("sample page-faults if a || b && c", "own: page-faults+stack");
	expect("sample page-faults if (a || b) && c", "own: page-faults+stack{c != 0}");
	expect("sample page-faults if !blocked(a) && !blocked(b + 1) && a != 3",
	       "own: page-faults+stack{(a == 0 || a == 256 || a & 48)}");
	/* of one step as of the other, and of none where one wants all */
	expect("start page-faults if a; end page-faults if a; cancel page-faults if b",
	       "own: page-faults+stack{(a != 0) || (b != 0)}");
	expect("start page-faults if a; end page-faults if a + 1",
	       "own: page-faults+stack");
}

Test(rule_events, a_mark_has_a_stack_only_where_the_waker_is_drawn)
{
	expect(rule_named("schedlat"), "all: sched:sched_switch{(next_pid != 0) || "
				       "(prev_pid != 0)} sched:sched_waking+stack");
	expect("start sched:sched_switch; wake sched:sched_waking; end page-faults; "
	       "stack offwake",
	       "all: sched:sched_switch+stack sched:sched_waking+stack page-faults");
	expect("start sched:sched_switch; wake sched:sched_waking; end page-faults",
	       "all: sched:sched_switch+stack sched:sched_waking page-faults");
}

Test(rule_events, the_first_list_that_is_there_counts)
{
	expect("start block:block_io_start | block:block_rq_issue key dev, sector if "
	       "nr_sector;"
	       "end block:block_io_done | block:block_rq_complete key dev, sector;"
	       "stack start",
	       "all: block:block_rq_issue+stack{nr_sector != 0} block:block_rq_complete");
	expect(rule_named("syscalls"),
	       "own: raw_syscalls:sys_enter raw_syscalls:sys_exit+stack");
}

Test(rule_events, of_a_list_those_are_opened_that_are_there)
{
	expect("sample nothing:a, page-faults ,nothing:b; weight 1",
	       "own: page-faults+stack");
}

Test(rule_events, a_pattern_for_modifiers_is_the_bare_name)
{
	expect(rule_named("faults"), "own: page-faults+stack");
}

Test(rule_events, what_a_process_is_the_key_of_happens_in_it)
{
	expect(rule_named("brk"), "own: syscalls:sys_exit_brk+stack");
}

Test(rule_events, only_a_condition_that_is_a_field_is_the_kernels)
{
	expect("sample sched:sched_waking if pid; weight 1",
	       "all: sched:sched_waking+stack{pid != 0}");
	expect("sample sched:sched_waking if pid + 1; weight 1",
	       "all: sched:sched_waking+stack");
	/* The other step wants them all. */
	expect("start sched:sched_waking if pid; end sched:sched_waking",
	       "all: sched:sched_waking+stack");
}

Test(rule_events, a_step_without_an_event_is_an_error_unless_it_cancels)
{
	struct context ctx = { .log = NULL };
	const struct event_asker asker = { is_known, &ctx, false };
	struct rule_events found = { 0 };
	struct pair_rule rule;

	cr_assert_eq(rule_parse(&ctx, "start page-faults; end nothing:here", &rule), 0);
	cr_expect_eq(rule_events_find(&ctx, &rule, &asker, &found), -ENOENT);
	cr_expect_str_eq(ctx.error, "no 'nothing:here'");
	rule_events_release(&found);
	expect("start page-faults; end raw_syscalls:sys_exit; cancel nothing:here",
	       "own: page-faults+stack raw_syscalls:sys_exit");
}

Test(rule_events, what_may_be_nothing_need_not_be_there)
{
	static const char malloc[] =
		"all: uprobe:libc:malloc uretprobe:libc:malloc+stack";
	struct context ctx = { .log = NULL };
	const struct event_asker asker = { is_known, &ctx, false };
	struct rule_events found = { 0 };
	struct pair_rule rule;

	expect(rule_named("malloc"), malloc);
	/* but one of its kind */
	cr_assert_eq(rule_parse(&ctx,
				"start x | nothing; start y | nothing; end page-faults",
				&rule),
		     0);
	cr_expect_eq(rule_events_find(&ctx, &rule, &asker, &found), -ENOENT);
	cr_expect_str_eq(ctx.error, "no 'y'");
	rule_events_release(&found);
}

Test(rule_events, a_term_that_is_a_part_of_another_one_is_none_of_its_own)
{
	expect("start sched:sched_switch key prev_pid if blocked(prev_state) && prev_pid;"
	       "end sched:sched_switch key prev_pid if prev_pid; stack end",
	       "all: sched:sched_switch+stack{(prev_state & 255 && prev_pid != 0) || "
	       "(prev_pid != 0)}");
}

Test(rule_events, what_a_sample_says_itself_is_no_field_for_the_kernel)
{
	expect("sample block:block_rq_issue if tid && !cpu && dev && period",
	       "own: block:block_rq_issue+stack{dev != 0}");
	expect("sample block:block_rq_issue if tid", "own: block:block_rq_issue+stack");
	/* A text is none of the words that filters are made of here. */
	expect("sample block:block_rq_issue if rwbs != 'FF' && !nr_sector",
	       "own: block:block_rq_issue+stack{nr_sector == 0}");
	expect("sample block:block_rq_issue if dev && rwbs != '&&a&&' && nr_sector",
	       "own: block:block_rq_issue+stack{dev != 0 && nr_sector != 0}");
	expect("sample block:block_rq_issue if rwbs != '||' && nr_sector",
	       "own: block:block_rq_issue+stack{nr_sector != 0}");
}

Test(rule_events, of_a_probe_the_registers_are_recorded_that_are_asked_for)
{
	expect_registers("sample uprobe:/a/b:f", 0, 0);
	expect_registers("sample uprobe:/a/b:f if arg6 && target1 && argv; weight arg1",
			 0, 1 | 32);
	expect_registers("start uprobe:libc:malloc value arg2 key arg3;"
			 "end uretprobe:libc:malloc if arg1; weight start.arg1",
			 0, 1 | 2 | 4);
	expect_registers("start uprobe:libc:malloc; end uretprobe:libc:malloc object ret;"
			 "open report",
			 1, 64);
	expect_registers(
		"start uprobe:libc:malloc; end uretprobe:libc:malloc; weight end.ret", 1,
		64);
	expect_registers("start uprobe:libc:malloc; end uretprobe:libc:malloc;"
			 "weight start.arg1 as IN; weight start.arg3 + t as OUT",
			 0, 1 | 4);
	expect_registers("start uprobe:libc:malloc; end uretprobe:libc:malloc if retry",
			 1, 0);
}
