#include <criterion/criterion.h>

#include "unit/weight/paired.h"

#define LineTest(name) Test(pair_line, name, .init = paired_begin, .fini = paired_end)

/* A request under key a of size b, which goes on under key c. */
#define FIFO "start s:out key a fifo; end s:in key a; cancel s:wake key a; weight t"
#define LIFO "start s:out key a lifo; end s:in key a; cancel s:wake key a; weight t"
#define PARTS                                                                            \
	"start s:out key a size b lifo; end s:in key a size b to c;"                     \
	"move s:wake key a to c; weight t"

/* Three that are under way at once. */
static void begin_three(const char *rule)
{
	paired_bind(rule);
	paired_take(OUT, 10, 7, "a;k", 7);
	paired_take(OUT, 11, 7, "b;k", 7);
	paired_take(OUT, 13, 7, "c;k", 7);
	/* Of another key. */
	paired_take(OUT, 13, 7, "d;k", 8);
}

static void end_three(void)
{
	paired_take(IN, 20, 0, "", 7);
	paired_take(IN, 30, 0, "", 7);
	paired_take(IN, 40, 0, "", 7);
	paired_take(IN, 50, 0, "", 7);
	paired_finish(99);
	cr_expect_eq(paired.pairs.starts, 4);
	cr_expect_eq(paired.pairs.paired, 3);
	cr_expect_eq(paired.pairs.unopened, 1);
	cr_expect_eq(paired.pairs.still_open, 1);
}

LineTest(the_first_that_began_ends_first)
{
	begin_three(FIFO);
	end_three();
	cr_expect_str_eq(paired_folded(), "a;k 10|b;k 19|c;k 27");
}

LineTest(or_the_last_one_does_and_the_sum_is_the_same)
{
	begin_three(LIFO);
	end_three();
	cr_expect_str_eq(paired_folded(), "a;k 30|b;k 19|c;k 7");
}

LineTest(who_comes_while_others_leave_is_the_last)
{
	begin_three(FIFO);
	paired_take(IN, 20, 0, "", 7);
	paired_take(OUT, 21, 7, "e;k", 7);
	paired_take(IN, 30, 0, "", 7);
	paired_take(IN, 40, 0, "", 7);
	paired_take(OUT, 41, 7, "f;k", 7);
	paired_take(IN, 50, 0, "", 7);
	paired_take(IN, 60, 0, "", 7);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;k 10|b;k 19|c;k 27|e;k 29|f;k 19");
	cr_expect_eq(paired.pairs.still_open, 1);
}

LineTest(many_are_under_way_and_all_end)
{
	paired_bind(FIFO);
	for (uint64_t i = 0; i < 1000; i++)
		paired_take(OUT, 1000 + i, 7, i % 2 ? "a;k" : "b;k", (int32_t)(i % 3));
	for (uint64_t i = 0; i < 1000; i++)
		paired_take(IN, 3000 + 2 * i, 0, "", (int32_t)(i % 3));
	paired_finish(9999);
	/* Sums of 2000 + i over the even and the odd ones. */
	cr_expect_str_eq(paired_folded(), "a;k 1250000|b;k 1249500");
	cr_expect_eq(paired.pairs.paired, 1000);
	cr_expect_eq(paired.deferred[DEFERRED_PAIRS].open.count,
		     paired.deferred[DEFERRED_PAIRS].vacant * 9);
}

LineTest(who_never_ends_leaves_the_others_what_they_are)
{
	paired_bind(LIFO);
	paired_take(OUT, 10, 7, "a;k", 7);
	for (uint64_t t = 1000; t < 5000; t += 1000) {
		paired_take(OUT, t, 7, "b;k", 7);
		paired_take(IN, t + 3, 0, "", 7);
	}
	paired_finish(9999);
	cr_expect_str_eq(paired_folded(), "b;k 12");
	cr_expect_eq(paired.pairs.still_open, 1);
}

LineTest(what_is_cancelled_leaves_the_line)
{
	begin_three(FIFO);
	paired_take(WAKE, 15, 0, "", 7);
	paired_take(IN, 20, 0, "", 7);
	paired_take(IN, 30, 0, "", 7);
	paired_take(IN, 40, 0, "", 7);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "b;k 9|c;k 17");
	cr_expect_eq(paired.pairs.cancelled, 1);
	cr_expect_eq(paired.pairs.unopened, 1);
}

LineTest(all_are_forgotten)
{
	begin_three(LIFO "; forget s:call key a");
	paired_take(CALL, 15, 0, "", 7);
	paired_take(OUT, 16, 7, "e;k", 7);
	paired_take(IN, 20, 0, "", 7);
	paired_take(IN, 21, 0, "", 7);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "e;k 4");
	cr_expect_eq(paired.pairs.cancelled, 3);
	cr_expect_eq(paired.pairs.unopened, 1);
}

LineTest(of_those_that_began_before_a_loss_none_shifts_another_s_end)
{
	begin_three(FIFO);
	paired_lose(14, 16);
	paired_take(OUT, 50, 7, "e;k", 7);
	paired_take(OUT, 52, 7, "f;k", 7);
	paired_take(IN, 60, 0, "", 7);
	paired_take(IN, 70, 0, "", 7);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "e;k 10|f;k 18");
	cr_expect_eq(paired.pairs.restarted, 3);
}

