/* What a picture of a difference shows besides colours. */
#include <criterion/criterion.h>
#include <math.h>

#include "unit/diff/sides.h"
#include "write/change.h"

static void compare(struct difference *d, const char *a, const char *b)
{
	cr_assert_eq(difference_init(d), 0);
	add_text_side(d, DIFF_A, a);
	add_text_side(d, DIFF_B, b);
	finish(d, DIFF_SHARE);
}

Test(change, what_one_side_alone_has_is_so_down_to_its_least_leaf)
{
	struct difference d;

	/* One sample tells nothing by itself, but what it is below does. */
	compare(&d, "main;work 5000\nmain;old;x 600\nmain;old;tiny 1\nmain;seldom 1\n",
		"main;work 5000\nmain;fresh;y 600\nmain;fresh;small 1\nmain;rare 1\n");
	cr_expect(change_is_gone(&d, node_of_path(&d, "main;old")));
	cr_expect(change_is_gone(&d, node_of_path(&d, "main;old;tiny")));
	cr_expect_not(difference_is_significant(&d, node_of_path(&d, "main;old;tiny")));
	cr_expect_not(change_is_gone(&d, node_of_path(&d, "main;seldom")));
	cr_expect_not(change_is_gone(&d, node_of_path(&d, "main;fresh")));
	cr_expect_not(change_is_gone(&d, node_of_path(&d, "main")));
	cr_expect(change_is_new(&d, node_of_path(&d, "main;fresh")));
	cr_expect(change_is_new(&d, node_of_path(&d, "main;fresh;small")));
	cr_expect_not(change_is_new(&d, node_of_path(&d, "main;rare")));
	cr_expect_not(change_is_new(&d, node_of_path(&d, "main;old")));
	cr_expect_not(change_is_new(&d, 0));
	difference_release(&d);
}

Test(change, what_moves_within_a_frame_counts_once_where_it_is_deepest)
{
	struct difference d;
	struct change_moves m;
	uint32_t run, idle;

	compare(&d, "main;run;parse;a 2000\nmain;run;read 3000\nidle 5000\n",
		"main;run;parse;a 3000\nmain;run;read 2000\nidle 5000\n");
	cr_assert_eq(change_find_moves(&d, &m), 0);
	run = node_of_path(&d, "main;run");
	idle = node_of_path(&d, "idle");
	cr_expect_float_eq(m.more[run], 0.1, 1e-12);
	cr_expect_float_eq(m.less[run], 0.1, 1e-12);
	cr_expect(change_is_moved(&m, run));
	cr_expect(change_is_moved(&m, 0));
	cr_expect_eq(m.less[node_of_path(&d, "main;run;parse")], 0);
	cr_expect_not(change_is_moved(&m, node_of_path(&d, "main;run;parse")));
	cr_expect_eq(m.more[idle] + m.less[idle], 0);
	change_moves_release(&m);
	difference_release(&d);
}

Test(change, where_one_of_both_is_most_a_frame_s_own_colour_tells_it)
{
	struct difference d;
	struct change_moves m;

	compare(&d, "main;a 2000\nmain;b 1000\nidle 7000\n",
		"main;a 6000\nmain;b 500\nidle 3500\n");
	cr_assert_eq(change_find_moves(&d, &m), 0);
	cr_expect_gt(m.less[node_of_path(&d, "main")], 0);
	cr_expect_not(change_is_moved(&m, node_of_path(&d, "main")));
	change_moves_release(&m);
	difference_release(&d);
}
