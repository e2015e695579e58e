#include "weight/weight.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static struct context ctx;
static struct intern strings;
static struct recording rec;
static struct event_choice choice;

static void begin(void)
{
	cr_assert_eq(intern_init(&strings), 0);
}

static void end(void)
{
	event_choice_release(&choice);
	array_release(&rec.events);
	intern_release(&strings);
}

enum { TIMED = 1 << 2 }; /* PERF_SAMPLE_TIME */

static void event(const char *name, uint64_t samples, uint64_t first_time)
{
	struct event *e = array_add(&rec.events);

	cr_assert_eq(intern_add(&strings, name, strlen(name), &e->name), 0);
	e->sample_type = TIMED;
	e->samples = samples;
	e->first_time = samples ? first_time : UINT64_MAX;
}

static int wish(const char *name, const char *words, bool as_printed)
{
	struct weight_options weights = { .as_printed = as_printed };
	struct event_wish w = { .name = name, .words = words, .weights = &weights };

	return event_choice_make(&ctx, &choice, &rec, &strings, &w);
}

static int choose(const char *name)
{
	return wish(name, NULL, false);
}

/* Which events count, as "101". */
static const char *chosen(void)
{
	static char text[16];

	cr_assert_eq(choice.wanted.count, rec.events.count);
	for (size_t i = 0; i < choice.wanted.count; i++)
		text[i] = choice.wanted.v[i] ? '1' : '0';
	text[choice.wanted.count] = '\0';
	return text;
}

Test(weight, a_sample_weighs_its_period)
{
	struct weight_options options = { 0 };
	struct event e = { .period = 1000 };
	struct sample recorded = { .period = 7 };

	cr_assert_eq(weight_of(&options, &e, &recorded), 7);
}

Test(weight, where_no_period_was_recorded_it_weighs_the_events_fixed_one)
{
	struct weight_options options = { 0 };
	struct event e = { .period = 1000 };
	struct sample fixed = { .period = 1000 };

	cr_assert_eq(weight_of(&options, &e, &fixed), 1000);
}

Test(weight, counting_samples_makes_every_one_weigh_1)
{
	struct weight_options options = { .count_samples = true };
	struct event e = { .period = 1000 };
	struct sample samples[] = { { .period = 7 },
				    { .period = 0 },
				    { .period = 1000 } };

	for (int i = 0; i < 3; i++)
		cr_assert_eq(weight_of(&options, &e, &samples[i]), 1);
}

Test(weight, as_printed_a_period_of_0_weighs_1_and_a_fixed_one_itself)
{
	struct weight_options options = { .as_printed = true };
	struct event e = { .period = 1000, .sample_type = TIMED };
	struct sample zero = { .period = 0 };
	struct sample none = { .period = 1000 };
	struct sample seven = { .period = 7 };

	cr_assert_eq(weight_of(&options, &e, &zero), 1);
	cr_assert_eq(weight_of(&options, &e, &none), 1000, "perf script prints it");
	cr_assert_eq(weight_of(&options, &e, &seven), 7);
}

Test(weight, as_printed_a_tracepoint_weighs_1)
{
	struct weight_options options = { .as_printed = true };
	struct event e = { .type = PERF_TYPE_TRACEPOINT,
			   .period = 1,
			   .sample_type = TIMED };
	struct sample s = { .period = 700 };

	cr_assert_eq(weight_of(&options, &e, &s), 1);
	options.as_printed = false;
	cr_assert_eq(weight_of(&options, &e, &s), 700);
}

Test(weight, as_printed_a_sample_without_a_time_weighs_1)
{
	struct weight_options options = { .as_printed = true };
	struct event e = { .period = 1 };
	struct sample s = { .period = 700 };

	cr_assert_eq(weight_of(&options, &e, &s), 1);
	options.as_printed = false;
	cr_assert_eq(weight_of(&options, &e, &s), 700);
}

