#include "weight/pairing.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "unit/weight/paired.h"

#define PairTest(name) Test(pairing, name, .init = paired_begin, .fini = paired_end)

PairTest(the_key_is_the_thread_where_none_is_given)
{
	paired_bind("start s:out; end s:in; weight t");
	paired_take(OUT, 10, 7, "a;k");
	paired_take(OUT, 11, 8, "b;k");
	paired_take(IN, 20, 8, "");
	paired_take(IN, 30, 7, "");
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;k 20|b;k 9");
}

PairTest(a_key_can_have_two_parts)
{
	paired_bind("start s:out key a, b; end s:in key a, b; weight t");
	paired_take(OUT, 10, 7, "a;k", 1, 2);
	paired_take(OUT, 11, 7, "b;k", 2, 1);
	paired_take(IN, 20, 7, "", 2, 1);
	paired_take(IN, 30, 7, "", 1, 2);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;k 20|b;k 9");
}

PairTest(samples_weigh_by_themselves)
{
	paired_bind("sample s:call,plain if period; weight period * 3");
	paired_take(CALL, 10, 7, "a;k");
	paired_take(PLAIN, 11, 7, "a;k");
	paired_take(OUT, 12, 7, "a;k");
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;k 6");
	cr_expect_eq(paired.pairs.samples, 2);
	/* Other events are lost, with a weight of their own unit: none. */
	cr_expect_eq(paired.sum.read, 6);
}

PairTest(samples_that_weigh_by_themselves_are_asked_for_their_time)
{
	paired_filter(FILTER_DROP, "time=0.000000011,0.000000012");
	paired_bind("sample s:call; weight a");
	paired_take(CALL, 10, 7, "a;k", 3);
	paired_take(CALL, 11, 7, "a;k", 4);
	paired_take(CALL, 12, 7, "a;k", 5);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;k 8");
	cr_expect_eq(paired.sum.lost[LOST_FILTER], 4);
}

PairTest(a_sample_below_0_is_0)
{
	paired_bind("sample s:call; weight a");
	paired_take(CALL, 10, 7, "a;k", -3);
	paired_take(CALL, 11, 7, "a;k", 4);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;k 4");
	cr_expect_eq(paired.pairs.negative, 1);
}

static void refused(const char *rule, int err, const char *why)
{
	cr_expect_eq(pairing_bind(&paired_ctx, &paired_pairing, rule, &paired_rec,
				  &paired_strings),
		     err, "%s", rule);
	cr_expect_str_eq(paired_ctx.error, why);
	cr_expect_not(paired_pairing.is_bound);
	pairing_release(&paired_pairing);
}

PairTest(what_was_not_recorded_is_named)
{
	static const char there[] = "there is 's:out', 's:in', 's:wake', 's:call', "
				    "'plain'; perf record -a -g";
	char why[512];

	snprintf(why, sizeof(why),
		 "'x:y' was not recorded: %s -e 'x:y' -e 's:in' records it", there);
	refused("start x:y; end s:in; weight t", -ENODATA, why);
	snprintf(why, sizeof(why),
		 "'x:a | x:b' was not recorded: %s -e 's:out' -e 'x:a' records it",
		 there);
	refused("start s:out; end x:a | x:b; weight t", -ENODATA, why);
	refused("start s:out key d; end s:in", -ENODATA,
		"event 's:out' has no field 'd'");
	refused("start s:out; end s:in; weight end.d", -ENODATA,
		"event 's:in' has no field 'd'");
	refused("start s:out; end plain if a", -ENODATA,
		"event 'plain' has no field 'a'");
}

PairTest(a_weight_has_names_of_its_own)
{
	refused("start s:out; end s:in; weight prev", -EINVAL,
		"'prev' is not known in a weight: t, t.wake, t.run, start.FIELD, "
		"wake.FIELD and end.FIELD are");
	refused("start s:out; end s:in; weight start.a + start.b + end.c", -EINVAL,
		"a weight is made of at most 2 fields");
	refused("start s:out; end s:in; weight start.", -EINVAL,
		"'start.' is not known in a weight: t, t.wake, t.run, start.FIELD, "
		"wake.FIELD and end.FIELD are");
	refused("sample s:call; weight t", -ENODATA, "event 's:call' has no field 't'");
	refused("start s:out if a +; end s:in", -EINVAL, "'a +': no value at its end");
}