LineTest(of_a_line_with_a_loss_no_interval_counts)
{
	begin_three(FIFO);
	paired_lose(14, 16);
	paired_take(IN, 20, 0, "", 7);
	paired_take(IN, 30, 0, "", 7);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "");
	cr_expect_eq(paired.pairs.broken, 2);
	cr_expect_eq(paired.pairs.still_open, 2);
}

LineTest(a_start_that_waits_for_nobody_begins_anew)
{
	begin_three(FIFO "; start s:call key a");
	paired_take(CALL, 15, 7, "e;k", 7);
	paired_take(IN, 20, 0, "", 7);
	paired_take(IN, 30, 0, "", 7);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "e;k 5");
	cr_expect_eq(paired.pairs.restarted, 3);
	cr_expect_eq(paired.pairs.unopened, 1);
}

LineTest(a_line_is_no_longer_than_so)
{
	paired_bind(FIFO);
	for (uint64_t i = 0; i < 1026; i++)
		paired_take(OUT, 10, 7, "a;k", 7);
	paired_take(IN, 20, 0, "", 7);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;k 10");
	cr_expect_eq(paired.pairs.restarted, 1025);
}

LineTest(what_is_left_of_it_goes_on_elsewhere)
{
	paired_bind(PARTS);
	paired_take(OUT, 10, 7, "a;k", 100, 8);
	paired_take(IN, 20, 0, "", 100, 3, 103);
	/* Not of it any more. */
	paired_take(IN, 25, 0, "", 100, 3, 103);
	paired_take(IN, 30, 0, "", 103, 1, 104);
	paired_take(IN, 40, 0, "", 104, 4, 108);
	paired_take(IN, 50, 0, "", 108, 1, 109);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;k 30");
	cr_expect_eq(paired.pairs.moves, 2);
	cr_expect_eq(paired.pairs.unopened, 2);
	cr_expect_eq(paired.pairs.paired, 1);
}

LineTest(what_ends_with_more_than_it_had_has_ended)
{
	paired_bind(PARTS);
	paired_take(OUT, 10, 7, "a;k", 100, 8);
	paired_take(IN, 20, 0, "", 100, 16, 116);
	/* Nothing has ended, and nothing goes anywhere. */
	paired_take(OUT, 30, 7, "b;k", 100, 8);
	paired_take(IN, 35, 0, "", 100, 0, 100);
	paired_take(IN, 40, 0, "", 100, 8, 108);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;k 10|b;k 10");
}

LineTest(said_again_it_is_as_large_as_was_said_last)
{
	paired_bind("start s:out key a size b lifo; start s:call key a size b; first;"
		    "end s:in key a size b to c; weight t");
	paired_take(OUT, 10, 7, "a;k", 100, 8);
	paired_take(CALL, 12, 7, "w;k", 100, 24);
	paired_take(CALL, 13, 7, "w;k", 100, 16);
	paired_take(IN, 20, 0, "", 100, 16, 116);
	paired_take(IN, 30, 0, "", 116, 8, 124);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;k 20");
	cr_expect_eq(paired.pairs.restarted, 2);
}

LineTest(what_is_moved_joins_those_that_are_there)
{
	paired_bind(PARTS);
	paired_take(OUT, 10, 7, "a;k", 100, 8);
	paired_take(OUT, 11, 7, "b;k", 200, 8);
	paired_take(OUT, 12, 7, "c;k", 200, 8);
	/* The last one of 200, to where nothing is; then to where something is. */
	paired_take(WAKE, 13, 0, "", 200, 0, 300);
	paired_take(WAKE, 14, 0, "", 300, 0, 100);
	/* Nothing is there. */
	paired_take(WAKE, 15, 0, "", 300, 0, 100);
	paired_take(IN, 20, 0, "", 100, 8, 108);
	paired_take(IN, 30, 0, "", 200, 8, 208);
	paired_take(IN, 40, 0, "", 100, 8, 108);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;k 30|b;k 19|c;k 8");
	cr_expect_eq(paired.pairs.moves, 3);
}

LineTest(the_first_of_a_line_moves_and_the_next_takes_its_place)
{
	paired_bind("start s:out key a fifo; end s:in key a; move s:wake key a to c;"
		    "weight t");
	paired_take(OUT, 10, 7, "a;k", 1);
	paired_take(OUT, 11, 7, "b;k", 1);
	paired_take(OUT, 12, 7, "c;k", 2);
	paired_take(WAKE, 13, 0, "", 1, 0, 2);
	paired_take(IN, 20, 0, "", 2);
	paired_take(IN, 30, 0, "", 1);
	paired_take(IN, 40, 0, "", 2);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;k 30|b;k 19|c;k 8");
}

LineTest(what_is_moved_has_nobody_of_its_old_line_behind_it)
{
	paired_bind("start s:out key a fifo; end s:in key a; move s:wake key a to c;"
		    "weight t");
	paired_take(OUT, 10, 7, "a;k", 1);
	paired_take(OUT, 11, 7, "b;k", 1);
	paired_take(WAKE, 12, 0, "", 1, 0, 2);
	paired_take(OUT, 13, 7, "c;k", 2);
	/* It is there already, and does not go behind others. */
	paired_take(WAKE, 14, 0, "", 2, 0, 2);
	paired_take(IN, 20, 0, "", 2);
	paired_take(IN, 30, 0, "", 2);
	paired_take(IN, 40, 0, "", 1);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "a;k 10|b;k 29|c;k 17");
}