Test(weight, what_is_read_is_kept_or_lost)
{
	struct weight_sum a = { .read = 10,
				.kept = 4,
				.lost = { 1, 2, 3 },
				.samples_read = 5,
				.samples_kept = 2 };
	struct weight_sum b = {
		.read = 1, .kept = 1, .samples_read = 1, .samples_kept = 1
	};

	cr_assert(weight_sum_conserved(&a));
	weight_sum_add(&a, &b);
	cr_assert(weight_sum_conserved(&a));
	cr_assert(a.read == 11 && a.kept == 5 && a.samples_read == 6 &&
		  a.samples_kept == 3);
	cr_assert(a.lost[0] == 1 && a.lost[1] == 2 && a.lost[2] == 3);
	for (int reason = 0; reason < LOST_REASONS; reason++) {
		struct weight_sum wrong = a;

		wrong.lost[reason]++;
		cr_assert_not(weight_sum_conserved(&wrong));
	}
	a.kept--;
	cr_assert_not(weight_sum_conserved(&a));
}

Test(events, by_default_the_first_one_that_has_samples_counts, .init = begin, .fini = end)
{
	event("instructions", 0, 0);
	event("cycles", 5, 20);
	event("faults", 5, 10);
	cr_assert_eq(choose(NULL), 0);
	cr_assert_str_eq(chosen(), "010");
}

Test(events, as_stackcollapse_has_it_the_first_one_seen_counts, .init = begin,
     .fini = end)
{
	event("cycles", 5, 20);
	event("faults", 5, 10);
	cr_assert_eq(wish(NULL, NULL, true), 0);
	cr_assert_str_eq(chosen(), "01");
}

Test(events, as_stackcollapse_has_it_tracepoints_always_count_and_are_never_the_default,
     .init = begin, .fini = end)
{
	event("sched:sched_switch", 5, 1);
	rec.events.v[0].type = PERF_TYPE_TRACEPOINT;
	event("cycles", 5, 20);
	event("faults", 5, 30);
	cr_assert_eq(wish(NULL, NULL, true), 0);
	cr_assert_str_eq(chosen(), "110");
}

Test(events, as_stackcollapse_has_it_events_without_times_always_count, .init = begin,
     .fini = end)
{
	event("instructions", 5, 1);
	rec.events.v[0].sample_type = 0;
	event("cycles", 5, 20);
	event("faults", 5, 30);
	cr_assert_eq(wish(NULL, NULL, true), 0);
	cr_assert_str_eq(chosen(), "110");
}

Test(events, the_processors_kinds_of_one_event_are_one_family, .init = begin, .fini = end)
{
	event("cpu_core/cycles/", 5, 20);
	event("dummy:u", 0, 0);
	event("cpu_atom/cycles/", 5, 10);
	event("cpu_atom/instructions/", 5, 10);
	cr_assert_eq(choose(NULL), 0);
	cr_assert_str_eq(chosen(), "1010");
}

Test(events, a_family_has_the_same_modifiers, .init = begin, .fini = end)
{
	event("cpu_core/cycles/u", 5, 20);
	event("cpu_atom/cycles/u", 5, 20);
	event("cpu_atom/cycles/k", 5, 20);
	cr_assert_eq(choose(NULL), 0);
	cr_assert_str_eq(chosen(), "110");
}

Test(events, a_name_is_exact, .init = begin, .fini = end)
{
	event("cycles", 5, 20);
	event("cycles:u", 5, 10);
	cr_assert_eq(choose("cycles:u"), 0);
	cr_assert_str_eq(chosen(), "01");
	event_choice_release(&choice);
	cr_assert_eq(choose("cycles"), 0);
	cr_assert_str_eq(chosen(), "10");
}

Test(events, two_events_of_one_name_both_count, .init = begin, .fini = end)
{
	event("cycles", 5, 20);
	event("faults", 5, 20);
	event("cycles", 5, 10);
	cr_assert_eq(choose("cycles"), 0);
	cr_assert_str_eq(chosen(), "101");
}

