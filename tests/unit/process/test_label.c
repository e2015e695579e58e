#include "timeline.h"

static void expect(const char *name, uint32_t tid, const char *label, const char *printed)
{
	for (int as_printed = 0; as_printed < 2; as_printed++) {
		struct timeline t;
		struct comm found;

		timeline_begin(&t);
		if (as_printed)
			processes_label_as_printed(t.ps);
		comm(&t, 1, tid, tid, name, NO_EXEC);
		processes_comm(t.ps, tid, tid, 2, &found);
		cr_assert_str_eq(intern_text(&t.strings, found.name), name);
		cr_assert_str_eq(intern_text(&t.strings, found.label),
				 as_printed ? printed : label);
		timeline_end(&t);
	}
}

Test(label, it_has_no_spaces)
{
	expect("sh", 7, "sh", "sh");
	expect("a b", 7, "a_b", "a_b");
	expect(" a", 7, "_a", "_a");
}

/* What the lines of perf script begin with: "thread 5     7 ". */
Test(label, as_printed_it_ends_at_a_number)
{
	expect("thread 5", 7, "thread_5", "thread");
	expect("thread 5x", 7, "thread_5x", "thread_5x");
	expect("pool 1/2 x", 7, "pool_1/2_x", "pool");
	expect("pool 1// x", 7, "pool_1//_x", "pool");
	expect("pool 1/a", 7, "pool_1/a", "pool_1/a");
	expect("end ", 7, "end_", "end");
	expect("12 34 56", 7, "12_34_56", "12");
}

Test(label, as_printed_it_has_two_characters)
{
	expect("X", 9999, "X", "X_");
	expect("X", 10000, "X", "X");
	expect("x 7 8", 7, "x_7_8", "x_7");
}
