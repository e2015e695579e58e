#include "weight/pairing.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/weight/paired.h"

#define PairTest(name) Test(pair_settle, name, .init = paired_begin, .fini = paired_end)

PairTest(from_a_start_to_an_end_its_stack_weighs)
{
	paired_bind(SLEEP "weight t");
	paired_take(OUT, 10, 7, "app;main;-;k", 7, 1);
	paired_take(IN, 25, 0, "idle", 7);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "app;main;-;k 15");
	cr_expect_eq(paired.sum.read, 15);
	cr_expect_eq(paired.sum.samples_kept, 1);
	cr_expect_eq(paired.pairs.paired, 1);
}

PairTest(of_an_interval_counts_what_is_within_the_time_that_is_asked_for)
{
	paired_filter(FILTER_ONLY, "time=0.000000010,0.000000020");
	paired_filter(FILTER_ONLY, "time=0.000000030,0.000000040");
	paired_filter(FILTER_DROP, "time=0.000000015,0.000000017");
	paired_rec.last_time = 99;
	paired_bind(SLEEP "weight t");
	paired_take(OUT, 5, 7, "a;around", 7, 1);
	paired_take(OUT, 12, 8, "a;within", 8, 1);
	paired_take(IN, 14, 0, "", 8);
	paired_take(OUT, 20, 8, "a;between", 8, 1);
	paired_take(IN, 30, 0, "", 8);
	paired_take(IN, 35, 0, "", 7);
	paired_take(OUT, 39, 8, "a;longer", 8, 1);
	paired_take(IN, 98, 0, "", 8);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;around 13|a;longer 1|a;within 2");
	cr_expect_eq(paired.sum.read, 30 + 2 + 10 + 59);
	cr_expect_eq(paired.sum.lost[LOST_FILTER], 17 + 10 + 58);
	cr_expect_eq(paired.sum.samples_kept, 3);
	cr_expect_eq(paired.sum.samples_read, 4);
}

PairTest(without_a_weight_it_weighs_1)
{
	paired_bind(SLEEP);
	for (uint64_t t = 0; t < 30; t += 10) {
		paired_take(OUT, t, 7, "app;k", 7, 1);
		paired_take(IN, t + 5, 0, "", 7);
	}
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "app;k 3");
}

PairTest(keys_are_apart_whatever_order_they_came_in)
{
	paired_bind(SLEEP "weight t");
	paired_take(IN, 50, 0, "", 8);
	paired_take(IN, 30, 0, "", 7);
	paired_take(OUT, 20, 8, "b;k", 8, 1);
	paired_take(OUT, 10, 7, "a;k", 7, 1);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;k 20|b;k 30");
}

PairTest(one_event_can_be_an_end_and_a_start)
{
	paired_bind("end s:out key c; start s:out key a if b; weight t");
	paired_take(OUT, 10, 7, "a;k", 7, 1, 8);
	paired_take(OUT, 15, 8, "b;k", 8, 1, 7);
	paired_take(OUT, 40, 7, "a;k", 7, 1, 8);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;k 5|b;k 25");
	cr_expect_eq(paired.pairs.unopened, 1);
	cr_expect_eq(paired.pairs.still_open, 1);
}

PairTest(what_is_cancelled_weighs_nothing)
{
	paired_bind(SLEEP "weight t");
	paired_take(OUT, 10, 7, "a;k", 7, 1);
	paired_take(OUT, 20, 7, "a;k", 7, 0);
	paired_take(IN, 30, 0, "", 7);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "");
	cr_expect_eq(paired.pairs.cancelled, 1);
	cr_expect_eq(paired.pairs.unopened, 1);
}

PairTest(a_second_start_begins_anew_or_not_with_first)
{
	paired_bind(SLEEP "weight t");
	paired_take(OUT, 10, 7, "a;k", 7, 1);
	paired_take(OUT, 20, 7, "a;l", 7, 1);
	paired_take(IN, 30, 0, "", 7);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;l 10");
	cr_expect_eq(paired.pairs.restarted, 1);
}

PairTest(with_first_the_first_start_stands)
{
	paired_bind(SLEEP "weight t; first");
	paired_take(OUT, 10, 7, "a;k", 7, 1);
	paired_take(OUT, 20, 7, "a;l", 7, 1);
	paired_take(IN, 30, 0, "", 7);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;k 20");
	cr_expect_eq(paired.pairs.restarted, 1);
}

