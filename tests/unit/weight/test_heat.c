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
