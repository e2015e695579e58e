/* Two sides in one tree, their scale, and the rows that explain what changed. */
#include <criterion/criterion.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit/diff/sides.h"

static void compare(struct difference *d, const char *a, const char *b,
		    enum diff_normalize normalize)
{
	cr_assert_eq(difference_init(d), 0);
	add_text_side(d, DIFF_A, a);
	add_text_side(d, DIFF_B, b);
	finish(d, normalize);
}

static void expect_rows(const struct difference *d, const char *expected)
{
	char *rows = rows_of(d);

	cr_expect_str_eq(rows, expected);
	free(rows);
}

static double points_of(const struct difference *d, const char *path)
{
	uint32_t node = node_of_path(d, path);

	cr_assert_neq(node, UINT32_MAX, "%s", path);
	return 100 * difference_measure(d, node).delta;
}

static bool has_changed(const struct difference *d, const char *path)
{
	return difference_is_significant(d, node_of_path(d, path));
}

#define USUAL                                                                            \
	"main;parse 3000\nmain;read 2000\nmain;write 2000\nmain;sort 2000\nidle 1000\n"

Test(difference, a_profile_is_the_same_as_itself)
{
	struct difference d;

	compare(&d, USUAL, USUAL, DIFF_SHARE);
	cr_expect_eq(d.significant, 0);
	cr_expect_eq(d.distance, 0);
	expect_rows(&d, "");
	difference_release(&d);
}

Test(difference, of_another_length_it_is_the_same)
{
	struct difference d;

	compare(&d, USUAL,
		"main;parse 9000\nmain;read 6000\nmain;write 6000\nmain;sort 6000\nidle "
		"3000\n",
		DIFF_SHARE);
	cr_expect_eq(d.significant, 0);
	cr_expect(d.distance < 1e-12);
	cr_expect(fabs(d.scale - 3) < 1e-12);
	difference_release(&d);
	compare(&d, USUAL,
		"main;parse 1110\nmain;read 740\nmain;write 740\nmain;sort 740\nidle "
		"370\n",
		DIFF_SHARE);
	cr_expect_eq(d.significant, 0);
	cr_expect(d.distance < 1e-12);
	difference_release(&d);
}

/* Sums of numbers beyond 2^53 depend on their order: "main" is all of either side, and more or less. */
Test(difference, large_numbers_of_another_length_are_the_same)
{
	static const uint64_t leaves[] = {
		4098762113345671, 9133420981234577, 1209348230498233, 7723409827340923,
		8234098234098231, 3340928340982347, 5540928340982341, 9940928340982343,
	};

	for (unsigned factor = 2; factor < 40; factor++) {
		struct text a = { 0 }, b = { 0 };
		struct difference d;

		for (size_t i = 0; i < sizeof(leaves) / sizeof(*leaves); i++) {
			text_printf(&a, "main;f%zu %lu\n", i, leaves[i]);
			text_printf(&b, "main;f%zu %lu\n", i, leaves[i] * factor);
		}
		compare(&d, a.bytes, b.bytes, DIFF_SHARE);
		cr_expect_eq(d.significant, 0, "%u", factor);
		for (size_t i = 0; i < d.named.nodes.count; i++)
			cr_expect(difference_measure(&d, i).error >= 0, "%u", factor);
		difference_release(&d);
		text_release(&a);
		text_release(&b);
	}
}

/* Tools that keep lines apart have counted what a function does by itself once for each of them. */
Test(difference, lines_of_a_function_are_one)
{
	struct diff_options options = { 0 };
	struct context ctx = { 0 };
	const struct diff_value *work;
	struct difference d;

	cr_assert_eq(difference_init(&d), 0);
	for (int side = 0; side < DIFF_SIDES; side++) {
		struct tree t;
		struct diff_input input = { .in = &t.in, .path = "lines" };

		tree_init(&t);
		/* Two functions of one name and module, declared at different lines of two builds. */
		tree_add(&t, "main;work", 600);
		tree_add(&t, "main;rest", 400);
		for (size_t i = 0; i < t.symbols.functions.count; i++)
			t.symbols.functions.v[i].line = (uint32_t)(10 * i + side + 1);
		tree_sum_up(&t);
		cr_assert_eq(difference_add(&d, (enum diff_side)side, &input), 0);
		tree_release(&t);
	}
	cr_assert_eq(difference_finish(&ctx, &d, &options), 0);
	cr_expect_eq(d.named.nodes.count, 4);
	cr_expect_eq(d.significant, 0);
	work = difference_value(&d, node_of_path(&d, "main;work"));
	cr_expect_eq(work->self[DIFF_A], 600);
	cr_expect_eq(work->self[DIFF_B], 600);
	/* Two stacks end somewhere, so there are values of two. */
	cr_expect_eq(d.values.count, 1 + 2);
	cr_expect_eq(difference_value(&d, node_of_path(&d, "main"))->self[DIFF_A], 0);
	difference_release(&d);
}

