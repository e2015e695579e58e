#include "weight/pairing.h"

#include <criterion/criterion.h>

#include "unit/weight/paired.h"

#define ObjectTest(name)                                                                 \
	Test(pair_objects, name, .init = paired_begin, .fini = paired_end)

/* The call: a is what it asks for; its end: a is the address; out of memory: 0. */
#define CALLS                                                                            \
	"start s:out value a; end s:in value a != 0 object pid, a;"                      \
	"release s:call key pid, a; nested; weight start.value * end.value; stack end;"

ObjectTest(what_is_not_released_weighs_on_the_stack_of_its_end)
{
	paired_bind(CALLS "open report");
	paired_take(OUT, 10, 7, "", 100);
	paired_take(IN, 11, 7, "app;f", 4096);
	paired_take(OUT, 20, 7, "", 30);
	paired_take(IN, 21, 7, "app;g", 8192);
	paired_take(CALL, 30, 7, "", 4096);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "app;g 30");
	cr_expect_eq(paired.pairs.paired, 2);
	cr_expect_eq(paired.pairs.objects, 2);
	cr_expect_eq(paired.pairs.releases, 1);
	cr_expect_eq(paired.pairs.released, 1);
	cr_expect_eq(paired.pairs.still_open, 0);
}

ObjectTest(of_calls_of_others_no_stack_is_walked)
{
	paired_bind(CALLS "open report");
	paired_pairing.threads.is_limited = true;
	cr_assert_eq(thread_set_add(&paired_pairing.threads, 7), 0);
	paired_take(OUT, 10, 7, "", 100);
	paired_take(OUT, 11, 8, "", 100);
	paired_take(IN, 12, 8, "other;f", 4096);
	paired_take(IN, 13, 7, "app;f", 4096);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "app;f 100");
	cr_expect_eq(paired.pairs.stacks, 1);
	cr_expect_eq(paired.pairs.starts, 1);
	cr_expect_eq(paired.pairs.ends, 1);
}

ObjectTest(an_address_is_another_one_in_another_process)
{
	paired_bind(CALLS "open report");
	paired_take(OUT, 10, 7, "", 100);
	paired_take(IN, 11, 7, "app;f", 4096);
	/* of a child: its copy */
	paired_take(CALL, 30, 8, "", 4096);
	/* A thread's number is no address. */
	paired_take(OUT, 40, 9, "", 5);
	paired_take(CALL, 41, 9, "", 0);
	paired_take(IN, 42, 9, "app;h", 4096);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "app;f 100|app;h 5");
	cr_expect_eq(paired.pairs.released, 0);
	cr_expect_eq(paired.pairs.unopened, 0);
}

ObjectTest(what_has_failed_makes_nothing)
{
	paired_bind(CALLS "open report");
	paired_take(OUT, 10, 7, "", 100);
	paired_take(IN, 11, 7, "app;f", 0);
	paired_take(IN, 12, 7, "app;f", 4096);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "");
	cr_expect_eq(paired.pairs.objects, 0);
	cr_expect_eq(paired.pairs.unopened, 1);
}

ObjectTest(an_address_that_is_used_again_was_released_unseen)
{
	paired_bind(CALLS "open report");
	paired_take(OUT, 10, 7, "", 100);
	paired_take(IN, 11, 7, "app;f", 4096);
	paired_take(OUT, 20, 7, "", 30);
	paired_take(IN, 21, 7, "app;g", 4096);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "app;g 30");
	cr_expect_eq(paired.pairs.reused, 1);
}

ObjectTest(where_open_ones_count_it_counts_until_then)
{
	paired_bind(CALLS "open count");
	paired_take(OUT, 10, 7, "", 100);
	paired_take(IN, 11, 7, "app;f", 4096);
	paired_take(OUT, 20, 7, "", 30);
	paired_take(IN, 21, 7, "app;g", 4096);
	paired_take(CALL, 22, 7, "", 4096);
	paired_take(OUT, 30, 7, "", 5);
	paired_take(IN, 31, 7, "app;h", 4096);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "app;f 100|app;g 30|app;h 5");
	cr_expect_eq(paired.pairs.reused, 1);
	cr_expect_eq(paired.pairs.objects, 3);
	cr_expect_eq(paired.pairs.released, 1);
}

ObjectTest(of_calls_inside_of_calls_the_outermost_counts)
{
	paired_bind(CALLS "open report");
	paired_take(OUT, 10, 7, "", 100);
	paired_take(OUT, 11, 7, "", 70);
	paired_take(OUT, 12, 7, "", 80);
	paired_take(OUT, 12, 8, "", 9);
	paired_take(IN, 13, 7, "app;x", 4096);
	paired_take(IN, 14, 7, "app;y", 4096);
	paired_take(IN, 15, 7, "app;f", 4096);
	paired_take(IN, 16, 8, "app;o", 4096);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "app;f 100|app;o 9");
	cr_expect_eq(paired.pairs.inner, 4);
	cr_expect_eq(paired.pairs.paired, 2);
}

ObjectTest(ends_that_were_missed_do_not_hold_a_thread_for_ever)
{
	paired_bind(CALLS "open report");
	for (uint64_t i = 0; i < 66; i++)
		paired_take(OUT, 10 + i, 7, "", 100);
	paired_take(IN, 90, 7, "app;f", 4096);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "app;f 100");
	cr_expect_eq(paired.pairs.restarted, 1);
}

ObjectTest(what_is_released_weighs_where_the_open_ones_do_not)
{
	paired_bind(CALLS);
	paired_take(OUT, 10, 7, "", 100);
	paired_take(IN, 11, 7, "app;f", 4096);
	paired_take(OUT, 20, 7, "", 30);
	paired_take(IN, 21, 7, "app;g", 8192);
	paired_take(CALL, 30, 7, "", 4096);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "app;f 100");
}

