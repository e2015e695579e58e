#include "cfi/source.h"

#include <criterion/criterion.h>

static void add(struct spans *to, uint64_t start, uint64_t end, uint32_t id)
{
	struct span *span = array_add(&to->list);

	cr_assert_not_null(span);
	*span = (struct span){ start, end, id };
}

static void expect(const struct spans *s, size_t at, uint64_t start, uint64_t end,
		   uint32_t id)
{
	cr_assert_lt(at, s->list.count);
	cr_expect_eq(s->list.v[at].start, start);
	cr_expect_eq(s->list.v[at].end, end);
	cr_expect_eq(s->list.v[at].id, id);
}

/*
 *	to      |10--20|      |40--50|
 *	from  |0----------30|   |45-------60|   |70-80|
 */
Test(cfi_source, spans_fill_holes)
{
	struct spans to = { 0 }, from = { 0 };

	add(&to, 10, 20, 1);
	add(&to, 40, 50, 2);
	add(&from, 0, 30, 1);
	add(&from, 45, 60, 2);
	add(&from, 70, 80, 3);
	cr_assert_eq(spans_fill(&to, &from, 100), 0);
	cr_assert_eq(to.list.count, 6);
	expect(&to, 0, 0, 10, 101);
	expect(&to, 1, 10, 20, 1);
	expect(&to, 2, 20, 30, 101);
	expect(&to, 3, 40, 50, 2);
	expect(&to, 4, 50, 60, 102);
	expect(&to, 5, 70, 80, 103);
	spans_release(&to);
	spans_release(&from);
}

Test(cfi_source, spans_that_leave_no_holes_take_nothing)
{
	struct spans to = { 0 }, from = { 0 };

	add(&to, 0, 10, 1);
	add(&to, 10, UINT64_MAX, 2);
	add(&from, 5, 15, 1);
	cr_assert_eq(spans_fill(&to, &from, 100), 0);
	cr_assert_eq(to.list.count, 2);
	spans_release(&to);
	spans_release(&from);
}

/* One span that all holes cut, and holes that hold several spans. */
Test(cfi_source, spans_are_cut_as_often_as_it_takes)
{
	struct spans to = { 0 }, from = { 0 };

	for (uint32_t i = 1; i < 100; i++)
		add(&to, i * 10, i * 10 + 5, i);
	add(&from, 1, 2, 0);
	add(&from, 3, 5, 1);
	add(&from, 7, 2000, 2);
	cr_assert_eq(spans_fill(&to, &from, 1000), 0);
	cr_assert_eq(to.list.count, 99 + 2 + 100);
	expect(&to, 0, 1, 2, 1000);
	expect(&to, 2, 7, 10, 1002);
	expect(&to, 200, 995, 2000, 1002);
	for (size_t i = 1; i < to.list.count; i++)
		cr_expect_geq(to.list.v[i].start, to.list.v[i - 1].end);
	spans_release(&to);
	spans_release(&from);
}

Test(cfi_source, to_or_from_nothing_all_is_taken)
{
	struct spans to = { 0 }, from = { 0 }, none = { 0 };

	add(&from, 5, 15, 1);
	cr_assert_eq(spans_fill(&to, &from, 100), 0);
	cr_assert_eq(spans_fill(&to, &none, 200), 0);
	cr_assert_eq(to.list.count, 1);
	expect(&to, 0, 5, 15, 101);
	spans_release(&to);
	spans_release(&from);
}