PairTest(an_end_without_a_start_is_counted)
{
	paired_bind(SLEEP "weight t");
	paired_take(IN, 30, 0, "", 7);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "");
	cr_expect_eq(paired.pairs.unopened, 1);
}

static void open_intervals(const char *rule)
{
	paired_bind(rule);
	paired_take(OUT, 10, 7, "a;k", 7, 4);
	paired_take(OUT, 20, 8, "b;k", 8, 5);
	paired_take(IN, 30, 0, "", 7);
	paired_finish(100);
	cr_expect_eq(paired.pairs.still_open, 1);
	cr_expect_eq(paired.pairs.paired, 1);
}

PairTest(open_intervals_are_dropped)
{
	open_intervals(SLEEP "weight t; open drop");
	cr_expect_str_eq(paired_folded(), "a;k 20");
}

PairTest(open_intervals_count_up_to_the_last_event)
{
	open_intervals(SLEEP "weight t; open count");
	cr_expect_str_eq(paired_folded(), "a;k 20|b;k 80");
}

PairTest(or_they_are_all_that_is_reported)
{
	open_intervals(SLEEP "weight start.b; open report");
	cr_expect_str_eq(paired_folded(), "b;k 5");
}

PairTest(what_began_behind_the_last_event_weighs_nothing)
{
	paired_bind(SLEEP "weight t; open count");
	paired_take(OUT, 10, 7, "a;k", 7, 1);
	paired_finish(5);
	cr_expect_str_eq(paired_folded(), "");
	cr_expect_eq(paired.pairs.negative, 0);
}

PairTest(weights_are_of_fields_of_all_steps)
{
	paired_bind("start s:out key a; wake s:wake key a; end s:in key a;"
		    "weight start.b * 100 + end.c; stack end");
	paired_take(OUT, 10, 7, "a;k", 7, 3, 1);
	paired_take(IN, 30, 0, "e;x", 7, 9, 4);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "e;x 304");
}

PairTest(a_weight_can_be_of_the_mark)
{
	paired_bind("start s:out key a; wake s:wake key a; end s:in key a;"
		    "weight wake.c * 10 + start.c");
	paired_take(OUT, 10, 7, "a;k", 7, 3, 1);
	paired_take(WAKE, 20, 9, "w;x", 7, 9, 4);
	paired_take(WAKE, 21, 9, "w;x", 7, 9, 5);
	paired_take(IN, 30, 0, "", 7, 9, 8);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;k 41");
}

PairTest(times_are_split_at_the_mark)
{
	paired_bind(SLEEP "wake s:wake key a; weight t * 10000 + t.wake * 100 + t.run");
	paired_take(OUT, 10, 7, "a;k", 7, 1);
	paired_take(WAKE, 13, 9, "w;x", 7);
	paired_take(WAKE, 17, 9, "w;x", 7);
	paired_take(IN, 20, 0, "", 7);
	paired_take(OUT, 30, 7, "a;k", 7, 1);
	paired_take(IN, 31, 0, "", 7);
	paired_take(WAKE, 40, 9, "w;x", 7);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;k 110307");
	cr_expect_eq(paired.pairs.wakes, 3);
	cr_expect_eq(paired.pairs.woken_again, 1);
	cr_expect_eq(paired.pairs.not_waited, 1);
	cr_expect_eq(paired.pairs.without_waker, 1);
}

PairTest(a_weight_below_0_is_0_and_counted)
{
	paired_bind(SLEEP "weight start.b - 5");
	paired_take(OUT, 10, 7, "a;k", 7, 2);
	paired_take(IN, 20, 0, "", 7);
	paired_take(OUT, 30, 7, "a;k", 7, 9);
	paired_take(IN, 40, 0, "", 7);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;k 4");
	cr_expect_eq(paired.pairs.negative, 1);
	cr_expect_eq(paired.pairs.paired, 2);
}

PairTest(an_impossible_weight_is_damage)
{
	paired_bind(SLEEP "weight 0x4000000000000000");
	paired_take(OUT, 10, 7, "a;k", 7, 2);
	paired_take(IN, 20, 0, "", 7);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "");
	cr_expect_eq(paired.sum.lost[LOST_DAMAGED], 1);
}

