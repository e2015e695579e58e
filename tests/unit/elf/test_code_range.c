#include "elf/code_range.h"

#include <criterion/criterion.h>

/* Segments of a file of a megabyte. */
static void find(struct segment *segments, size_t count, struct code_ranges *ret)
{
	struct object o = { .size = 1 << 20 };

	o.segments.v = segments;
	o.segments.count = count;
	cr_assert_eq(code_ranges_of(&o, ret), 0);
}

#define CODE(at, bytes, to)                                                              \
	{                                                                                \
		.offset = at, .size = bytes, .address = to, .exec = true                 \
	}
#define DATA(at, bytes, to)                                                              \
	{                                                                                \
		.offset = at, .size = bytes, .address = to                               \
	}

#define FIND(ret, ...)                                                                   \
	find((struct segment[]){ __VA_ARGS__ },                                          \
	     sizeof((struct segment[]){ __VA_ARGS__ }) / sizeof(struct segment), ret)

Test(code_range, only_executable_segments_are_code)
{
	struct code_ranges r;

	FIND(&r, DATA(0, 0x1000, 0x400000), CODE(0x1000, 0x1000, 0x401000));
	cr_assert_eq(r.list.count, 1);
	cr_expect_eq(r.list.v[0].start, 0x401000);
	cr_expect_eq(r.list.v[0].end, 0x402000);
	code_ranges_release(&r);
	find(NULL, 0, &r);
	cr_expect_eq(r.list.count, 0);
	code_ranges_release(&r);
}

Test(code_range, ranges_are_sorted_and_joined)
{
	struct code_ranges r;

	FIND(&r, CODE(0x3000, 0x1000, 0x9000), CODE(0x1000, 0x1000, 0x5000),
	     CODE(0x2000, 0x1000, 0x6000), CODE(0x2800, 0x100, 0x6800));
	cr_assert_eq(r.list.count, 2);
	cr_expect_eq(r.list.v[0].start, 0x5000);
	cr_expect_eq(r.list.v[0].end, 0x7000);
	cr_expect_eq(r.list.v[1].start, 0x9000);
	code_ranges_release(&r);
}

Test(code_range, what_lies_behind_the_file_is_no_code)
{
	struct code_ranges r;

	FIND(&r, CODE(0xff000, UINT64_MAX, 0x5000), CODE(1 << 20, 0x1000, 0x9000),
	     CODE(UINT64_MAX, 0x1000, 0xa000));
	cr_assert_eq(r.list.count, 1);
	cr_expect_eq(r.list.v[0].end, 0x6000);
	code_ranges_release(&r);
	FIND(&r, CODE(0, 0x1000, UINT64_MAX - 0x10));
	cr_expect_eq(r.list.count, 0);
	code_ranges_release(&r);
}

Test(code_range, what_lies_far_away_is_no_code)
{
	enum { APART = (64 << 20) + (16 << 20) };
	struct code_ranges r;

	FIND(&r, CODE(0, 0x1000, 0x1000), CODE(0, 0x1000, APART),
	     CODE(0, 0x1000, APART + 0x1000), CODE(0, 0x1000, UINT64_MAX - 0x5000));
	cr_assert_eq(r.list.count, 2);
	cr_expect_eq(r.list.v[1].end, APART + 0x1000);
	code_ranges_release(&r);
	FIND(&r, CODE(0, 0x1000, UINT64_MAX - 0x5000));
	cr_assert_eq(r.list.count, 1);
	code_ranges_release(&r);
}

Test(code_range, a_function_is_cut_at_the_next_hole)
{
	struct code_ranges r;
	uint64_t end = 0x5010;

	FIND(&r, CODE(0, 0x1000, 0x5000), CODE(0, 0x1000, 0x7000));
	cr_expect(code_ranges_clip(&r, 0x5000, &end));
	cr_expect_eq(end, 0x5010);
	end = 0x7800;
	cr_expect(code_ranges_clip(&r, 0x5fff, &end));
	cr_expect_eq(end, 0x6000);
	end = UINT64_MAX;
	cr_expect(code_ranges_clip(&r, 0x7000, &end));
	cr_expect_eq(end, 0x8000);
	cr_expect_not(code_ranges_clip(&r, 0x4fff, &end));
	cr_expect_not(code_ranges_clip(&r, 0x6000, &end));
	cr_expect_not(code_ranges_clip(&r, 0x8000, &end));
	code_ranges_release(&r);
}
