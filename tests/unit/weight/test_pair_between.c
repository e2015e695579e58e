#include "weight/pairing.h"

#include <criterion/criterion.h>
#include <string.h>

#include "unit/weight/paired.h"

#define BetweenTest(name)                                                                \
	Test(pair_between, name, .init = paired_begin, .fini = paired_end)

/* b: 1 it blocks, 0 it is preempted, -1 it ends. Samples are of event plain. */
#define LIFE                                                                             \
	"end s:in key a; start s:out key a if b >= 0; forget s:out key a if b < 0;"      \
	"wake s:wake key a; sample plain; between [on];"                                 \
	"weight start.b * (t - t.run) as [off];"                                         \
	"weight start.b * t.run + !start.b * t as [rq];"

BetweenTest(a_sample_has_the_time_since_the_last_one)
{
	paired_bind(LIFE "names none");
	paired_take(IN, 10, 0, "", 7);
	paired_take(PLAIN, 25, 7, "app;f", 0);
	paired_take(PLAIN, 30, 7, "app;g", 0);
	paired_take(OUT, 30, 7, "app;h;-;k", 7, -1);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "app;f 15|app;g 5");
}

BetweenTest(what_ran_without_a_sample_is_the_next_ones)
{
	paired_bind(LIFE "names none");
	paired_take(IN, 10, 0, "", 7);
	paired_take(OUT, 12, 7, "app;h;-;k", 7, 1);
	paired_take(IN, 20, 0, "", 7);
	paired_take(OUT, 23, 7, "app;h;-;k", 7, 1);
	paired_take(IN, 30, 0, "", 7);
	paired_take(PLAIN, 31, 7, "app;f", 0);
	paired_finish(31);
	/* 2 + 3 + 1 */
	cr_expect_str_eq(paired_folded(), "app;f 6|app;h;-;k 15");
}

BetweenTest(what_no_sample_comes_for_has_the_stack_of_the_last_one)
{
	paired_bind(LIFE "names none");
	paired_take(PLAIN, 10, 7, "app;f", 0);
	paired_take(OUT, 12, 7, "app;h", 7, 1);
	paired_take(IN, 20, 0, "", 7);
	paired_take(OUT, 23, 7, "app;h", 7, -1);
	/* Nothing is known of it any more. */
	paired_take(PLAIN, 50, 7, "app;f", 0);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "app;f 5|app;h 8");
}

BetweenTest(where_there_was_no_sample_at_all_a_frame_says_so)
{
	paired_bind(LIFE);
	paired_take(IN, 10, 0, "", 7);
	paired_take(OUT, 12, 7, "app;h;-;k", 7, 1);
	paired_take(IN, 20, 0, "", 7);
	paired_take(OUT, 23, 7, "app;i", 7, -1);
	paired_finish(99);
	cr_expect_str_eq(paired_folded(), "[off];app;h;-;k 8|[on];app;[no sample] 5");
}

BetweenTest(intervals_are_parted_at_the_mark)
{
	paired_bind(LIFE);
	paired_take(OUT, 10, 7, "app;h", 7, 1);
	paired_take(WAKE, 15, 8, "b", 7);
	paired_take(IN, 18, 0, "", 7);
	paired_take(OUT, 18, 7, "app;h", 7, 0);
	paired_take(IN, 20, 0, "", 7);
	paired_take(PLAIN, 21, 7, "app;f", 0);
	paired_finish(21);
	cr_expect_str_eq(paired_folded(), "[off];app;h 5|[on];app;f 1|[rq];app;h 5");
}

BetweenTest(names_can_be_at_the_leaf)
{
	paired_bind(LIFE "names leaf");
	paired_take(OUT, 10, 7, "app;h", 7, 1);
	paired_take(IN, 18, 0, "", 7);
	paired_take(PLAIN, 21, 7, "app;h", 0);
	paired_take(PLAIN, 22, 7, "app;h", 0);
	paired_take(OUT, 22, 7, "app;h", 7, 1);
	paired_take(IN, 25, 0, "", 7);
	paired_finish(25);
	cr_expect_str_eq(paired_folded(), "app;h;[off] 11|app;h;[on] 4");
}