PairTest(behind_the_last_loss_that_is_known_they_are_not_told_apart)
{
	paired_lose(9, 10);
	paired_rec.losses_end = 40;
	paired_bind(SLEEP "weight t");
	paired_take(OUT, 2, 1, "a;k", 1, 1);
	paired_take(IN, 9, 0, "", 1);
	paired_take(OUT, 20, 2, "b;k", 2, 1);
	paired_take(IN, 25, 0, "", 2);
	paired_take(OUT, 50, 3, "c;k", 3, 1);
	paired_take(IN, 60, 0, "", 3);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;k 7|c;k 10");
	cr_expect_eq(paired.pairs.broken, 1);
	paired_rec.losses_end = 0;
}

PairTest(what_memory_has_no_room_for_breaks_intervals_as_lost_records_do)
{
	paired_bind(SLEEP "weight t");
	paired_take(OUT, 10, 1, "a;k", 1, 1);
	paired_take(IN, 40, 0, "", 1);
	paired_take(OUT, 11, 2, "b;k", 2, 1);
	paired_take(IN, 19, 0, "", 2);
	paired_take(OUT, 31, 3, "c;k", 3, 1);
	paired_take(IN, 35, 0, "", 3);
	deferred_queue_leave_out(&paired.deferred[DEFERRED_PAIRS], 30);
	deferred_queue_leave_out(&paired.deferred[DEFERRED_PAIRS], 20);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "b;k 8|c;k 4");
	cr_expect_eq(paired.pairs.broken, 1);
}

PairTest(an_end_that_may_have_been_lost_is_not_said_to_be_missing)
{
	paired_lose(19, 20);
	paired_bind(SLEEP "weight t; open report");
	paired_take(OUT, 10, 1, "a;k", 1, 1);
	paired_take(OUT, 30, 2, "b;k", 2, 1);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "b;k 69");
	cr_expect_eq(paired.pairs.unsure, 1);
	cr_expect_eq(paired.pairs.still_open, 2);
}

PairTest(a_stack_that_there_is_no_memory_for_is_told)
{
	struct budget none;

	paired_bind(SLEEP "wake s:wake key a; weight t; stack offwake");
	paired_take(OUT, 10, 1, "a;k", 1, 1);
	paired_take(WAKE, 20, 2, "b;w", 1);
	budget_init(&none, 1);
	trie_limit(&paired.trie, &none);
	paired_take(IN, 30, 0, "", 1);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;k 20");
	cr_expect_eq(paired.sum.cut, 20);
	trie_limit(&paired.trie, NULL);
	budget_release(&none);
}

PairTest(records_are_lost_since_the_one_before_in_their_ring)
{
	paired_lose(10, 20);
	paired_lose(30, 50);
	paired_bind(SLEEP "weight t");
	/* Up to the beginning, from the end on, within, and around. */
	paired_take(OUT, 5, 1, "a;k", 1, 1);
	paired_take(IN, 10, 0, "", 1);
	paired_take(OUT, 20, 2, "b;k", 2, 1);
	paired_take(IN, 30, 0, "", 2);
	paired_take(OUT, 35, 3, "c;k", 3, 1);
	paired_take(IN, 40, 0, "", 3);
	paired_take(OUT, 9, 4, "d;k", 4, 1);
	paired_take(IN, 11, 0, "", 4);
	paired_take(OUT, 49, 5, "e;k", 5, 1);
	paired_take(IN, 60, 0, "", 5);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;k 5|b;k 10");
	cr_expect_eq(paired.pairs.broken, 3);
}

PairTest(lost_records_break_intervals_that_span_them)
{
	static const uint64_t losses[] = { 5, 20, 30, 41 };

	for (size_t i = 0; i < 4; i++)
		paired_lose(losses[i] - 1, losses[i]);
	paired_bind(SLEEP "weight t");
	/* From just behind one, over one, up to one, between two. */
	paired_take(OUT, 5, 1, "a;k", 1, 1);
	paired_take(IN, 19, 0, "", 1);
	paired_take(OUT, 10, 2, "b;k", 2, 1);
	paired_take(IN, 25, 0, "", 2);
	paired_take(OUT, 21, 3, "c;k", 3, 1);
	paired_take(IN, 30, 0, "", 3);
	paired_take(OUT, 31, 4, "d;k", 4, 1);
	paired_take(IN, 40, 0, "", 4);
	paired_take(OUT, 50, 5, "e;k", 5, 1);
	paired_take(IN, 60, 0, "", 5);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;k 14|d;k 9|e;k 10");
	cr_expect_eq(paired.pairs.broken, 2);
}

