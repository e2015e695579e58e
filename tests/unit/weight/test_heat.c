/* Cells of time: what is added in any order, by any number, is the same. */
#include <criterion/criterion.h>

#include "weight/heat.h"

static const uint64_t first = 1000000000, second = 5;

static void add(struct heat *h, uint32_t node, uint64_t from, uint64_t until,
		uint64_t weight)
{
	cr_assert_eq(heat_add(h, node, &(struct heat_span){ from, until, weight, 1 }), 0);
}

static void expect_cell(const struct heat *h, size_t at, const struct heat_cell *is)
{
	cr_assert_lt(at, h->cells.count);
	cr_expect_eq(h->cells.v[at].cell, is->cell);
	cr_expect_eq(h->cells.v[at].node, is->node);
	cr_expect_eq(h->cells.v[at].weight, is->weight);
	cr_expect_eq(h->cells.v[at].samples, is->samples);
}

Test(heat, samples_of_a_cell_and_a_node_add_up)
{
	struct heat h = heat_of(&first, 0, NULL);

	add(&h, 2, first + 45000000, first + 45000000, 7);
	add(&h, 1, first, first, 3);
	add(&h, 2, first + 59999999, first + 59999999, 5);
	add(&h, 2, first - 5, first - 5, 1);
	heat_finish(&h);
	cr_assert_eq(h.cells.count, 3);
	expect_cell(&h, 0, &(struct heat_cell){ 3, 0, 1, 1 });
	expect_cell(&h, 1, &(struct heat_cell){ 1, 0, 2, 1 });
	expect_cell(&h, 2, &(struct heat_cell){ 12, 2, 2, 2 });
	heat_release(&h);
}

/* The order is by cell, then node, whatever numbers they are. */
Test(heat, large_numbers_of_nodes_and_cells_are_put_in_order)
{
	static const uint32_t nodes[] = { UINT32_MAX - 1, 0, 1 << 31, 70000, 3 };
	struct heat h = heat_of(&first, HEAT_WIDTH_LEAST, NULL);
	const uint64_t last = UINT32_MAX - UINT64_C(1);

	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < 5; i++) {
			uint64_t cell = i % 2 ? last - i : i,
				 at = first + cell * HEAT_WIDTH_LEAST;

			add(&h, nodes[i], at, at, 1);
			add(&h, nodes[4 - i], at, at, 1);
		}
	heat_finish(&h);
	cr_assert_eq(h.cells.count, 9);
	for (size_t i = 1; i < h.cells.count; i++) {
		struct heat_cell a = h.cells.v[i - 1], b = h.cells.v[i];

		cr_expect(a.cell < b.cell || (a.cell == b.cell && a.node < b.node), "%zu",
			  i);
	}
	expect_cell(&h, 0, &(struct heat_cell){ 2, 0, 3, 2 });
	expect_cell(&h, 1, &(struct heat_cell){ 2, 0, UINT32_MAX - 1, 2 });
	expect_cell(&h, 2, &(struct heat_cell){ 4, 2, 1u << 31, 4 });
	expect_cell(&h, 8, &(struct heat_cell){ 2, (uint32_t)last - 1, 70000, 2 });
	heat_release(&h);
}

/* No part of it is lost by rounding, and the end of a span is no part of it. */
Test(heat, a_span_is_spread_over_its_cells)
{
	struct heat h = heat_of(&first, 0, NULL);

	add(&h, 1, first + 10000000, first + 60000000, 100);
	heat_finish(&h);
	cr_assert_eq(h.cells.count, 3);
	expect_cell(&h, 0, &(struct heat_cell){ 20, 0, 1, 0 });
	expect_cell(&h, 1, &(struct heat_cell){ 40, 1, 1, 0 });
	expect_cell(&h, 2, &(struct heat_cell){ 40, 2, 1, 1 });
	heat_release(&h);
}