BetweenTest(all_time_of_a_thread_is_something)
{
	uint64_t time = 100, random = 5;

	paired_bind(LIFE "names none; open count");
	/* In and out, and what may be meanwhile: samples and marks. */
	for (int i = 0; i < 800; i++) {
		bool runs = i % 4 < 2, changes = i % 2 == 0;

		random = random * 6364136223846793005u + 1442695040888963407u;
		time += i ? random >> 60 : 0;
		if (changes)
			paired_take(runs ? IN : OUT, time, 7, "app;h", 7,
				    (int)(random >> 40 & 1));
		else if (random >> 50 & 1)
			paired_take(runs ? PLAIN : WAKE, time, 7, "app;f", 7);
	}
	paired_finish(time + 7);
	cr_expect_eq(paired.sum.kept, time + 7 - 100);
}

BetweenTest(what_records_were_lost_in_is_not_counted)
{
	paired_bind(LIFE "names none");
	*array_add(&paired_rec.losses) = (struct loss){ 15, 15 };
	paired_take(IN, 10, 0, "", 7);
	paired_take(PLAIN, 12, 7, "app;f", 0);
	paired_take(PLAIN, 20, 7, "app;f", 0);
	paired_take(PLAIN, 23, 7, "app;f", 0);
	paired_take(OUT, 10, 8, "b;h", 8, 1);
	paired_take(IN, 20, 0, "", 8);
	paired_take(PLAIN, 24, 8, "b;f", 0);
	paired_finish(24);
	cr_expect_str_eq(paired_folded(), "app;f 5|b;f 4");
	cr_expect_eq(paired.pairs.broken, 1);
}

BetweenTest(a_sample_within_an_interval_ends_it)
{
	paired_bind(LIFE "names none");
	paired_take(OUT, 10, 7, "app;h", 7, 1);
	paired_take(PLAIN, 20, 7, "app;f", 0);
	paired_take(PLAIN, 21, 7, "app;f", 0);
	paired_finish(24);
	cr_expect_str_eq(paired_folded(), "app;f 1|app;h 10");
	cr_expect_eq(paired.pairs.paired, 1);
}

BetweenTest(filters_ask_the_thread_of_the_sample)
{
	paired_bind(LIFE "names none; open count");
	paired_take(PLAIN, 10, 7, "app;f", 0);
	paired_take(PLAIN, 15, 7, "app;f", [FILTERED] = 1);
	paired_take(OUT, 18, 7, "app;h", [A] = 7, [B] = 1, [FILTERED] = 1);
	paired_finish(20);
	cr_expect_str_eq(paired_folded(), "");
	/* 5, 3 of the last sample, and 2. */
	cr_expect_eq(paired.sum.lost[LOST_FILTER], 10);
}

BetweenTest(columns_of_parts_have_their_weight_too)
{
	uint64_t on = 0;

	paired_bind(LIFE "names none");
	paired_pairing.parts[PART_BETWEEN].column = COLUMN_ROLES;
	paired_take(IN, 10, 0, "", 7);
	paired_take(PLAIN, 14, 7, "app;f", 0);
	paired_take(OUT, 14, 7, "app;f", 7, 1);
	paired_take(IN, 19, 0, "", 7);
	paired_finish(19);
	cr_expect_str_eq(paired_folded(), "app;f 9");
	for (size_t row = 1; row < paired.trie.rows.count; row++)
		on += trie_row_self(&paired.trie, row, COLUMN_ROLES);
	cr_expect_eq(on, 4);
}

BetweenTest(what_a_rate_has_left_out_is_counted)
{
	paired_rec.events.v[OUT].frequency = 999;
	paired_bind(LIFE);
	paired_take(OUT, 10, 7, "app;h", 7, 1);
	cr_expect_eq(paired.pairs.skipped, 0);
	paired_period = 5;
	paired_take(OUT, 12, 7, "app;h", 7, 1);
	cr_expect_eq(paired.pairs.skipped, 4);
	/* Those of other events count time. */
	paired_take(PLAIN, 13, 7, "app;h", 0);
	cr_expect_eq(paired.pairs.skipped, 4);
	paired_period = 1;
	paired_finish(13);
}