PairTest(a_filter_asks_the_thread_that_waits)
{
	paired_bind(SLEEP "weight t");
	paired_take(OUT, 10, 7, "a;k", 7, 1);
	paired_take(IN, 20, 9, "", 7, [FILTERED] = true);
	paired_take(OUT, 30, 8, "b;k", 8, 1, [FILTERED] = true);
	paired_take(IN, 50, 9, "", 8);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;k 10");
	cr_expect_eq(paired.sum.lost[LOST_FILTER], 20);
	cr_expect_eq(paired.pairs.paired, 2);
}

PairTest(who_wakes_has_the_time_and_the_name_of_who_was_woken)
{
	paired_bind("end s:wake key a; start s:out key a; weight t; stack wakeup");
	paired_take(OUT, 10, 7, "app;main;-;k", 7);
	paired_take(WAKE, 25, 9, "waker;f;-;w", 7);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "waker;f;-;w;app 15");
}

/* The mark stands beside the leaf until frames have names (engine/interrupts.c), when what was
 * interrupted is cut off. */
PairTest(an_interrupt_that_wakes_is_marked)
{
	paired_bind("end s:wake key a; start s:out key a; weight t; stack wakeup");
	paired_take(OUT, 10, 7, "app;main;-;k", 7);
	paired_take(WAKE, 25, 9, "other;f;-;irq;timer", 7, [FLAGS] = HARDIRQ | RESCHED);
	paired_take(OUT, 30, 7, "app;main;-;k", 7);
	paired_take(WAKE, 32, 9, "other;f;-;irq;timer", 7, [FLAGS] = SOFTIRQ);
	paired_take(OUT, 40, 7, "app;main;-;k", 7);
	paired_take(WAKE, 43, 9, "other;f;-;w", 7, [FLAGS] = RESCHED);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(),
			 "irq;timer;[hardirq];app 15|"
			 "other;f;-;irq;timer;[softirq];app 2|other;f;-;w;app 3");
}

PairTest(an_offwake_stack_is_the_sleepers_then_the_wakers_leaf_first)
{
	paired_bind(SLEEP "wake s:wake key a; weight t; stack offwake");
	paired_take(OUT, 10, 7, "app;main;-;k1;k2", 7, 1);
	paired_take(WAKE, 20, 9, "waker;f;g;-;w1;w2", 7);
	paired_take(IN, 25, 0, "", 7);
	paired_take(OUT, 30, 7, "app;main;-;k1;k2", 7, 1);
	paired_take(IN, 36, 0, "", 7);
	paired_take(OUT, 40, 7, "app;main;-;k1;k2", 7, 1);
	paired_take(WAKE, 41, 9, "waker;f;g;-;w1;w2", 7, [FLAGS] = NMI);
	paired_take(IN, 43, 0, "", 7);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "app;main;-;k1;k2;--;[nmi];w2;w1 3|"
					  "app;main;-;k1;k2;--;[no waker] 6|"
					  "app;main;-;k1;k2;--;w2;w1;-;g;f;waker 15");
}

#define CHAIN                                                                            \
	"end s:in key a; forget s:out key a if b == 16; start s:out key a if b == 1;"    \
	"cancel s:out key a if b == 0; wake s:wake key a; weight t; stack chain"

PairTest(a_chain_goes_on_to_who_woke_the_waker)
{
	paired_bind(CHAIN);
	paired_take(OUT, 10, 1, "a;ka", 1, 1);
	paired_take(OUT, 12, 2, "b;kb", 2, 1);
	paired_take(WAKE, 20, 3, "c;wc", 2);
	paired_take(IN, 21, 0, "", 2);
	paired_take(WAKE, 25, 2, "b;wb", 1);
	paired_take(IN, 30, 0, "", 1);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;ka;--;wb;b;--;wc;c 20|b;kb;--;wc;c 9");
	cr_expect_eq(paired.pairs.stale, 0);
}

PairTest(a_waker_that_ran_already_ends_the_chain)
{
	paired_bind(CHAIN);
	paired_take(OUT, 12, 2, "b;kb", 2, 1);
	paired_take(WAKE, 20, 3, "c;wc", 2);
	paired_take(OUT, 20, 1, "a;ka", 1, 1);
	paired_take(IN, 21, 0, "", 2);
	paired_take(WAKE, 25, 2, "b;wb", 1);
	paired_take(IN, 30, 0, "", 1);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;ka;--;wb;b 10|b;kb;--;wc;c 9");
	cr_expect_eq(paired.pairs.stale, 1);
}

