#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit/write/tree.h"
#include "write/class_colours.h"
#include "write/ratio.h"

/* Leaves with 10 samples each: a has 1 instruction a cycle, b 0.25, c 4, d nothing at all. */
static struct tree tree;
static struct view view;
static struct ratio_scale scale;
static uint32_t column;

static void put(const char *stack, uint64_t weight, uint64_t other, uint64_t samples)
{
	uint32_t node;

	tree_add(&tree, stack, weight);
	node = (uint32_t)tree.named.nodes.count - 1;
	tree_column(&tree, column)[node] = other;
	tree_column(&tree, COLUMN_SAMPLES)[node] = samples;
}

static void begin(void)
{
	const struct column instructions = { .name = "instructions",
					     .unit = "instructions",
					     .makes_stacks = true };

	tree_init(&tree);
	cr_assert_eq(columns_add(&tree.columns, &instructions, &column), 0);
	tree.columns.ratio = (struct column_ratio){
		.name = "IPC", .of = column, .by = COLUMN_WEIGHT, .least = 5
	};
}

static void make(const char *unit)
{
	tree_sum_up(&tree);
	cr_assert_eq(view_make(&tree.ctx, &tree.in, VIEW_COLUMNS, &view), 0);
	cr_assert_eq(ratio_scale_make(&view, unit, &scale), 0);
}

static void end(void)
{
	ratio_scale_release(&scale);
	view_release(&view);
	tree_release(&tree);
}

static double of(const char *name)
{
	for (uint32_t i = 1; i < view.nodes.count; i++)
		if (strcmp(label_text(&view.labels, view.nodes.v[i].label), name) == 0)
			return scale.of_node[i];
	cr_assert(false, "no %s", name);
	return 0;
}

static void says(double value, const char *text)
{
	struct text t = { 0 };

	ratio_add(&t, &scale, value);
	cr_expect_str_eq(t.bytes, text);
	text_release(&t);
}

Test(ratio, is_of_what_a_frame_and_all_below_it_have, .init = begin, .fini = end)
{
	put("main;a", 100, 100, 10);
	put("main;b", 100, 25, 10);
	put("main;b;c", 100, 400, 10);
	put("main;d", 100, 0, 10);
	make("cycles");
	cr_expect_eq(of("a"), 1);
	cr_expect_eq(of("c"), 4);
	cr_expect_eq(of("b"), 425.0 / 200);
	cr_expect_eq(of("d"), 0);
	cr_expect_eq(of("main"), 525.0 / 400);
	cr_expect_eq(scale.middle, 525.0 / 400);
}

Test(ratio, is_not_known_of_few_samples_and_of_nothing, .init = begin, .fini = end)
{
	put("a", 100, 100, 5);
	put("b", 100, 100, 4);
	put("c", 0, 100, 9);
	make("cycles");
	cr_expect_eq(of("a"), 1);
	cr_expect(isnan(of("b")));
	/* No frame without weight is drawn, but what it has counts above it. */
	cr_expect(isnan(of("c")));
	cr_expect_eq(scale.of_node[0], 1.5);
	cr_expect_eq(ratio_class(&scale, of("b")), CLASS_UNNAMED);
}

Test(ratio, colours_go_from_the_20th_to_the_last_but_one, .init = begin, .fini = end)
{
	char name[8];

	/* 1 to 100, all of the same weight: 5 % have at most 5, 5 % more than 95. */
	for (uint64_t i = 1; i <= 100; i++) {
		snprintf(name, sizeof(name), "f%03d", (int)i);
		put(name, 100, 100 * i, 10);
	}
	make("cycles");
	cr_expect_eq(scale.low, 5);
	cr_expect_eq(scale.middle, 50.5);
	cr_expect_eq(scale.high, 95);
	cr_expect_eq(ratio_class(&scale, 1), CLASS_RATIO);
	cr_expect_eq(ratio_class(&scale, 5), CLASS_RATIO);
	cr_expect_eq(ratio_class(&scale, 50.5), CLASS_RATIO + CLASS_RATIOS / 2);
	cr_expect_eq(ratio_class(&scale, 95), CLASSES - 1);
	cr_expect_eq(ratio_class(&scale, 1e9), CLASSES - 1);
	cr_expect_eq(ratio_step(&scale, 0), 5);
	cr_expect_eq(ratio_step(&scale, 2), 50.5);
	cr_expect_eq(ratio_step(&scale, 3), 72.75);
	cr_expect_eq(ratio_step(&scale, 4), 95);
}

Test(ratio, where_all_is_alike_there_is_a_scale_all_the_same, .init = begin, .fini = end)
{
	put("a", 100, 200, 10);
	make("cycles");
	cr_expect_eq(ratio_class(&scale, 2), CLASS_RATIO + CLASS_RATIOS / 2);
	cr_expect_lt(scale.low, 2);
	cr_expect_gt(scale.high, 2);
}

Test(ratio, a_share_goes_from_0_to_1_whatever_there_is, .init = begin, .fini = end)
{
	tree.columns.ratio.is_share = true;
	tree.columns.ratio.least = 0;
	put("a", 100, 40, 1);
	put("b", 100, 50, 1);
	make("ns");
	cr_expect_eq(scale.low, 0);
	cr_expect_eq(scale.middle, 0.5);
	cr_expect_eq(scale.high, 1);
	cr_expect_eq(ratio_class(&scale, 1), CLASSES - 1);
	cr_expect_eq(ratio_class(&scale, 0), CLASS_RATIO);
	says(0.4, "40 %");
}

Test(ratio, weights_with_decimals_are_divided_in_their_unit, .init = begin, .fini = end)
{
	tree.named.decimals = 2;
	put("a", 100, 3, 10);
	make("cycles");
	cr_expect_eq(of("a"), 3);
}

Test(ratio, of_times_they_are_times_and_by_times_rates, .init = begin, .fini = end)
{
	put("a", 1000, 3, 10);
	make("ns");
	says(1.5e-6, "1.50 k/s");
	says(0, "0 /s");
	ratio_scale_release(&scale);
	tree.columns.ratio.of = COLUMN_WEIGHT;
	tree.columns.ratio.by = column;
	cr_assert_eq(ratio_scale_make(&view, "ns", &scale), 0);
	says(12345, "12.3 µs");
	says(999.6, "1.00 µs");
	ratio_scale_release(&scale);
	cr_assert_eq(ratio_scale_make(&view, "cycles", &scale), 0);
	says(1.423, "1.42");
	says(123.4, "123");
	says(12345, "12.3 k");
}