Test(events, all_are_all, .init = begin, .fini = end)
{
	event("cycles", 5, 20);
	event("faults", 0, 0);
	cr_assert_eq(choose("all"), 0);
	cr_assert_str_eq(chosen(), "11");
}

Test(events, a_name_that_none_has_is_an_error_that_says_what_there_is, .init = begin,
     .fini = end)
{
	event("cycles", 5, 20);
	event("faults", 5, 20);
	cr_assert_eq(choose("cycle"), -EINVAL);
	cr_assert(strstr(ctx.error, "'cycle'"), "%s", ctx.error);
	cr_assert(strstr(ctx.error, "faults"), "%s", ctx.error);
}

Test(events, without_any_sample_nothing_breaks, .init = begin, .fini = end)
{
	event("cycles", 0, 0);
	cr_assert_eq(choose(NULL), 0);
	cr_assert_eq(choice.wanted.count, 1);
}

static void tracepoint(const char *name, uint64_t samples)
{
	event(name, samples, 10);
	array_last(&rec.events)->type = PERF_TYPE_TRACEPOINT;
}

/* Which events have a frame of their own, as "101". */
static const char *labelled(void)
{
	static char text[16];

	for (size_t i = 0; i < choice.labels.count; i++)
		text[i] = choice.labels.v[i] == rec.events.v[i].name ? '1' : '0';
	text[choice.labels.count] = '\0';
	return text;
}

Test(events, what_the_recorders_pattern_stands_for_is_one_family, .init = begin,
     .fini = end)
{
	tracepoint("sched:sched_switch", 0);
	tracepoint("syscalls:sys_enter_read:u", 5);
	tracepoint("syscalls:sys_enter_write:u", 5);
	tracepoint("syscalls:sys_exit_read:u", 5);
	event("cycles", 5, 20);
	cr_assert_eq(wish(NULL, "perf record -a -e cycles,syscalls:sys_enter_*:u -- sh *",
			  false),
		     0);
	cr_assert_str_eq(chosen(), "01100");
	cr_assert_str_eq(labelled(), "01100");
	event_choice_release(&choice);
	cr_assert_eq(wish(NULL, "flamefold record --event=sys*:*_read", false), 0);
	cr_assert_str_eq(chosen(), "01010");
	event_choice_release(&choice);
	cr_assert_eq(wish(NULL, "perf record -esyscalls:*", false), 0);
	cr_assert_str_eq(chosen(), "01110");
}

Test(events, without_a_pattern_the_first_one_stands_alone, .init = begin, .fini = end)
{
	tracepoint("sched:sched_switch", 5);
	tracepoint("sched:sched_wakeup", 5);
	cr_assert_eq(wish(NULL, "perf record -e sched:sched_switch -e sched:sched_wakeup",
			  false),
		     0);
	cr_assert_str_eq(chosen(), "10");
	cr_assert_eq(choice.labels.count, 0);
	event_choice_release(&choice);
	cr_assert_eq(wish(NULL, "perf record -e irq:* -e block:*", false), 0);
	cr_assert_str_eq(chosen(), "10");
	event_choice_release(&choice);
	/* One that is alone needs no frame to be told apart. */
	cr_assert_eq(wish(NULL, "perf record -e sched:*_switch", false), 0);
	cr_assert_str_eq(chosen(), "10");
	cr_assert_eq(choice.labels.count, 0);
}

Test(events, as_stackcollapse_has_it_patterns_have_no_frames, .init = begin, .fini = end)
{
	tracepoint("sched:sched_switch", 5);
	tracepoint("sched:sched_wakeup", 5);
	cr_assert_eq(wish(NULL, "perf record -e sched:*", true), 0);
	cr_assert_eq(choice.labels.count, 0);
}

