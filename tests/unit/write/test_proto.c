#include "write/proto.h"

#include <criterion/criterion.h>
#include <string.h>

static void expect(struct text *t, const char *bytes, size_t size)
{
	cr_assert_not(t->failed);
	cr_assert_eq(t->size, size);
	cr_expect_eq(memcmp(t->bytes, bytes, size), 0);
	text_release(t);
}

/* Examples of protobuf.dev's page on encoding. */
Test(proto, a_varint_has_seven_bits_a_byte)
{
	struct text t = { 0 };

	proto_number(&t, 1, 150);
	expect(&t, "\x08\x96\x01", 3);
	t = (struct text){ 0 };
	proto_varint(&t, UINT64_MAX);
	expect(&t, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10);
	t = (struct text){ 0 };
	proto_string(&t, 2, "testing");
	expect(&t, "\x12\x07testing", 9);
}

Test(proto, numbers_of_fields_above_15_take_two_bytes)
{
	struct text t = { 0 };

	proto_number(&t, 16, 1);
	expect(&t, "\x80\x01\x01", 3);
}

Test(proto, a_zero_is_left_out_and_an_empty_string_is_not)
{
	struct text t = { 0 };

	proto_number(&t, 1, 0);
	proto_fixed64(&t, 1, 0);
	cr_expect_eq(t.size, 0);
	proto_string(&t, 1, "");
	expect(&t, "\x0a\x00", 2);
}

Test(proto, eight_bytes_are_the_lowest_first)
{
	struct text t = { 0 };

	proto_fixed64(&t, 3, 0x0102030405060708);
	expect(&t, "\x19\x08\x07\x06\x05\x04\x03\x02\x01", 9);
}

Test(proto, what_is_no_utf8_is_replaced)
{
	struct text t = { 0 };

	proto_string(&t, 1,
		     "a\xff\xfe"
		     "b");
	expect(&t,
	       "\x0a\x08"
	       "a\xef\xbf\xbd\xef\xbf\xbd"
	       "b",
	       10);
}

Test(proto, sizes_are_known_before)
{
	static const uint64_t sizes[] = { 0, 1, 127, 128, 16383, 16384, 1ull << 40 };

	for (unsigned field = 1; field < 40; field += 7)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			struct text t = { 0 };

			proto_begin(&t, field, sizes[i]);
			cr_expect_eq(t.size, proto_begin_size(field, sizes[i]));
			text_release(&t);
		}
}