Test(difference, swapped_sides_negate_it_exactly)
{
	static const char a[] = "main;parse 3001\nmain;read 2000\nmain;old 77\nidle 13\n";
	static const char b[] =
		"main;parse 999\nmain;read 2777\nmain;fresh 3\nidle 131\n";
	struct difference d, swapped;

	compare(&d, a, b, DIFF_SHARE);
	compare(&swapped, b, a, DIFF_SHARE);
	cr_assert_eq(d.named.nodes.count, swapped.named.nodes.count);
	for (size_t i = 0; i < d.named.nodes.count; i++) {
		cr_expect_eq(difference_measure(&d, i).delta,
			     -difference_measure(&swapped, i).delta);
		cr_expect_eq(difference_measure(&d, i).q,
			     difference_measure(&swapped, i).q);
	}
	difference_release(&d);
	difference_release(&swapped);
}

Test(difference, the_deepest_frame_that_explains_it_is_told)
{
	struct difference d;

	compare(&d, "main;run;parse;lex 1000\nmain;run;parse 500\nmain;run;emit 8500\n",
		"main;run;parse;lex 1500\nmain;run;parse 500\nmain;run;emit 8500\n",
		DIFF_NONE);
	expect_rows(&d, "changed main;run;parse;lex +4.8\n");
	cr_expect(has_changed(&d, "main;run;parse"));
	difference_release(&d);
}

Test(difference, paths_of_one_side_are_new_and_gone)
{
	struct difference d;

	compare(&d, "main;old 400\nmain;rest 9600\n", "main;fresh 1000\nmain;rest 9000\n",
		DIFF_SHARE);
	expect_rows(&d, "new main;fresh +10.0\n"
			"changed main;rest -6.0\n"
			"gone main;old -4.0\n");
	difference_release(&d);
}

static uint64_t regressions(const struct difference *d, double points)
{
	uint64_t found = UINT64_MAX;

	cr_assert_eq(difference_regressions(d, points, &found), 0);
	return found;
}

Test(difference, what_has_another_caller_has_moved)
{
	struct difference d;

	compare(&d, "main;old;work 2000\nmain;rest 8000\n",
		"main;fresh;work 2010\nmain;rest 8000\n", DIFF_SHARE);
	expect_rows(&d, "moved main;fresh;work +20.1 from main;old;work\n");
	/* So it is no regression, and its new caller is none. */
	cr_expect_eq(regressions(&d, 1), 0);
	difference_release(&d);
}

Test(difference, a_regression_is_one_beyond_the_limit)
{
	struct difference d;

	compare(&d, "main;work 2000\nmain;rest 8000\n",
		"main;work 2500\nmain;rest 8000\n", DIFF_NONE);
	cr_expect_gt(regressions(&d, 1), 0);
	cr_expect_eq(regressions(&d, 10), 0);
	difference_release(&d);
	/* Less is none. */
	compare(&d, "main;work 2500\nmain;rest 8000\n",
		"main;work 2000\nmain;rest 8000\n", DIFF_NONE);
	cr_expect_eq(regressions(&d, 1), 0);
	difference_release(&d);
}

Test(difference, without_memory_there_is_no_verdict)
{
	struct difference d;
	uint64_t found;
	size_t functions;

	compare(&d, "main;work 2000\nmain;rest 8000\n",
		"main;work 2500\nmain;rest 8000\n", DIFF_NONE);
	functions = d.symbols.functions.count;
	/* No machine has as much. */
	d.symbols.functions.count = SIZE_MAX / 64;
	cr_expect_eq(difference_regressions(&d, 1, &found), -ENOMEM);
	d.symbols.functions.count = functions;
	cr_expect_gt(regressions(&d, 1), 0);
	difference_release(&d);
}

#define FIVE "main;b 1500\nmain;c 1500\nmain;d 1500\nmain;e 1500\n"