Test(events, a_name_may_be_a_pattern, .init = begin, .fini = end)
{
	event("cycles", 5, 20);
	tracepoint("sched:sched_switch", 5);
	tracepoint("sched:sched_wakeup", 5);
	cr_assert_eq(choose("sched:*"), 0);
	cr_assert_str_eq(chosen(), "011");
	cr_assert_str_eq(labelled(), "011");
	event_choice_release(&choice);
	cr_assert_eq(choose("irq:*"), -EINVAL);
	cr_assert_str_eq(ctx.error, "no event 'irq:*': there is 'cycles', "
				    "'sched:sched_switch', 'sched:sched_wakeup'");
}

Test(events, a_patterns_events_count_the_same_things, .init = begin, .fini = end)
{
	struct weight_options samples = { .count_samples = true };
	struct event_wish w = { .name = "*", .weights = &samples };

	event("cycles:u", 5, 20);
	event("cycles:k", 5, 20);
	cr_assert_eq(choose("c*"), 0);
	cr_assert_str_eq(chosen(), "11");
	event_choice_release(&choice);
	event("instructions", 5, 20);
	cr_assert_eq(choose("*"), -EINVAL);
	cr_assert_str_eq(ctx.error,
			 "'*' stands for 'cycles:u' and 'instructions', which count "
			 "different things: name one of them, or --count=samples");
	cr_assert_eq(event_choice_make(&ctx, &choice, &rec, &strings, &w), 0);
	cr_assert_str_eq(chosen(), "111");
}

static const struct slice cycles = { "cycles", 6 }, instructions = { "instructions", 12 };

Test(events, names_are_those_of_a_family_and_without_modifiers, .init = begin,
     .fini = end)
{
	const struct slice tracepoint_name = { "sched:sched_switch", 18 };
	const struct slice system = { "sched", 5 }, part = { "cycle", 5 };
	const struct event *e;

	event("cycles:u", 5, 20);
	event("cpu_core/cycles/", 5, 20);
	tracepoint("sched:sched_switch:u", 5);
	e = rec.events.v;
	cr_expect(event_is_called(&e[0], &strings, cycles));
	cr_expect(event_is_called(&e[1], &strings, cycles));
	cr_expect(event_is_called(&e[2], &strings, tracepoint_name));
	cr_expect(!event_is_called(&e[2], &strings, system));
	cr_expect(!event_is_called(&e[0], &strings, part));
	cr_expect(!event_is_called(&e[0], &strings, instructions));
}

Test(events, columns_say_which_are_wanted_beside_those_that_weigh, .init = begin,
     .fini = end)
{
	struct weight_options weights = { 0 };
	struct event_wish w = { .weights = &weights,
				.columns = { { cycles, COLUMN_WEIGHT },
					     { instructions, COLUMN_ROLES } },
				.column_count = 2 };

	event("page-faults", 5, 20);
	event("cpu_core/cycles/", 5, 20);
	event("cpu_atom/cycles/", 5, 20);
	event("instructions:u", 0, 0);
	cr_assert_eq(event_choice_make(&ctx, &choice, &rec, &strings, &w), 0);
	cr_expect_str_eq(chosen(), "0111");
	cr_expect_eq(event_column(&choice, 2), COLUMN_WEIGHT);
	cr_expect_eq(event_column(&choice, 3), COLUMN_ROLES);
	event_choice_release(&choice);
	/* What has a name weighs, be it a side or none. */
	w.name = "page-faults";
	w.columns[0].column = COLUMN_ROLES + 1;
	cr_assert_eq(event_choice_make(&ctx, &choice, &rec, &strings, &w), 0);
	cr_expect_str_eq(chosen(), "1111");
	cr_expect_eq(event_column(&choice, 0), COLUMN_WEIGHT);
	cr_expect_eq(event_column(&choice, 1), COLUMN_ROLES + 1);
}
