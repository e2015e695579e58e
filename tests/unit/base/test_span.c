#include "base/span.h"

#include <criterion/criterion.h>
#include <string.h>

/* Draws the spans that @in makes: a letter an address, the interval's id from 'a' on. */
static const char *painted(const struct span *in, size_t count)
{
	static char line[32];
	struct spans spans = { 0 };
	struct painter painter = { .out = &spans };
	size_t at = 0;

	for (size_t i = 0; i < count; i++)
		cr_assert_eq(painter_add(&painter, &in[i]), 0);
	cr_assert_eq(painter_finish(&painter), 0);
	painter_release(&painter);
	memset(line, '.', sizeof(line) - 1);
	for (uint64_t a = 0; a < sizeof(line) - 1; a++) {
		const struct span *s = spans_next(&spans, a, &at);

		cr_assert_eq(s, spans_find(&spans, a));
		if (s)
			line[a] = (char)('a' + s->id);
	}
	for (size_t i = sizeof(line) - 1; i > 0 && line[i - 1] == '.'; i--)
		line[i - 1] = '\0';
	spans_release(&spans);
	return line;
}

#define PAINTED(...)                                                                     \
	painted((struct span[]){ __VA_ARGS__ },                                          \
		sizeof((struct span[]){ __VA_ARGS__ }) / sizeof(struct span))

Test(span, an_outer_interval_goes_on_after_an_inner_one)
{
	cr_assert_str_eq(PAINTED({ 1, 9, 0 }, { 3, 5, 1 }), ".aabbaaaa");
}

Test(span, the_innermost_of_many_wins)
{
	cr_assert_str_eq(PAINTED({ 0, 10, 0 }, { 1, 9, 1 }, { 2, 4, 2 }, { 5, 8, 3 }),
			 "abccbdddba");
}

Test(span, an_interval_that_reaches_out_of_the_outer_one_is_whole)
{
	cr_assert_str_eq(PAINTED({ 0, 4, 0 }, { 2, 7, 1 }, { 8, 9, 2 }), "aabbbbb.c");
}

Test(span, what_ended_meanwhile_does_not_come_back)
{
	cr_assert_str_eq(PAINTED({ 0, 9, 0 }, { 1, 4, 1 }, { 2, 6, 2 }), "abccccaaa");
}

Test(span, of_equal_starts_the_last_is_the_inner_one)
{
	cr_assert_str_eq(PAINTED({ 0, 6, 0 }, { 0, 3, 1 }), "bbbaaa");
}

Test(span, empty_intervals_and_such_that_end_before_they_start_paint_nothing)
{
	cr_assert_str_eq(PAINTED({ 1, 1, 0 }, { 2, 4, 1 }, { 5, 3, 2 }), "..bb");
}

Test(span, what_has_ended_is_not_held)
{
	struct spans spans = { 0 };
	struct painter painter = { .out = &spans };

	for (uint32_t i = 0; i < 1000; i++) {
		struct span in = { 10 * i, 10 * i + 10, i };

		cr_assert_eq(painter_add(&painter, &in), 0);
		cr_assert_eq(painter.open.count, 1);
	}
	cr_assert_eq(painter_finish(&painter), 0);
	cr_assert_eq(spans.list.count, 1000);
	painter_release(&painter);
	spans_release(&spans);
}