Test(difference, robust_colours_alone_what_got_faster)
{
	struct difference d;

	compare(&d, "main;a 4000\n" FIVE, "main;a 2000\n" FIVE, DIFF_ROBUST);
	cr_expect_eq(d.scale, 1);
	expect_rows(&d, "changed main;a -25.0\n");
	for (const char *const *p = (const char *const[]){ "main;b", "main;c", "main;d",
							   "main;e", NULL };
	     *p; p++)
		cr_expect(!has_changed(&d, *p), "%s", *p);
	difference_release(&d);
	/* Shares make all the others look slower. */
	compare(&d, "main;a 4000\n" FIVE, "main;a 2000\n" FIVE, DIFF_SHARE);
	for (const char *const *p = (const char *const[]){ "main;b", "main;c", "main;d",
							   "main;e", NULL };
	     *p; p++)
		cr_expect(has_changed(&d, *p) && points_of(&d, *p) > 3, "%s", *p);
	difference_release(&d);
}

Test(difference, robust_is_share_where_nothing_says_another_scale)
{
	struct difference d;

	compare(&d, "main;a 10\nmain;b 10\n", "main;a 20\nmain;b 20\n", DIFF_ROBUST);
	cr_expect(d.fell_back);
	cr_expect_eq(d.scale, 2);
	difference_release(&d);
}

Test(difference, an_anchor_has_not_changed)
{
	struct diff_options options = { .normalize = DIFF_ANCHOR, .anchor = "b" };
	struct context ctx = { 0 };
	struct difference d;

	cr_assert_eq(difference_init(&d), 0);
	/* Recursion counts once. */
	add_text_side(&d, DIFF_A, "main;a 1000\nmain;b;b 500\nmain;b 500\n");
	add_text_side(&d, DIFF_B, "main;a 1000\nmain;b;b 1000\nmain;b 1000\n");
	cr_assert_eq(difference_finish(&ctx, &d, &options), 0);
	cr_expect_eq(d.scale, 2);
	cr_expect_eq(points_of(&d, "main;b"), 0);
	difference_release(&d);
	cr_assert_eq(difference_init(&d), 0);
	add_text_side(&d, DIFF_A, "main;a 1000\n");
	add_text_side(&d, DIFF_B, "main;a 1000\nmain;b 1000\n");
	cr_expect_eq(difference_finish(&ctx, &d, &options), -EINVAL);
	cr_expect_str_eq(ctx.error, "cannot compare by 'b': it is not in 'text'");
	difference_release(&d);
}

Test(difference, units_of_work_are_divided_by)
{
	struct diff_options options = { .normalize = DIFF_PER, .per = { 100, 50 } };
	struct context ctx = { 0 };
	struct difference d;

	cr_assert_eq(difference_init(&d), 0);
	add_text_side(&d, DIFF_A, "main;a 1000\n");
	add_text_side(&d, DIFF_B, "main;a 500\n");
	cr_assert_eq(difference_finish(&ctx, &d, &options), 0);
	cr_expect_eq(d.scale, 0.5);
	cr_expect_eq(d.significant, 0);
	difference_release(&d);
}

Test(difference, time_needs_times)
{
	struct diff_options options = { .normalize = DIFF_TIME };
	struct context ctx = { 0 };
	struct difference d;

	cr_assert_eq(difference_init(&d), 0);
	add_text_side(&d, DIFF_A, "main;a 1000\n");
	add_text_side(&d, DIFF_B, "main;a 500\n");
	cr_expect_eq(difference_finish(&ctx, &d, &options), -EINVAL);
	difference_release(&d);
}

/* python/cpython#154032: two rates made unchanged code look 90 % faster. */
Test(difference, two_rates_of_one_loop_are_the_same)
{
	struct program slow = { .stacks = { "main;a", "main;b", "main;c" },
				.shares = { 5, 3, 2 },
				.count = 3,
				.burst = 1,
				.samples = 990 };
	struct program fast = slow;
	struct difference d;

	fast.samples = 9970;
	cr_assert_eq(difference_init(&d), 0);
	record_side(&d, DIFF_A, &slow, 1, true);
	record_side(&d, DIFF_B, &fast, 2, true);
	finish(&d, DIFF_SHARE);
	cr_expect_eq(d.significant, 0);
	difference_release(&d);
}

/* python/cpython#154062: who compares whole runs on one machine wants the absolute win. */
Test(difference, a_win_of_all_code_is_seen_as_it_is)
{
	struct difference d;

	compare(&d, "main;a 4000\nmain;b 4000\n", "main;a 2000\nmain;b 2000\n",
		DIFF_NONE);
	cr_expect(points_of(&d, "main") < -99);
	cr_expect(has_changed(&d, "main"));
	difference_release(&d);
	compare(&d, "main;a 4000\nmain;b 4000\n", "main;a 2000\nmain;b 2000\n",
		DIFF_SHARE);
	cr_expect_eq(d.significant, 0);
	difference_release(&d);
}