/* As realloc(): b is what it takes. */
#define TAKES                                                                            \
	"start s:out value a object pid, b; end s:in value a != 0 object pid, a;"        \
	"release s:call key pid, a; nested; weight start.value * end.value; stack end;"

ObjectTest(what_a_call_takes_is_released_when_that_ends_unless_it_fails)
{
	paired_bind(TAKES "open report");
	paired_take(OUT, 10, 7, "", 100);
	paired_take(IN, 11, 7, "app;f", 4096);
	/* Out of memory. */
	paired_take(OUT, 20, 7, "", 200, 4096);
	paired_take(IN, 21, 7, "app;g", 0);
	paired_settle();
	cr_expect_eq(paired.pairs.released, 0);
	/* It is made larger where it is. */
	paired_take(OUT, 30, 7, "", 300, 4096);
	paired_take(IN, 31, 7, "app;h", 4096);
	/* Another one is moved. */
	paired_take(OUT, 40, 7, "", 5);
	paired_take(IN, 41, 7, "app;f", 8192);
	paired_take(OUT, 42, 7, "", 6, 8192);
	paired_take(IN, 43, 7, "app;i", 12288);
	/* And a third one asked for with no size, which frees it. */
	paired_take(OUT, 50, 7, "", 9);
	paired_take(IN, 51, 7, "app;f", 16384);
	paired_take(OUT, 52, 7, "", 0, 16384);
	paired_take(IN, 53, 7, "app;j", 0);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "app;h 300|app;i 6");
	cr_expect_eq(paired.pairs.released, 3);
	cr_expect_eq(paired.pairs.reused, 0);
}

ObjectTest(what_a_call_takes_may_be_somebody_elses_before_it_ends)
{
	paired_bind(TAKES "open count");
	paired_take(OUT, 10, 7, "", 100);
	paired_take(IN, 11, 7, "app;f", 4096);
	paired_take(OUT, 20, 7, "", 200, 4096);
	/* Another thread of the process gets the address. */
	paired_take(OUT, 21, 8, "", 30);
	paired_take(IN, 22, 8, "app;o", 4096);
	paired_take(IN, 23, 7, "app;g", 8192);
	/* A call inside of a call takes nothing by itself. */
	paired_take(OUT, 30, 7, "", 7, 8192);
	paired_take(OUT, 31, 7, "", 7, 4096);
	paired_take(IN, 32, 7, "app;x", 16384);
	paired_take(IN, 33, 7, "app;h", 20480);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "app;f 100|app;g 200|app;h 7|app;o 30");
}

/* What is released while another event is settled leaves holes in what is open. */
ObjectTest(many_calls_at_once_take_each_its_own)
{
	enum { THREADS = 20, ROUNDS = 200 };
	uint64_t time = 1;

	paired_bind("start s:out value a object b; end s:in value a != 0 object a;"
		    "release s:call key a; nested; weight start.value * end.value;"
		    "stack end; open report");
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < THREADS; i++)
			paired_take(OUT, time++, (uint32_t)(THREADS * round + i + 1), "",
				    round + 1,
				    round ? (THREADS * (round - 1) + i + 1) * 16 : 0);
		for (int i = 0; i < THREADS; i++)
			paired_take(IN, time++,
				    (uint32_t)(THREADS * round + i * 7 % THREADS + 1),
				    "app;f",
				    (THREADS * round + i * 7 % THREADS + 1) * 16);
		paired_settle();
	}
	paired_finish(time);
	cr_expect_str_eq(paired_folded(), "app;f 4000");
	cr_expect_eq(paired.pairs.paired, THREADS * ROUNDS);
	cr_expect_eq(paired.pairs.released, THREADS * (ROUNDS - 1));
	cr_expect_eq(paired.pairs.unopened, 0);
}

ObjectTest(what_a_call_takes_weighs_until_then_where_open_ones_do_not)
{
	paired_bind(TAKES);
	paired_take(OUT, 10, 7, "", 100);
	paired_take(IN, 11, 7, "app;f", 4096);
	paired_take(OUT, 20, 7, "", 200, 4096);
	paired_take(IN, 21, 7, "app;g", 8192);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "app;f 100");
}

ObjectTest(objects_have_the_stack_of_the_start_where_that_is_asked_for)
{
	paired_bind("start s:out; end s:in object a; release s:call key a; weight 3;"
		    "open count");
	paired_take(OUT, 10, 7, "app;start");
	paired_take(IN, 11, 7, "app;end", 4096);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "app;start 3");
}

ObjectTest(who_becomes_another_program_has_left_its_objects)
{
	paired_bind(CALLS "leave s:wake key a; open report");
	paired_take(OUT, 10, 7, "", 100);
	paired_take(IN, 11, 7, "app;f", 4096);
	paired_take(OUT, 10, 8, "", 5);
	paired_take(IN, 11, 8, "app;g", 4096);
	paired_take(WAKE, 20, 7, "", 7);
	paired_take(OUT, 30, 7, "", 30);
	paired_take(IN, 31, 7, "app;h", 8192);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "app;g 5|app;h 30");
}

ObjectTest(of_objects_whose_release_may_have_been_lost_it_is_not_said)
{
	paired_lose(14, 15);
	paired_bind(CALLS "open report");
	paired_take(OUT, 10, 7, "", 100);
	paired_take(IN, 11, 7, "app;f", 4096);
	paired_take(OUT, 20, 7, "", 30);
	paired_take(IN, 21, 7, "app;g", 8192);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "app;g 30");
	cr_expect_eq(paired.pairs.unsure, 1);
}
