#include "tree/view.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "unit/write/tree.h"

#define LINES UINT_MAX /* not a flag */

/* "(a 10@0(b 3@0)(c 7@3))": labels, totals, what lies to the left; children inside. */
static char *picture(struct tree *t, unsigned flags)
{
	struct text text = { 0 };
	struct view view;
	struct view_walk w = { 0 };
	uint32_t open = 0;

	tree_sum_up(t);
	if (flags == LINES)
		cr_assert_eq(view_begin_lines(&t->ctx, &t->in, &view), 0);
	else
		cr_assert_eq(view_make(&t->ctx, &t->in, flags, &view), 0);
	do {
		const struct view_node *n;

		if (flags == LINES)
			cr_assert_eq(view_open(&view, &w), 0);
		n = &view.nodes.v[w.node];
		for (; open > w.depth; open--)
			text_char(&text, ')');
		text_printf(&text, "(%s %d@%d", label_text(&view.labels, n->label),
			    (int)n->total, (int)w.start);
		open++;
	} while (view_next(&view, &w, VIEW_INTO));
	for (; open > 0; open--)
		text_char(&text, ')');
	view_release(&view);
	return text.bytes;
}

static void expect(struct tree *t, unsigned flags, const char *expected)
{
	char *actual = picture(t, flags);

	cr_expect_str_eq(actual, expected);
	free(actual);
	tree_release(t);
}

Test(view, functions_with_the_same_label_are_one)
{
	struct tree t;

	tree_init(&t);
	tree_add(&t, "a;b@1;c", 1);
	tree_add(&t, "a;x", 5);
	tree_add(&t, "a;b@2;c", 2);
	tree_add(&t, "a;b@2", 4);
	expect(&t, 0, "( 12@0(a 12@0(b 7@0(c 3@4))(x 5@7)))");
}

Test(view, what_is_below_functions_with_the_same_label_is_one_at_any_depth)
{
	struct tree t;

	tree_init(&t);
	tree_add(&t, "a;b@1;c;d;e", 1);
	tree_add(&t, "a;b@1;c", 2);
	tree_add(&t, "a;b@1;x", 4);
	tree_add(&t, "a;b@2;c;d;e", 8);
	tree_add(&t, "a;b@2;c;d", 16);
	tree_add(&t, "a;b@2;y", 32);
	tree_add(&t, "y;c;d", 64);
	expect(&t, 0,
	       "( 127@0(a 63@0(b 63@0(c 27@0(d 25@2(e 9@18)))(x 4@27)(y 32@31)))"
	       "(y 64@63(c 64@63(d 64@63))))");
}

Test(view, a_tree_in_order_of_input_can_be_sorted)
{
	struct tree t;

	tree_init(&t);
	t.in.in_order = true;
	tree_add(&t, "b;c", 1);
	tree_add(&t, "a", 2);
	tree_add(&t, "b;c", 4);
	t.in.in_order = false;
	expect(&t, 0, "( 7@0(a 2@0)(b 5@2(c 5@2)))");
}

Test(view, marks_tell_labels_apart)
{
	struct tree t;

	tree_init(&t);
	t.in.mark_kernel = t.in.mark_jit = true;
	tree_add(&t, "f@k", 1);
	tree_add(&t, "f@j", 2);
	tree_add(&t, "f", 4);
	tree_add(&t, "f_[k]", 8);
	expect(&t, 0, "( 15@0(f 4@0)(f_[j] 2@4)(f_[k] 9@6))");
}

Test(view, marks_are_only_made_where_asked_for)
{
	struct tree t;

	tree_init(&t);
	tree_add(&t, "f@k", 1);
	tree_add(&t, "f@j", 2);
	expect(&t, 0, "( 3@0(f 3@0))");
}

Test(view, siblings_are_in_the_order_of_sorted_stacks)
{
	struct tree t;

	tree_init(&t);
	tree_add(&t, "b;c", 1);
	tree_add(&t, "b.x", 1);
	tree_add(&t, "d;c", 1);
	tree_add(&t, "d.x", 1);
	tree_add(&t, "d", 1);
	expect(&t, 0, "( 5@0(b.x 1@0)(b 1@1(c 1@1))(d 2@2(c 1@3))(d.x 1@4))");
}

Test(view, lines_come_in_the_order_of_their_bytes)
{
	struct tree t;

	tree_init(&t);
	tree_add(&t, "b;c", 1);
	tree_add(&t, "b.x", 2);
	tree_add(&t, "d;c", 4);
	tree_add(&t, "d.x;y", 8);
	tree_add(&t, "d", 16);
	tree_add(&t, "e", 32);
	tree_add(&t, "e;c", 64);
	expect(&t, LINES,
	       "( 127@0(b.x 2@0)(b 1@2(c 1@2))(d 16@3)(d.x 8@19(y 8@19))(d 4@27(c 4@27))"
	       "(e 96@31(c 64@63)))");
}

Test(view, in_order_only_equal_neighbours_are_joined)
{
	struct tree t;

	tree_init(&t);
	t.in.in_order = true;
	tree_add(&t, "z;b@1", 1);
	tree_add(&t, "z;b@2", 2);
	tree_add(&t, "a", 4);
	tree_add(&t, "z;b@1", 8);
	expect(&t, 0, "( 15@0(z 3@0(b 3@0))(a 4@3)(z 8@7(b 8@7)))");
}

Test(view, reversed_stacks_are_merged_from_their_leaves)
{
	struct tree t;

	tree_init(&t);
	tree_add(&t, "a;b;m", 1);
	tree_add(&t, "c;m", 2);
	tree_add(&t, "m", 4);
	tree_add(&t, "", 8);
	expect(&t, VIEW_REVERSED, "( 15@0(m 7@8(b 1@12(a 1@12))(c 2@13)))");
}

