#include "tree/label.h"

#include <criterion/criterion.h>

Test(label, equal_texts_are_one_label)
{
	struct labels l;
	uint32_t a, b, c;

	cr_assert_eq(labels_init(&l), 0);
	labels_add(&l, "foo", "_[k]", &a);
	labels_add(&l, "foo_[k]", "", &b);
	labels_add(&l, "foo", "", &c);
	cr_expect_eq(a, b);
	cr_expect_neq(a, c);
	cr_expect_str_eq(label_text(&l, a), "foo_[k]");
	labels_release(&l);
}

Test(label, what_would_break_a_folded_line_is_replaced)
{
	struct labels l;
	uint32_t label;

	cr_assert_eq(labels_init(&l), 0);
	labels_add(&l, "a;b\nc", "", &label);
	cr_expect_str_eq(label_text(&l, label), "a:b c");
	labels_release(&l);
}

Test(label, a_semicolon_takes_part_in_the_order)
{
	struct labels l;
	uint32_t b, part, colon, longer;

	cr_assert_eq(labels_init(&l), 0);
	labels_add(&l, "b<more_than_eight_bytes>", "", &longer);
	labels_add(&l, "b:", "", &colon);
	labels_add(&l, "b.part.0", "", &part);
	labels_add(&l, "b", "", &b);
	cr_assert_eq(labels_rank(&l), 0);
	cr_expect_lt(label_rank(&l, 0), label_rank(&l, b));
	cr_expect_lt(label_rank(&l, b), label_rank(&l, part));
	cr_expect_lt(label_rank(&l, part), label_rank_below(&l, part));
	cr_expect_lt(label_rank_below(&l, part), label_rank(&l, colon));
	cr_expect_lt(label_rank_below(&l, colon), label_rank_below(&l, b));
	cr_expect_lt(label_rank_below(&l, b), label_rank(&l, longer));
	labels_release(&l);
}