PairTest(an_interrupt_ends_the_chain)
{
	paired_bind(CHAIN);
	paired_take(OUT, 10, 1, "a;ka", 1, 1);
	paired_take(OUT, 12, 2, "b;kb", 2, 1);
	paired_take(WAKE, 20, 3, "c;wc", 2);
	paired_take(IN, 21, 0, "", 2);
	paired_take(WAKE, 25, 2, "b;-;irq", 1, [FLAGS] = HARDIRQ);
	paired_take(IN, 30, 0, "", 1);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;ka;--;[hardirq];irq 20|b;kb;--;wc;c 9");
}

PairTest(a_waker_that_was_preempted_meanwhile_is_still_explained)
{
	paired_bind(CHAIN);
	paired_take(OUT, 10, 1, "a;ka", 1, 1);
	paired_take(OUT, 12, 2, "b;kb", 2, 1);
	paired_take(WAKE, 20, 3, "c;wc", 2);
	paired_take(IN, 21, 0, "", 2);
	paired_take(OUT, 22, 2, "b;kb", 2, 0);
	paired_take(IN, 23, 0, "", 2);
	paired_take(WAKE, 25, 2, "b;wb", 1);
	paired_take(IN, 30, 0, "", 1);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;ka;--;wb;b;--;wc;c 20|b;kb;--;wc;c 9");
}

PairTest(who_gets_the_number_of_a_dead_one_is_another)
{
	paired_bind(CHAIN);
	paired_take(OUT, 10, 1, "a;ka", 1, 1);
	paired_take(OUT, 12, 2, "b;kb", 2, 1);
	paired_take(WAKE, 20, 3, "c;wc", 2);
	paired_take(IN, 21, 0, "", 2);
	paired_take(OUT, 22, 2, "b;kb", 2, 16);
	paired_take(WAKE, 25, 2, "new;wb", 1);
	paired_take(IN, 30, 0, "", 1);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;ka;--;wb;new 20|b;kb;--;wc;c 9");
	cr_expect_eq(deferred_queue_open(&paired.deferred[DEFERRED_PAIRS]), 1);
}

/* The threads 1 to @count sleep, one behind the other, and each wakes the one before. */
static void wake_row(int count)
{
	char stack[32];

	for (int i = 1; i <= count; i++) {
		snprintf(stack, sizeof(stack), "p%d;k", i);
		paired_take(OUT, (uint64_t)i, (uint32_t)i, stack, i, 1);
	}
	for (int i = count; i > 0; i--) {
		uint64_t t = 1000 + 10 * (uint64_t)(count - i);

		snprintf(stack, sizeof(stack), "p%d;w", i + 1);
		paired_take(WAKE, t, (uint32_t)i + 1, stack, i);
		paired_take(IN, t + 1, 0, "", i);
	}
	paired_finish(9999);
}

static unsigned links_in(const char *line)
{
	const char *end = line + strcspn(line, "|");
	unsigned ret = 0;

	while ((line = strstr(line, ";--;")) && line < end) {
		line += 3;
		ret++;
	}
	return ret;
}

PairTest(a_chain_has_so_many_links_at_most)
{
	const char *first;

	paired_bind(CHAIN);
	wake_row(12);
	/* The one that was woken last, by 2, by 3, and so on. */
	first = strstr(paired_folded(), "p1;k;--;");
	cr_assert_not_null(first);
	cr_expect_eq(links_in(first), PAIR_DEPTH, "%s", first);
	cr_expect(strncmp(first,
			  "p1;k;--;w;p2;--;w;p3;--;w;p4;--;w;p5;--;w;p6;--;w;p7;--;w;"
			  "p8;--;w;p9 ",
			  60) == 0,
		  "%s", first);
	cr_expect_eq(links_in(strstr(paired_folded(), "p12;k;--;")), 1);
	cr_expect_eq(links_in(strstr(paired_folded(), "p5;k;--;")), PAIR_DEPTH);
	cr_expect_eq(links_in(strstr(paired_folded(), "p6;k;--;")), 7);
}

PairTest(rounds_are_as_one)
{
	paired_bind(CHAIN);
	paired_take(OUT, 10, 1, "a;ka", 1, 1);
	paired_settle();
	paired_take(OUT, 12, 2, "b;kb", 2, 1);
	paired_settle();
	paired_take(WAKE, 20, 3, "c;wc", 2);
	paired_settle();
	paired_take(IN, 21, 0, "", 2);
	paired_settle();
	paired_take(WAKE, 25, 2, "b;wb", 1);
	paired_settle();
	paired_take(IN, 30, 0, "", 1);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;ka;--;wb;b;--;wc;c 20|b;kb;--;wc;c 9");
}

