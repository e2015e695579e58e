/* Sums by stack and piece of time, whoever meets which sample. */
#include "weight/time_blocks.h"

#include <criterion/criterion.h>

static struct time_blocks make(struct time_grid grid, struct budget *budget)
{
	return (struct time_blocks){ .grid = grid, .budget = budget };
}

static void add(struct time_blocks *b, uint64_t time, uint32_t node, uint64_t weight)
{
	cr_assert_eq(time_blocks_add(b, time, node, weight), 1);
}

static void expect_cell(const struct time_blocks *b, size_t i, struct block_cell expected)
{
	const struct block_cell *c = &b->cells.v[i];

	cr_assert_lt(i, b->cells.count);
	cr_expect_eq(c->node, expected.node);
	cr_expect_eq(c->block, expected.block, "%u", c->block);
	cr_expect_eq(c->weight, expected.weight);
	cr_expect(c->squares == expected.squares);
}

Test(time_blocks, a_known_time_is_cut_into_twenty)
{
	struct time_blocks b = make(time_grid_known(1000, 2999), NULL);

	add(&b, 1000, 7, 2);
	add(&b, 1099, 7, 3);
	add(&b, 1100, 7, 4);
	add(&b, 2999, 7, 5);
	/* What has no place in it is in the nearest one. */
	add(&b, 999, 7, 6);
	add(&b, UINT64_MAX, 7, 7);
	time_blocks_sort(&b, 10);
	cr_expect_eq(b.cells.count, 3);
	expect_cell(&b, 0, (struct block_cell){ 100 * (4 + 9 + 36), 110, 7, 0 });
	expect_cell(&b, 1, (struct block_cell){ 100 * 16, 40, 7, 1 });
	expect_cell(&b, 2, (struct block_cell){ 100 * (25 + 49), 120, 7, 19 });
	time_blocks_release(&b);
}

Test(time_blocks, no_time_has_no_pieces)
{
	struct time_blocks b = make(time_grid_known(5, 5), NULL);

	cr_expect_eq(time_blocks_add(&b, 5, 1, 1), 0);
	cr_expect_eq(b.cells.count, 0);
	time_blocks_release(&b);
}

Test(time_blocks, a_clock_that_jumps_makes_long_pieces)
{
	const uint64_t early = UINT64_C(1) << 50, late = UINT64_C(1) << 62;
	struct time_blocks one = make(time_grid_growing(), NULL), other = one, all = one;

	add(&all, early, 1, 2);
	add(&all, late, 1, 3);
	add(&one, late, 1, 3);
	add(&other, early, 1, 2);
	cr_assert_eq(time_blocks_merge(&one, &other, NULL), 0);
	time_blocks_sort(&all, 1);
	time_blocks_sort(&one, 1);
	expect_cell(&all, 0, (struct block_cell){ 4, 2, 1, 0 });
	expect_cell(&all, 1, (struct block_cell){ 9, 3, 1, 16 });
	expect_cell(&one, 0, (struct block_cell){ 4, 2, 1, 0 });
	cr_expect_eq(one.cells.count, 2);
	time_blocks_release(&all);
	time_blocks_release(&one);
	time_blocks_release(&other);
}

/* However long it goes on, and from whenever. */
Test(time_blocks, what_grows_has_no_more_pieces_than_thirty_two)
{
	for (unsigned bits = 10; bits < 63; bits += 13) {
		struct time_blocks b = make(time_grid_growing(), NULL);
		uint64_t begin = (UINT64_C(1) << bits) + 12345, sum = 0, used = 0;
		uint64_t step = bits < 40 ? 40000000 : UINT64_C(1) << (bits - 12);

		for (uint64_t i = 0; i < 3000; i++)
			add(&b, begin + i * step, 3, 1);
		time_blocks_sort(&b, 1);
		for (size_t i = 0; i < b.cells.count; i++) {
			sum += b.cells.v[i].weight;
			used += b.cells.v[i].block >= b.first &&
				b.cells.v[i].block <= b.last;
		}
		cr_expect_eq(sum, 3000);
		cr_expect_eq(used, b.cells.count);
		cr_expect(b.cells.count > 15 && b.cells.count <= TIME_BLOCKS_MOST,
			  "2^%u: %zu", bits, b.cells.count);
		cr_expect_eq(b.last - b.first + 1, b.cells.count);
		time_blocks_release(&b);
	}
}

