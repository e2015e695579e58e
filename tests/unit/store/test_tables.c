/* What files agree in is one row, whatever order it came in. */
#include "store/tables.h"

#include <criterion/criterion.h>
#include <errno.h>

static void add_period(struct store_tables *t, uint64_t start, uint8_t decimals,
		       uint64_t sum)
{
	struct store_column column = { .name = 1, .decimals = decimals };
	struct store_period *p = array_add(&t->periods);
	uint32_t index;

	cr_assert_not_null(p);
	cr_assert_eq(store_add_column(t, &column, &index), 0);
	*p = (struct store_period){
		.start = start,
		.size = 60,
		.column = index,
		.decimals = decimals,
		.sum = sum,
	};
}

static void init(struct store_tables *t, struct intern *strings)
{
	uint32_t name;

	cr_assert_eq(intern_init(strings), 0);
	cr_assert_eq(store_tables_init(t, strings), 0);
	cr_assert_eq(intern_add(strings, "weight", 6, &name), 0);
	cr_assert_eq(name, 1);
}

static void release(struct store_tables *t, struct intern *strings)
{
	store_tables_release(t);
	intern_release(strings);
}

Test(tables, sums_by_time_have_the_decimals_of_their_column)
{
	struct store_tables t;
	struct intern strings;
	struct store_map map;

	init(&t, &strings);
	add_period(&t, 120, 0, 5);
	add_period(&t, 60, 2, 725);
	add_period(&t, 120, 2, 10);
	cr_assert_eq(store_tables_sort(&t, &map), 0);
	cr_assert_eq(t.columns.v[0].decimals, 2);
	cr_assert_eq(t.periods.count, 2);
	cr_expect_eq(t.periods.v[0].sum, 725);
	cr_expect_eq(t.periods.v[1].sum, 510);
	store_map_release(&map);
	release(&t, &strings);
}

Test(tables, a_sum_by_time_that_is_too_large_is_an_error)
{
	struct store_tables t;
	struct intern strings;
	struct store_map map;

	init(&t, &strings);
	add_period(&t, 60, 0, UINT64_MAX / 2);
	add_period(&t, 120, 1, 1);
	cr_expect_eq(store_tables_sort(&t, &map), -EOVERFLOW);
	release(&t, &strings);
}
