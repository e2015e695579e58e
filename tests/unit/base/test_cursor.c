#include "base/cursor.h"

#include <criterion/criterion.h>

static const uint8_t bytes[] = { 1, 2, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0xff };

Test(cursor, reads_little_endian_numbers_at_any_alignment)
{
	struct cursor c = cursor_of(bytes, sizeof(bytes));

	cr_assert_eq(cursor_u8(&c), 1);
	cr_assert_eq(cursor_u16(&c), 2);
	cr_assert_eq(cursor_u32(&c), 3);
	cr_assert_eq(cursor_u64(&c), 4);
	cr_assert_eq(cursor_left(&c), 1);
	cr_assert_not(c.bad);
}

Test(cursor, a_read_past_the_end_gives_zero_and_leaves_nothing)
{
	struct cursor c = cursor_of(bytes + 15, 1);

	cr_assert_eq(cursor_u16(&c), 0);
	cr_assert(c.bad);
	cr_assert_eq(cursor_left(&c), 0);
	cr_assert_eq(cursor_u8(&c), 0, "the byte that was there is not read any more");
}

Test(cursor, reading_up_to_the_last_byte_is_not_bad)
{
	struct cursor c = cursor_of(bytes, 8);

	cr_assert_eq(cursor_u64(&c), 0x0400000003000201u);
	cr_assert_not(c.bad);
	cr_assert_not_null(cursor_bytes(&c, 0));
	cr_assert_not(c.bad);
	cr_assert_null(cursor_bytes(&c, 1));
	cr_assert(c.bad);
}

Test(cursor, a_size_that_wraps_is_past_the_end)
{
	struct cursor c = cursor_of(bytes, sizeof(bytes));

	cr_assert_null(cursor_bytes(&c, SIZE_MAX));
	cr_assert(c.bad);
	c = cursor_of(bytes, sizeof(bytes));
	cr_assert_null(cursor_bytes(&c, (size_t)1 << 61));
	cr_assert(c.bad);
}

Test(cursor, text_ends_at_the_first_nul_and_the_field_is_passed_over)
{
	struct cursor c = cursor_of("ab\0junk!", 8);
	size_t size = 99;

	cr_assert_arr_eq(cursor_text(&c, 8, &size), "ab", 3);
	cr_assert_eq(size, 2);
	cr_assert_eq(cursor_left(&c), 0);
}

Test(cursor, text_without_a_nul_ends_with_its_field)
{
	struct cursor c = cursor_of("abcdefgh", 8);
	size_t size = 99;

	cr_assert_arr_eq(cursor_text(&c, 4, &size), "abcd", 4);
	cr_assert_eq(size, 4);
	cr_assert_eq(cursor_left(&c), 4);
}

Test(cursor, text_past_the_end_is_empty_and_bad)
{
	struct cursor c = cursor_of("abcd", 4);
	size_t size = 99;

	cr_assert_str_eq(cursor_text(&c, 5, &size), "");
	cr_assert_eq(size, 0);
	cr_assert(c.bad);
}
