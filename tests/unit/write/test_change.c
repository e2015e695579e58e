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
	struct change_moves *all, m;
	uint32_t run, idle;

	compare(&d, "main;run;parse;a 2000\nmain;run;read 3000\nidle 4999\nidle;rare 1\n",
		"main;run;parse;a 3000\nmain;run;read 2000\nidle 4999\nidle;rare 1\n");
	cr_assert_eq(change_find_moves(&d, &all), 0);
	run = node_of_path(&d, "main;run");
	idle = node_of_path(&d, "idle");
	m = change_moves_of(&d, all, run);
	cr_expect_float_eq(m.more, 0.1, 1e-12);
	cr_expect_float_eq(m.less, 0.1, 1e-12);
	cr_expect(change_is_moved(&m));
	m = change_moves_of(&d, all, 0);
	cr_expect(change_is_moved(&m));
	m = change_moves_of(&d, all, node_of_path(&d, "main;run;parse"));
	cr_expect_eq(m.less, 0);
	cr_expect_not(change_is_moved(&m));
	m = change_moves_of(&d, all, idle);
	cr_expect_eq(m.more + m.less, 0);
	/* It has too few samples to be tested, so nothing in it has changed. */
	m = change_moves_of(&d, all, node_of_path(&d, "idle;rare"));
	cr_expect_eq(m.more + m.less, 0);
	free(all);
	difference_release(&d);
}

Test(change, where_one_of_both_is_most_a_frame_s_own_colour_tells_it)
{
	struct difference d;
	struct change_moves *all, m;

	compare(&d, "main;a 2000\nmain;b 1000\nidle 7000\n",
		"main;a 6000\nmain;b 500\nidle 3500\n");
	cr_assert_eq(change_find_moves(&d, &all), 0);
	m = change_moves_of(&d, all, node_of_path(&d, "main"));
	cr_expect_gt(m.less, 0);
	cr_expect_not(change_is_moved(&m));
	free(all);
	difference_release(&d);
}
