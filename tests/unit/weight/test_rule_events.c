#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "weight/rule.h"

/* A machine that knows these, with spaces around each. */
static const char machine[] =
	" sched:sched_switch sched:sched_waking block:block_rq_issue "
	"block:block_rq_complete "
	"page-faults raw_syscalls:sys_enter raw_syscalls:sys_exit syscalls:sys_exit_brk ";

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
	const struct event_asker asker = { is_known, &ctx };
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

static const char *rule_named(const char *mode)
{
	return mode_find(mode)->rule;
}

Test(rule_events, one_event_of_several_steps_is_opened_once_with_the_stack_of_any)
{
	expect(rule_named("offcpu"), "all: sched:sched_switch+stack");
}

Test(rule_events, a_mark_has_a_stack_only_where_the_waker_is_drawn)
{
	expect(rule_named("runq"), "all: sched:sched_switch+stack sched:sched_waking");
	expect(rule_named("offwake"),
	       "all: sched:sched_switch+stack sched:sched_waking+stack");
}

Test(rule_events, the_first_list_that_is_there_counts)
{
	expect(rule_named("blockio"),
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
	const struct event_asker asker = { is_known, &ctx };
	struct rule_events found = { 0 };
	struct pair_rule rule;

	cr_assert_eq(rule_parse(&ctx, "start page-faults; end nothing:here", &rule), 0);
	cr_expect_eq(rule_events_find(&ctx, &rule, &asker, &found), -ENOENT);
	cr_expect_str_eq(ctx.error, "no 'nothing:here'");
	rule_events_release(&found);
	expect("start page-faults; end raw_syscalls:sys_exit; cancel nothing:here",
	       "own: page-faults+stack raw_syscalls:sys_exit");
}
