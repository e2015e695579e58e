/* The strip of time in the static picture: what its paths cover, by cells of the viewer's columns. */
#include "write/strip.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t first = 1;
static const struct layout layout = { .width = 1200, .font_size = 12 };

static void add(struct heat *h, double second, uint64_t weight)
{
	uint64_t at = first + (uint64_t)(second * 1e9 + 0.5);

	cr_assert_eq(heat_add(h, 1, &(struct heat_span){ at, at, weight, 1 }), 0);
}

static struct strip strip_of(struct heat *h)
{
	struct write_options options = { .heat = h };
	struct strip s = { 0 };

	cr_assert_eq(heat_finish(h), 0);
	cr_assert_eq(strip_make(&options, &layout, PAGE_LIGHT, &s), 0);
	heat_release(h);
	return s;
}

/* How many of the steps, the palest first, cover a cell; @row: from the top. */
static int steps_over(const struct strip *s, int column, int row)
{
	int steps = 0;

	for (const char *path = s->paths.bytes; (path = strstr(path, " d=\""));) {
		int x = 0, y = 0, dx, dy, length, size;

		path += 4;
		while (sscanf(path, "m%d %dh%d%n", &dx, &dy, &length, &size) == 3) {
			x += dx;
			y += dy;
			steps += row == y && column >= x && column < x + length;
			x += length;
			path += size;
		}
		cr_assert_eq(*path, '"');
	}
	return steps;
}

Test(strip, columns_are_seconds_and_rows_go_up)
{
	struct heat h = heat_of(&first, 0, NULL);
	struct strip s;

	add(&h, 0, 100);
	add(&h, 1.5, 60);
	add(&h, 2.99, 30);
	add(&h, 9.01, 1);
	s = strip_of(&h);
	cr_expect_eq(s.columns, 10);
	cr_expect_eq(s.rows, 50);
	cr_expect_str_eq(s.end.bytes, "9.02 s");
	cr_expect_str_eq(s.says.bytes, "a column is 1 s, a cell 20 ms");
	cr_expect_eq(steps_over(&s, 0, 49), 4);
	cr_expect_eq(steps_over(&s, 1, 24), 3);
	cr_expect_eq(steps_over(&s, 2, 0), 2);
	/* Something is never shown as nothing. */
	cr_expect_eq(steps_over(&s, 9, 49), 1);
	cr_expect_eq(steps_over(&s, 0, 48), 0);
	cr_expect_eq(steps_over(&s, 1, 49), 0);
	strip_release(&s);
}

/* Five minutes: neighbours are one cell, and what comes at even times still has a row of its own. */
Test(strip, many_cells_are_joined)
{
	struct heat h = heat_of(&first, 0, NULL);
	struct strip s;

	for (int second = 0; second < 303; second++)
		for (int part = 0; part < 10; part++)
			add(&h, second + part / 10.0, part == 5 ? 100 : 10);
	s = strip_of(&h);
	cr_expect_str_eq(s.says.bytes, "a column is 3 x 1 s, a cell 40 ms");
	cr_expect_str_eq(s.end.bytes, "05:02.92");
	cr_expect_eq(s.columns, 101);
	cr_expect_eq(s.rows, 25);
	for (int column = 0; column < 101; column++) {
		cr_expect_eq(steps_over(&s, column, 12), 4);
		cr_expect_eq(steps_over(&s, column, 24), 1);
		cr_expect_eq(steps_over(&s, column, 23), 0);
	}
	strip_release(&s);
}

/* The last column may be of less time: it is not paler for that. */
Test(strip, a_part_of_a_column_is_as_strong)
{
	struct heat h = heat_of(&first, 0, NULL);
	struct strip s;

	for (int second = 0; second < 301; second++)
		for (int cell = 0; cell < 50; cell++)
			add(&h, second + cell / 50.0, 100);
	s = strip_of(&h);
	cr_expect_eq(s.columns, 101);
	cr_expect_float_eq(s.shown, 301.0 / 3, 1e-9);
	cr_expect_eq(steps_over(&s, 99, 0), 4);
	cr_expect_eq(steps_over(&s, 100, 0), 4);
	strip_release(&s);
}

Test(strip, it_stays_small)
{
	struct heat h = heat_of(&first, 0, NULL);
	struct strip s;

	srand(1);
	for (int cell = 0; cell < 29500; cell++)
		add(&h, cell / 50.0, 1 + (unsigned)rand() % 100);
	s = strip_of(&h);
	cr_expect_leq(s.paths.size, 6000);
	cr_expect_geq(s.columns, 40);
	strip_release(&s);
}

Test(strip, a_year_has_ten_rows)
{
	struct heat h = heat_of(&first, UINT64_C(86400000000000), NULL);
	struct strip s;

	add(&h, 0, 1);
	add(&h, 400 * 86400.0, 1);
	s = strip_of(&h);
	cr_expect_eq(s.rows, 10);
	cr_expect_str_eq(s.says.bytes, "a column is 10 d, a cell 1 d");
	cr_expect_str_eq(s.end.bytes, "9624:00:00");
	strip_release(&s);
}

/* A burst does not make all others pale. */
Test(strip, a_few_cells_do_not_say_what_a_lot_is)
{
	struct heat h = heat_of(&first, 0, NULL);
	struct strip s;

	for (int cell = 0; cell < 200; cell++)
		add(&h, cell / 50.0, cell == 20 ? 10000 : 100);
	s = strip_of(&h);
	cr_expect_eq(steps_over(&s, 0, 49), 4);
	cr_expect_eq(steps_over(&s, 0, 29), 4);
	strip_release(&s);
}