PairTest(a_rule_can_be_checked_before_anything_is_read)
{
	static const struct {
		const char *rule, *why;
	} wrong[] = {
		{ "start a; end b; weight t +", "'t +': no value at its end" },
		{ "start a if (x; end b", "'(x': no ')' at its end" },
		{ "start a; end b size n to x, y +; weight t",
		  "'y +': no value at its end" },
		{ "start a size n +; end b", "'n +': no value at its end" },
		{ "start a; end b if x == 'FF", "'x == 'FF': not a text of 1 to 8 "
						"characters, without spaces at ''FF'" },
		{ "start a; end b; weight start.x == 'FF'",
		  "'start.x == 'FF'': a text is compared with a number at its end" },
		{ "start a key x, y z; end b", "'y z': no operator at 'z'" },
		{ "start a; end b; weight x",
		  "'x' is not known in a weight: t, t.wake, t.run, start.FIELD, "
		  "wake.FIELD and end.FIELD are" },
		{ "start a", "a pairing has both a start and an end" },
		{ "sample x; or; start a", "a pairing has both a start and an end" },
		{ "or; sample x", "a pairing has a start and an end, or a sample" },
	};
	unsigned more;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		cr_expect_eq(pairing_check(&paired_ctx, wrong[i].rule, &more), -EINVAL);
		cr_expect_str_eq(paired_ctx.error, wrong[i].why);
	}
	cr_expect_eq(
		pairing_check(&paired_ctx, "sample x if any == 1; weight thing", &more),
		0);
	cr_expect(!more);
	cr_expect_eq(pairing_check(&paired_ctx,
				   "sample x; or; start a; end b; weight end.v", &more),
		     0);
	cr_expect(more);
	for (const struct mode *m = modes; m->name; m++)
		cr_expect(!m->rule[0] || pairing_check(&paired_ctx, m->rule, &more) == 0,
			  "%s", m->name);
}

PairTest(what_has_no_times_has_no_intervals)
{
	paired_rec.events.v[IN].sample_type = PERF_SAMPLE_RAW;
	refused("start s:out; end s:in; weight t", -ENODATA,
		"samples of event 's:in' were recorded without their times");
	paired_bind("sample s:in; weight 1");
}

PairTest(what_was_not_recorded_cancels_nothing)
{
	paired_bind("start s:out key a; end s:in key a; cancel x:y; forget z; weight t");
	paired_take(OUT, 10, 7, "a;k", 7);
	paired_take(IN, 20, 7, "", 7);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;k 10");
}

PairTest(the_first_list_that_has_an_event_counts)
{
	paired_bind(
		"start x:*, y | s:o* , s:call | s:wake key a; end s:in key a; weight t");
	paired_take(CALL, 10, 7, "a;k", 7);
	paired_take(WAKE, 15, 7, "b;k", 7);
	paired_take(IN, 20, 7, "", 7);
	paired_take(OUT, 30, 7, "c;k", 7);
	paired_take(IN, 40, 7, "", 7);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;k 10|c;k 10");
}

PairTest(a_sample_without_the_field_takes_no_step)
{
	struct sample s = { .event = OUT,
			    .raw_size = 10,
			    .raw = (const uint8_t *)"0123456789" };
	struct pair_match match;

	paired_bind("start s:out key a; end s:in key a");
	pairing_match(&paired_pairing, &s, &match);
	cr_expect_eq(match.count, 0);
	s.event = EVENTS + 7;
	pairing_match(&paired_pairing, &s, &match);
	cr_expect_eq(match.count, 0);
}

PairTest(every_mode_is_understood_of_its_own_events)
{
	/* The names of events are in modes; that their fields are there is asked of recordings. */
	for (const struct mode *m = modes; m->name; m++) {
		struct pair_rule rule;

		/* What pairs nothing asks for no events. */
		cr_assert_eq(rule_parse(&paired_ctx, m->rule, &rule),
			     m->rule[0] ? 0 : -EINVAL);
		if (!m->rule[0] || !rule.count)
			continue;
		cr_expect_eq(pairing_bind(&paired_ctx, &paired_pairing, m->rule,
					  &paired_rec, &paired_strings),
			     -ENODATA, "%s", m->name);
		cr_expect(strstr(paired_ctx.error, " was not recorded: there is 's:out'"),
			  "%s", paired_ctx.error);
		pairing_release(&paired_pairing);
	}
}