/* Cells are as wide as all of it needs, whichever part was seen by whom. */
Test(heat, more_than_there_is_room_for_makes_cells_wider)
{
	enum { NODES = 4, CELLS = HEAT_MOST / NODES + 10 };
	struct heat one = heat_of(&first, 0, NULL), a = one, b = one;

	for (uint32_t i = 0; i < CELLS * NODES; i++) {
		uint64_t at = first + (uint64_t)(i / NODES) * HEAT_WIDTH_LEAST;

		add(&one, i % NODES, at, at, 1);
		add(i % 3 ? &a : &b, i % NODES, at, at, 1);
	}
	heat_finish(&one);
	cr_expect_eq(one.width, 100000000);
	cr_expect_eq(a.width, HEAT_WIDTH_LEAST);
	cr_assert_eq(heat_merge(&a, &b, NULL), 0);
	heat_finish(&a);
	cr_expect_eq(a.width, one.width);
	cr_assert_eq(a.cells.count, one.cells.count);
	cr_expect_eq(
		memcmp(a.cells.v, one.cells.v, one.cells.count * sizeof(*one.cells.v)),
		0);
	heat_release(&one);
	heat_release(&a);
	heat_release(&b);
}

/* Stacks of one name have become one, and then there would have been room. */
Test(heat, stacks_that_are_joined_leave_cells_as_wide_as_they_had_to_be)
{
	enum { CELLS = HEAT_MOST * 3 / 4 };
	static const uint32_t map[] = { 0, 1, 1 };
	struct heat one = heat_of(&first, 0, NULL), a = one, b = one;

	for (uint32_t i = 0; i < 2 * CELLS; i++) {
		uint64_t at = first + (uint64_t)(i / 2) * HEAT_WIDTH_LEAST;

		add(&one, 1 + i % 2, at, at, 1);
		add(i % 2 ? &a : &b, 1 + i % 2, at, at, 1);
	}
	cr_assert_eq(heat_merge(&a, &b, NULL), 0);
	cr_assert_eq(heat_remap(&one, map), 0);
	cr_assert_eq(heat_remap(&a, map), 0);
	cr_expect_eq(one.width, 100000000);
	cr_expect_eq(a.width, one.width);
	cr_assert_eq(a.cells.count, one.cells.count);
	cr_expect_eq(memcmp(a.cells.v, one.cells.v, a.cells.count * sizeof(*a.cells.v)),
		     0);
	heat_release(&one);
	heat_release(&a);
	heat_release(&b);
}

/* A cell that became wider while something was added is where it was. */
Test(heat, cells_become_wider_while_more_comes)
{
	enum { NODES = 3, CELLS = 3 * HEAT_MOST / NODES };
	struct heat all = heat_of(&first, 0, NULL), a = all, b = all;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < CELLS * NODES; i++) {
		uint64_t at = first + (uint64_t)(i / NODES) * HEAT_WIDTH_LEAST;

		add(&all, i % NODES, at, at, 1);
		add(i < CELLS ? &a : &b, i % NODES, at, at, 1);
	}
	cr_assert_eq(heat_merge(&a, &b, NULL), 0);
	heat_finish(&all);
	heat_finish(&a);
	cr_expect_eq(all.width, 100000000);
	for (size_t i = 0; i < all.cells.count; i++) {
		cr_assert_eq(all.cells.v[i].cell, i / NODES);
		sum += all.cells.v[i].weight;
		cr_assert_leq(all.cells.v[i].weight, 5);
	}
	cr_expect_eq(sum, CELLS * NODES);
	cr_assert_eq(a.cells.count, all.cells.count);
	cr_expect_eq(memcmp(a.cells.v, all.cells.v, all.cells.count * sizeof(*a.cells.v)),
		     0);
	heat_release(&all);
	heat_release(&a);
	heat_release(&b);
}