/* More than a word has bits; two of three have too few samples. */
Test(difference, a_test_is_found_by_its_node)
{
	struct difference d;
	struct text t = { 0 };
	uint32_t found = 0;

	for (unsigned i = 0; i < 300; i++)
		text_printf(&t, "main;f%u;g%u %d\n", i % 10, i, i % 3 ? 1 : 100);
	compare(&d, t.bytes, t.bytes, DIFF_SHARE);
	cr_expect_eq(d.tests.count, 1 + 1 + 10 + 100);
	for (uint32_t i = 0; i < d.named.nodes.count; i++) {
		uint32_t test = difference_test_of(&d, i);

		if (test == DIFF_UNTESTED)
			continue;
		cr_assert_eq(test, found++);
		cr_expect_eq(d.tests.v[test].node, i);
		cr_expect_eq(d.tests.v[d.tests.v[test].caller].node,
			     d.named.nodes.v[i].parent);
	}
	cr_expect_eq(found, d.tests.count);
	text_release(&t);
	difference_release(&d);
}

/* elastic/kibana#138498: no sample and one are no difference. */
Test(difference, one_sample_is_nothing)
{
	struct diff_measure once;
	struct difference d;

	compare(&d, USUAL, USUAL "main;once 1\n", DIFF_SHARE);
	cr_expect_eq(d.significant, 0);
	once = difference_measure(&d, node_of_path(&d, "main;once"));
	cr_expect_eq(once.q, 1);
	cr_expect_float_eq(once.critical, 1.96, 0.001);
	cr_expect(once.a == 0 && once.delta == once.b && once.error > 0);
	difference_release(&d);
}

/* grafana/pyroscope#537: NaN % where a side is empty. */
Test(difference, an_empty_side_makes_all_new_and_nothing_undefined)
{
	struct difference d;

	compare(&d, "a 0\n", USUAL, DIFF_SHARE);
	for (size_t i = 0; i < d.named.nodes.count; i++)
		cr_expect(isfinite(difference_measure(&d, i).delta) &&
			  isfinite(difference_measure(&d, i).q));
	cr_expect(isfinite(d.distance) && isfinite(d.scale));
	difference_release(&d);
	compare(&d, USUAL, "a 0\n", DIFF_SHARE);
	for (size_t i = 0; i < d.named.nodes.count; i++)
		cr_expect(isfinite(difference_measure(&d, i).delta) &&
			  isfinite(difference_measure(&d, i).q));
	difference_release(&d);
	compare(&d, "a 0\n", "b 0\n", DIFF_ROBUST);
	cr_expect_eq(d.significant, 0);
	cr_expect(isfinite(d.distance) && isfinite(d.scale));
	difference_release(&d);
}

Test(difference, a_side_of_several_inputs_tells_the_noise_by_them)
{
	struct difference d;

	/* Runs differ by a fifth: so do the sides. */
	cr_assert_eq(difference_init(&d), 0);
	add_text_side(&d, DIFF_A, "main;a 4000\nmain;b 6000\n");
	add_text_side(&d, DIFF_A, "main;a 5000\nmain;b 5000\n");
	add_text_side(&d, DIFF_A, "main;a 4400\nmain;b 5600\n");
	add_text_side(&d, DIFF_B, "main;a 5200\nmain;b 4800\n");
	add_text_side(&d, DIFF_B, "main;a 4300\nmain;b 5700\n");
	add_text_side(&d, DIFF_B, "main;a 4900\nmain;b 5100\n");
	finish(&d, DIFF_SHARE);
	cr_expect(d.total[DIFF_A].are_files);
	cr_expect_eq(d.total[DIFF_A].blocks, 3);
	cr_expect_gt(d.total[DIFF_A].phi, 10);
	cr_expect_eq(d.significant, 0);
	difference_release(&d);
	/* As if all were one, it would be something. */
	compare(&d, "main;a 13400\nmain;b 16600\n", "main;a 14400\nmain;b 15600\n",
		DIFF_SHARE);
	cr_expect_gt(d.significant, 0);
	difference_release(&d);
}