/* Two workers, each with nodes of its own, are one. */
Test(time_blocks, who_meets_a_sample_changes_nothing)
{
	static const uint32_t map[] = { 5, 4, 3, 2, 1, 0 };

	for (int grows = 0; grows < 2; grows++) {
		struct time_grid grid = grows ? time_grid_growing()
					      : time_grid_known(0, UINT64_C(1) << 33);
		struct time_blocks all = make(grid, NULL), one = all, two = all;

		for (uint64_t i = 0; i < 5000; i++) {
			uint64_t time = i * i * 300, weight = i % 7 + (i << 30);

			add(&all, time, i % 6, weight);
			if (i % 3 && i < 4000)
				add(&one, time, i % 6, weight);
			else
				add(&two, time, 5 - i % 6, weight);
		}
		cr_assert_eq(time_blocks_merge(&one, &two, map), 0);
		time_blocks_sort(&all, 1);
		time_blocks_sort(&one, 1);
		cr_expect_eq(one.cells.count, all.cells.count);
		cr_expect_eq(one.grid.width, all.grid.width);
		for (size_t i = 0; i < all.cells.count; i++)
			expect_cell(&one, i, all.cells.v[i]);
		time_blocks_release(&all);
		time_blocks_release(&one);
		time_blocks_release(&two);
	}
}

Test(time_blocks, what_is_in_no_tree_goes_and_nodes_that_are_one_are_joined)
{
	static const uint32_t map[] = { 0, 1, 1, TIME_BLOCKS_NOWHERE };
	struct time_blocks b = make(time_grid_known(0, 100), NULL);

	for (uint32_t node = 1; node < 4; node++)
		add(&b, 50, node, node);
	cr_assert_eq(time_blocks_remap(&b, map), 0);
	cr_expect_eq(b.cells.count, 1);
	expect_cell(&b, 0, (struct block_cell){ 5, 3, 1, 8 });
	time_blocks_release(&b);
}

/* Nodes and pieces come in any order, some of them again. */
Test(time_blocks, cells_are_in_order_whoever_came_first)
{
	enum { NODES = 5, STEPS = 3 * NODES * TIME_BLOCKS };
	struct time_blocks b = make(time_grid_known(0, TIME_BLOCKS * 10 - 1), NULL);

	for (uint32_t i = 0; i < STEPS; i++) {
		uint32_t at = i * 37 % (NODES * TIME_BLOCKS);

		add(&b, at % TIME_BLOCKS * 10, at / TIME_BLOCKS, 1 + at);
	}
	cr_assert_eq(time_blocks_sort(&b, 1), 0);
	cr_assert_eq(b.cells.count, NODES * TIME_BLOCKS);
	for (uint32_t at = 0; at < NODES * TIME_BLOCKS; at++)
		expect_cell(&b, at,
			    (struct block_cell){ 3 * (1 + at) * (1 + at), 3 * (1 + at),
						 at / TIME_BLOCKS, at % TIME_BLOCKS });
	time_blocks_release(&b);
}

Test(time_blocks, pieces_of_two_inputs_tell_nothing)
{
	struct time_blocks b = make(time_grid_known(0, 100), NULL),
			   other = make(time_grid_known(1000, 1100), NULL);

	add(&b, 50, 1, 1);
	add(&other, 1050, 1, 1);
	cr_assert_eq(time_blocks_merge(&b, &other, NULL), 0);
	cr_expect(b.refused);
	cr_expect_eq(time_blocks_add(&b, 50, 1, 1), 0);
	time_blocks_release(&b);
	time_blocks_release(&other);
}

Test(time_blocks, cells_are_kept_as_long_as_the_budget_has_memory)
{
	enum { MOST = 1 << 20 };
	struct budget budget;
	struct time_blocks b = make(time_grid_known(0, 100), &budget);
	uint32_t node = 0;

	budget_init(&budget, MOST);
	while (time_blocks_add(&b, 50, node, 1) > 0)
		node++;
	cr_expect(b.refused);
	cr_expect_gt(node, 1000);
	cr_expect_leq(node * sizeof(struct block_cell), MOST);
	time_blocks_release(&b);
}