PairTest(workers_that_are_merged_are_as_one)
{
	struct worked other;
	uint32_t *frame_map, *node_map;

	paired_bind(CHAIN);
	paired_take(WAKE, 20, 3, "c;wc", 2);
	paired_take(OUT, 10, 1, "a;ka", 1, 1);
	paired_take(IN, 30, 0, "", 1);
	paired_work_begin(&other);
	paired_weigher.target = paired_target_of(&other);
	paired_take(WAKE, 25, 2, "b;wb", 1);
	paired_take(IN, 21, 0, "", 2);
	paired_take(OUT, 12, 2, "b;kb", 2, 1);
	cr_assert_eq(frames_merge(&paired.frames, &other.frames, &frame_map), 0);
	cr_assert_eq(trie_merge(&paired.trie, &other.trie, frame_map, &node_map), 0);
	cr_assert_eq(deferred_queue_merge(&paired.deferred[DEFERRED_PAIRS],
					  &other.deferred[DEFERRED_PAIRS], node_map, 0),
		     0);
	free(frame_map);
	free(node_map);
	paired_work_end(&other);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;ka;--;wb;b;--;wc;c 20|b;kb;--;wc;c 9");
}

/* All stacks get other ids: the trie is built anew behind one that is not there in the old one. */
static void compact(void)
{
	uint32_t *frame_map = calloc(paired.frames.list.count + 2, sizeof(*frame_map));
	uint32_t *node_map;
	struct trie joined;
	struct worked w;

	cr_assert_eq(trie_init(&joined), 0);
	paired_work_begin(&w);
	w.frames = paired.frames;
	trie_release(&w.trie);
	w.trie = joined;
	paired_node_of(&w, "some;thing;else");
	paired.frames = w.frames;
	frame_map = realloc(frame_map, paired.frames.list.count * sizeof(*frame_map));
	for (uint32_t i = 0; i < paired.frames.list.count; i++)
		frame_map[i] = i;
	cr_assert_eq(trie_merge_collapsing(&w.trie, &paired.trie, frame_map, &node_map),
		     0);
	trie_release(&paired.trie);
	paired.trie = w.trie;
	cr_assert_eq(deferred_queue_remap(&paired.deferred[DEFERRED_PAIRS], node_map), 0);
	free(frame_map);
	free(node_map);
}

PairTest(stacks_of_what_is_open_follow_a_compaction)
{
	paired_bind(CHAIN);
	paired_take(OUT, 10, 1, "a;ka", 1, 1);
	paired_take(OUT, 12, 2, "b;kb", 2, 1);
	paired_take(WAKE, 20, 3, "c;wc", 2);
	paired_settle();
	compact();
	paired_take(IN, 21, 0, "", 2);
	paired_take(WAKE, 25, 2, "b;wb", 1);
	paired_settle();
	compact();
	paired_take(IN, 30, 0, "", 1);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;ka;--;wb;b;--;wc;c 20|b;kb;--;wc;c 9");
}

PairTest(what_is_random_is_conserved)
{
	srand(7);
	for (int round = 0; round < 20; round++) {
		static const char *const rules[] = {
			CHAIN,
			CHAIN "; first",
			SLEEP "weight t - 5",
			SLEEP "weight t; open count",
			SLEEP "weight b; open report",
		};
		uint64_t time = 1;

		if (strstr(rules[round % 5], "weight b"))
			paired_bind(SLEEP "weight start.b; open report");
		else
			paired_bind(rules[round % 5]);
		for (int i = 0; i < 2000; i++) {
			int32_t key = rand() % 8;

			time += (uint64_t)(rand() % 3);
			if (rand() % 100 == 0)
				paired_lose(time - 1, time);
			paired_take(rand() % 3 ? rand() % 2 ? OUT : IN : WAKE, time,
				    (uint32_t)(rand() % 8),
				    rand() % 2 ? "a;k" : "b;l;-;m", key,
				    rand() % 10 ? rand() % 2 : 16);
			if (rand() % 500 == 0)
				paired_settle();
		}
		paired_finish(time);
		paired_end();
		memset(&paired_rec, 0, sizeof(paired_rec));
		memset(&paired_choice, 0, sizeof(paired_choice));
		paired_begin();
	}
}