Test(heat, a_span_goes_on_in_cells_that_became_wider)
{
	enum { CELLS = HEAT_MOST - 10 };
	struct heat h = heat_of(&first, 0, NULL);
	uint64_t end = first + CELLS * HEAT_WIDTH_LEAST;

	for (uint32_t node = 0; node < 3; node++)
		add(&h, node, first, end, CELLS);
	heat_finish(&h);
	cr_expect_eq(h.width, 100000000);
	cr_assert_eq(h.cells.count, 3 * ((CELLS + 4) / 5));
	for (size_t i = 0; i + 3 < h.cells.count; i++) {
		cr_assert_eq(h.cells.v[i].cell, i / 3);
		cr_assert_eq(h.cells.v[i].weight, 5);
	}
	heat_release(&h);
}

/* No width makes fewer of these. */
Test(heat, more_stacks_than_there_is_room_for_are_in_one_cell)
{
	struct heat h = heat_of(&first, 0, NULL);

	for (uint32_t i = 0; i < HEAT_MOST + 10; i++) {
		uint64_t at = first + ((uint64_t)(i % 2) << 60);

		add(&h, i, at, at, 1);
	}
	heat_finish(&h);
	cr_assert_eq(h.cells.count, HEAT_MOST + 10);
	cr_expect_eq(array_last(&h.cells)->cell, 0);
	heat_release(&h);
}

/* A few bytes for a day: most cells have none of them. */
Test(heat, little_weight_is_where_it_belongs_in_a_long_span)
{
	const uint64_t second_ = 1000000000;
	struct heat h = heat_of(&first, second_, NULL);

	add(&h, 1, first, first + 10 * second_, 3);
	add(&h, 2, first, first + 10 * second_, 0);
	heat_finish(&h);
	cr_assert_eq(h.cells.count, 4);
	expect_cell(&h, 0, &(struct heat_cell){ 1, 3, 1, 0 });
	expect_cell(&h, 1, &(struct heat_cell){ 1, 6, 1, 0 });
	expect_cell(&h, 2, &(struct heat_cell){ 1, 9, 1, 1 });
	expect_cell(&h, 3, &(struct heat_cell){ 0, 9, 2, 1 });
	heat_release(&h);
}

Test(heat, slices_that_cannot_be_counted_leave_nothing)
{
	struct heat h = heat_of(&first, 1000000, NULL);

	add(&h, 1, first, first, 1);
	add(&h, 1, UINT64_MAX >> 2, UINT64_MAX >> 2, 1);
	cr_expect_eq(h.flaw, HEAT_TOO_LONG);
	heat_release(&h);
	h = heat_of(&first, 1000000, NULL);
	add(&h, 1, first, UINT64_MAX >> 2, 1);
	cr_expect_eq(h.flaw, HEAT_TOO_LONG);
	heat_release(&h);
}

Test(heat, a_clock_that_jumps_makes_cells_wider)
{
	struct heat h = heat_of(&first, 0, NULL);

	add(&h, 1, first, first, 1);
	add(&h, 1, UINT64_MAX >> 2, UINT64_MAX >> 2, 1);
	heat_finish(&h);
	cr_assert_eq(h.cells.count, 2);
	cr_expect_gt(h.width, UINT64_C(1000000000));
	heat_release(&h);
}

Test(heat, what_has_no_time_or_another_clock_leaves_nothing)
{
	struct heat h = heat_of(&first, 0, NULL), other = heat_of(&second, 0, NULL);

	add(&h, 1, first, first, 1);
	add(&other, 1, 5, 5, 1);
	cr_assert_eq(heat_merge(&h, &other, NULL), 0);
	cr_expect_eq(h.flaw, HEAT_SEVERAL);
	cr_expect_not(heat_is_wanted(&h));
	heat_release(&h);
	h = heat_of(&first, 0, NULL);
	add(&h, 1, 0, 0, 1);
	cr_expect_eq(h.flaw, HEAT_UNTIMED);
	heat_release(&h);
	heat_release(&other);
}

Test(heat, nodes_become_others_or_nothing)
{
	static const uint32_t map[] = { 0, 4, 4, HEAT_NOWHERE };
	struct heat h = heat_of(&first, 0, NULL);

	add(&h, 1, first, first, 1);
	add(&h, 2, first, first, 2);
	add(&h, 3, first, first, 4);
	cr_assert_eq(heat_remap(&h, map), 0);
	cr_assert_eq(h.cells.count, 1);
	expect_cell(&h, 0, &(struct heat_cell){ 3, 0, 4, 2 });
	heat_release(&h);
}