Test(view, frames_behind_a_separator_are_wakers)
{
	struct tree t;

	tree_init(&t);
	tree_add(&t, "a;--;w;-;x;--;y", 1);
	expect(&t, VIEW_CHAIN,
	       "( 1@0(a 1@0(-- 1@0(w_[w] 1@0(- 1@0(x_[w] 1@0(-- 1@0(y_[w] 1@0))))))))");
}

Test(view, a_stack_that_nothing_ends_at_is_not_there)
{
	const unsigned each[] = { 0, VIEW_BY_FUNCTION };

	for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
		struct tree t;

		tree_init(&t);
		tree_add(&t, "a;b", 1);
		tree_add(&t, "c;d;e", 0);
		expect(&t, each[i], "( 1@0(a 1@0(b 1@0)))");
	}
}

Test(view, a_stack_without_a_separator_gets_one)
{
	struct tree t;

	tree_init(&t);
	tree_add(&t, "a;b", 1);
	tree_add(&t, "a", 2);
	expect(&t, VIEW_CHAIN, "( 3@0(a 3@0(-- 2@0)(b 1@2(-- 1@2))))");
}

Test(view, a_separator_needs_something_on_both_sides)
{
	struct tree t;

	tree_init(&t);
	tree_add(&t, "--;a;--;--;b", 1);
	expect(&t, VIEW_CHAIN, "( 1@0(-- 1@0(a 1@0(-- 1@0(--_[w] 1@0(b_[w] 1@0))))))");
}

Test(view, the_column_before_goes_with_the_stacks)
{
	struct tree t;
	struct view view;

	tree_init(&t);
	tree_add_before(&t, "a;b@1", 3, 1);
	tree_add_before(&t, "a;b@2", 4, 1);
	tree_add_before(&t, "a;gone", 5, 0);
	cr_assert_eq(view_make(&t.ctx, &t.in, 0, &view), 0);
	cr_assert_eq(view.nodes.count, 4u);
	cr_assert_eq(view.values[COLUMN_BEFORE].of.count, 4u);
	cr_expect_eq(view.nodes.v[0].total, 2u);
	cr_expect_eq(view.values[COLUMN_BEFORE].of.v[0] +
			     view.values[COLUMN_BEFORE].of.v[1],
		     0u);
	cr_expect_eq(view.values[COLUMN_BEFORE].of.v[2], 7u);
	cr_expect_eq(view.values[COLUMN_BEFORE].of.v[3], 5u);
	cr_expect(view_has_stack(&view, 3));
	view_release(&view);
	tree_release(&t);
}

/* Copied whole, and where a node is left out. */
Test(view, by_function_columns_are_those_of_the_tree)
{
	static const uint64_t expected[] = { 9, 0, 3, 5 };

	for (int left_out = 0; left_out < 2; left_out++) {
		struct tree t;
		struct view view;

		tree_init(&t);
		tree_add_before(&t, "a;b@1", 3, 1);
		if (left_out)
			tree_add_before(&t, "a;none", 0, 0);
		tree_add_before(&t, "a;b@2", 5, 0);
		tree_column(&t, COLUMN_BEFORE)[0] = 9;
		cr_assert_eq(view_make(&t.ctx, &t.in, VIEW_BY_FUNCTION, &view), 0);
		cr_assert_eq(view.nodes.count, 4u);
		cr_assert_eq(t.named.nodes.count, 4u + left_out);
		cr_assert_eq(view.values[COLUMN_BEFORE].of.count, 4u);
		for (size_t i = 0; i < 4; i++)
			cr_expect_eq(view.values[COLUMN_BEFORE].of.v[i], expected[i],
				     "%zu, %d", i, left_out);
		view_release(&view);
		tree_release(&t);
	}
}

Test(view, a_walk_can_pass_over_what_is_below_a_node)
{
	struct tree t;
	struct view view;
	struct view_walk w = { 0 };

	tree_init(&t);
	tree_add(&t, "a;b", 3);
	tree_add(&t, "c", 4);
	cr_assert_eq(view_make(&t.ctx, &t.in, 0, &view), 0);
	cr_assert(view_next(&view, &w, VIEW_INTO));
	cr_assert(view_next(&view, &w, VIEW_OVER));
	cr_expect_str_eq(label_text(&view.labels, view.nodes.v[w.node].label), "c");
	cr_expect_eq(w.start, 3u);
	cr_expect_eq(w.depth, 1u);
	cr_expect_not(view_next(&view, &w, VIEW_INTO));
	view_release(&view);
	tree_release(&t);
}

Test(view, places_say_which_node_became_which)
{
	struct tree t;
	struct view view;
	uint32_t *places;

	tree_init(&t);
	tree_add(&t, "a;b;c", 0);
	tree_add(&t, "a;b@1", 3);
	tree_add(&t, "d;b", 0);
	tree_add(&t, "d;e", 4);
	tree_sum_up(&t);
	cr_assert_eq(view_make(&t.ctx, &t.in, VIEW_BY_FUNCTION, &view), 0);
	cr_assert_eq(view_places(&t.in, &places), 0);
	cr_assert_lt(view.nodes.count, t.named.nodes.count);
	for (uint32_t i = 1; i < t.named.nodes.count; i++) {
		const struct view_node *n = &view.nodes.v[places[i]];

		cr_assert_lt(places[i], view.nodes.count);
		/* With nothing in it: where it would be. */
		if (!t.named.totals[i]) {
			cr_expect_eq(places[i], places[t.named.nodes.v[i].parent]);
			continue;
		}
		cr_expect_eq(n->function, t.named.nodes.v[i].function);
		cr_expect_eq(n->total, t.named.totals[i]);
	}
	free(places);
	view_release(&view);
	tree_release(&t);
}
