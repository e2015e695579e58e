#include "base/cursor.h"

#include <criterion/criterion.h>

#include "base/bytes.h"

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

Test(cursor, varints_come_back)
{
	const uint64_t values[] = {
		0, 1, 127, 128, 300, UINT32_MAX, UINT64_MAX >> 1, UINT64_MAX
	};
	struct bytes b = { 0 };
	struct cursor c;

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		bytes_varint(&b, values[i]);
	c = cursor_of(b.v, b.count);
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		cr_expect_eq(cursor_varint(&c), values[i]);
	cr_expect_not(c.bad);
	cr_expect_eq(cursor_varint(&c), 0u);
	cr_expect(c.bad);
	bytes_release(&b);
}

Test(cursor, a_varint_of_more_than_64_bits_is_bad)
{
	const uint8_t most[] = { 255, 255, 255, 255, 255, 255, 255, 255, 255, 1 };
	const uint8_t more[] = { 255, 255, 255, 255, 255, 255, 255, 255, 255, 2 };
	const uint8_t long_zero[] = {
		128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0
	};
	struct cursor c = cursor_of(most, sizeof(most));

	cr_expect_eq(cursor_varint(&c), UINT64_MAX);
	c = cursor_of(more, sizeof(more));
	cursor_varint(&c);
	cr_expect(c.bad);
	c = cursor_of(long_zero, sizeof(long_zero));
	cursor_varint(&c);
	cr_expect(c.bad);
	c = cursor_of(most, 4);
	cursor_varint(&c);
	cr_expect(c.bad);
}