Test(difference, two_builds_of_a_program_may_have_two_names)
{
	struct difference d;

	compare(&d, "old;main@1;work@1 5000\nold;main@1;rest@1 5000\nsh;x 100\n",
		"new;main@2;work@2 6000\nnew;main@2;rest@2 5000\nsh;x 100\n", DIFF_NONE);
	expect_rows(&d, "changed new;main;work +9.0\n");
	cr_expect_eq(d.matched[MATCH_PROGRAM], 4);
	difference_release(&d);
}

Test(difference, small_processes_of_other_names_are_others)
{
	struct difference d;

	compare(&d, "main;a 9000\nidle;x 1000\n", "main;a 9000\nbusy;x 1000\n",
		DIFF_SHARE);
	expect_rows(&d, "moved busy;x +10.0 from idle;x\n");
	difference_release(&d);
}

/* Of intervals that were blocked one may be as long as all others. */
Test(difference, a_few_heavy_samples_count_as_few)
{
	struct block_cell even = { .squares = 4 * 25 * 25, .weight = 100, .node = 1 };
	struct block_cell uneven = { .squares = 97 * 97 + 3, .weight = 100, .node = 1 };
	struct time_blocks blocks = { .grid = time_grid_known(0, 5),
				      .cells = { &even, 1, 1 } };
	struct difference d;
	struct tree t;
	struct diff_input input = { .in = &t.in,
				    .has_samples = true,
				    .blocks = &blocks,
				    .last = 5,
				    .path = "recording" };

	tree_init(&t);
	tree_add(&t, "f", 100);
	t.named.values[COLUMN_SAMPLES][1] = 4;
	tree_sum_up(&t);
	cr_assert_eq(difference_init(&d), 0);
	cr_assert_eq(difference_add(&d, DIFF_A, &input), 0);
	blocks.cells.v = &uneven;
	cr_assert_eq(difference_add(&d, DIFF_B, &input), 0);
	cr_expect_eq(d.total[DIFF_A].squares, 2500);
	cr_expect_eq(d.total[DIFF_B].squares, 97 * 97 + 3);
	/* One more than cells have numbers for. */
	d.inputs = UINT16_MAX + 1;
	cr_expect_eq(difference_add(&d, DIFF_B, &input), -E2BIG);
	difference_release(&d);
	tree_release(&t);
}

Test(difference, functions_of_one_name_in_two_modules_stay_apart)
{
	struct difference d;

	compare(&d, "main;f@1 1000\nmain;f@2 1000\n", "main;f@1 1000\nmain;f@2 1000\n",
		DIFF_SHARE);
	cr_expect_eq(d.named.nodes.count, 4);
	cr_expect_eq(d.matched[MATCH_EXACT], 3);
	difference_release(&d);
}

Test(difference, a_path_of_100000_frames_is_compared)
{
	struct context ctx = { 0 };
	struct diff_options options = { 0 };
	enum { DEEP = 100000 };
	struct difference d;
	struct tree t;
	struct diff_input input = { .in = &t.in, .path = "deep" };

	tree_init(&t);
	tree_add(&t, "f", 0);
	/* Below each other, which tree_add() would take minutes for. */
	for (uint32_t i = 2; i <= DEEP; i++)
		*array_add(&t.named.nodes) = (struct named_node){ 0, i - 1, DEEP + 1 };
	for (uint32_t i = 0; i <= DEEP; i++)
		t.named.nodes.v[i].end = DEEP + 1;
	free(t.named.values[COLUMN_WEIGHT]);
	free(t.named.values[COLUMN_SAMPLES]);
	t.named.values[COLUMN_WEIGHT] = calloc(DEEP + 1, sizeof(uint64_t));
	t.named.values[COLUMN_SAMPLES] = calloc(DEEP + 1, sizeof(uint64_t));
	t.named.values[COLUMN_WEIGHT][DEEP] = 1000;
	free(t.named.totals);
	t.named.totals = calloc(DEEP + 1, sizeof(uint64_t));
	for (uint32_t i = 0; i <= DEEP; i++)
		t.named.totals[i] = 1000;
	cr_assert_eq(difference_init(&d), 0);
	cr_assert_eq(difference_add(&d, DIFF_A, &input), 0);
	cr_assert_eq(difference_add(&d, DIFF_B, &input), 0);
	cr_assert_eq(difference_finish(&ctx, &d, &options), 0);
	cr_expect_eq(d.named.nodes.count, DEEP + 1);
	cr_expect_eq(d.significant, 0);
	difference_release(&d);
	tree_release(&t);
}