/* Samples of three processors, of as many stacks as there are: a cell of each, at each step. */
static void add_both(struct heat *h, struct heat *processors, uint32_t i, uint32_t nodes)
{
	uint64_t at = first + (uint64_t)(i / nodes) * HEAT_WIDTH_LEAST;

	add(h, i % nodes, at, at, 1 + i % 5);
	add(processors, 7 * (i % 3), at, at, 1 + i % 5);
}

/* Many stacks made their cells wider, whoever has seen which of them, and those of processors follow. */
Test(heat, processors_have_cells_as_wide_as_stacks_whoever_added_them)
{
	enum { NODES = 6, COUNT = HEAT_MOST + 1000 };
	struct heat h = heat_of(&first, 0, NULL), one = h, parts[3] = { h, h, h };
	struct heat others = h;

	for (uint32_t i = 0; i < COUNT; i++) {
		add_both(&h, &one, i, NODES);
		add_both(&others, &parts[i / 7 % 3], i, NODES);
	}
	heat_match(&one, &h);
	cr_assert_eq(heat_merge(&parts[2], &parts[0], NULL), 0);
	cr_assert_eq(heat_merge(&parts[2], &parts[1], NULL), 0);
	heat_match(&parts[2], &h);
	cr_assert_eq(h.width, 100000000);
	cr_expect_eq(one.width, h.width);
	cr_expect_eq(parts[2].width, h.width);
	/* Every cell has some of each. */
	cr_assert_eq(one.cells.count, 3 * (array_last(&h.cells)->cell + 1));
	cr_expect_eq(one.cells.v[1].node, 7);
	cr_assert_eq(parts[2].cells.count, one.cells.count);
	cr_expect_eq(memcmp(parts[2].cells.v, one.cells.v,
			    one.cells.count * sizeof(*one.cells.v)),
		     0);
	heat_release(&h);
	heat_release(&one);
	heat_release(&others);
	for (int i = 0; i < 3; i++)
		heat_release(&parts[i]);
}

/* Many processors ran one stack. */
Test(heat, processors_may_have_wider_cells_than_stacks)
{
	enum { COUNT = HEAT_MOST + 1000 };
	struct heat h = heat_of(&first, 0, NULL), processors = h;

	for (uint32_t i = 0; i < COUNT; i++) {
		uint64_t at = first + (uint64_t)(i / 64) * HEAT_WIDTH_LEAST;

		add(&h, 0, at, at, 3);
		add(&processors, i % 64, at, at, 3);
	}
	heat_match(&processors, &h);
	cr_expect_eq(h.width, HEAT_WIDTH_LEAST);
	cr_expect_eq(processors.width, 100000000);
	cr_expect(heat_is_wanted(&processors));
	heat_release(&h);
	heat_release(&processors);
}

/* A filter by frames, and inputs that do not say of processors: what would be drawn of them is not what ran. */
Test(heat, processors_that_have_not_what_stacks_have_are_dropped)
{
	static const uint32_t map[] = { HEAT_NOWHERE, 1 };

	for (int what = 0; what < 5; what++) {
		struct heat h = heat_of(&first, 0, NULL), processors = h;

		for (uint32_t i = 0; i < 600; i++)
			add_both(&h, &processors, i, 2);
		if (what == 1)
			heat_remap(&h, map);
		if (what == 2)
			add(&h, 0, first + UINT64_C(90000000000),
			    first + UINT64_C(90000000000), 1);
		if (what == 3)
			processors.cells.v[5].cell++;
		if (what == 4)
			heat_drop(&h, HEAT_UNTIMED);
		heat_match(&processors, &h);
		cr_expect_eq(processors.flaw, what ? HEAT_UNPLACED : HEAT_WHOLE, "%d",
			     what);
		cr_expect_eq(processors.cells.count > 0, !what);
		heat_release(&h);
		heat_release(&processors);
	}
}
