#include "write/layout.h"

#include <criterion/criterion.h>

static struct layout usual(double total)
{
	struct layout l = {
		.width = 1200,
		.frame_height = 16,
		.font_size = 12,
		.font_width = 0.59,
		.total = total,
	};

	layout_init(&l);
	return l;
}

Test(layout, the_root_stands_at_the_bottom)
{
	struct layout l = usual(100);
	struct box b;

	layout_set_depth(&l, 2);
	cr_expect_eq(l.height, 3 * 16 + 36 + 34);
	b = layout_frame(&l, 0, 0, 100);
	cr_expect(b.x1 == 10 && b.x2 == 1190 && b.y1 == 69 && b.y2 == 84);
	b = layout_frame(&l, 2, 25, 50);
	cr_expect(b.x1 == 305 && b.x2 == 600 && b.y1 == 37 && b.y2 == 52);
}

Test(layout, an_inverted_root_hangs_at_the_top)
{
	struct layout l = usual(100);
	struct box b;

	l.inverted = true;
	layout_set_depth(&l, 2);
	b = layout_frame(&l, 0, 0, 100);
	cr_expect(b.y1 == 36 && b.y2 == 51);
	b = layout_frame(&l, 2, 0, 100);
	cr_expect(b.y1 == 68 && b.y2 == 83);
}

Test(layout, a_subtitle_has_its_own_row_above_all_frames)
{
	struct layout l = usual(100);
	double without;
	struct box b;

	layout_set_depth(&l, 0);
	without = l.height;
	l.subtitle = l.inverted = true;
	layout_init(&l);
	layout_set_depth(&l, 0);
	cr_expect_eq(l.height, without + 24);
	b = layout_frame(&l, 0, 0, 100);
	cr_expect_eq(b.y1, 60);
}

Test(layout, a_frame_that_is_wider_than_all_ends_where_numbers_do)
{
	struct layout l = usual(1180);
	struct box b = layout_frame(&l, 0, 0, 1.8e19 * 1e10);

	cr_expect_eq(b.x1, 10);
	cr_expect(b.x2 > 1e11 && b.x2 * 10 < (double)INT64_MAX);
}

Test(layout, the_least_width_is_in_pixels_or_percent)
{
	struct layout l = usual(1180);
	double least;

	cr_expect(layout_least_value(&l, "0.1", &least) && least == 0.1);
	cr_expect(layout_least_value(&l, "50%", &least) && least == 590);
	cr_expect(layout_least_value(&l, "2.", &least) && least == 2);
	cr_expect(layout_least_value(&l, "1.5.9", &least) && least == 1.5);
	cr_expect(layout_least_value(&l, "0", &least) && least == 0);
}

Test(layout, a_least_width_that_is_no_number_is_refused)
{
	static const char *const cases[] = { "", "abc", "-1", "1e3", "1px", "%", "1%%" };
	struct layout l = usual(1180);
	double least;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cr_expect_not(layout_least_value(&l, cases[i], &least), "'%s'", cases[i]);
}

Test(layout, characters_are_counted_by_the_width_of_a_letter)
{
	struct layout l = usual(100);
	struct box b = { .x1 = 10, .x2 = 10 + 21.23 };

	cr_expect_eq(layout_characters(&l, &b), 2u);
	b.x2 = 10 + 21.25;
	cr_expect_eq(layout_characters(&l, &b), 3u);
	b.x2 = 9;
	cr_expect_eq(layout_characters(&l, &b), 0u);
	b.x2 = 1e30;
	cr_expect_eq(layout_characters(&l, &b), UINT32_MAX);
}
