#include "base/base64.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* -1 where it is no base64, else what was decoded. */
static int decode(const char *text, char *to, bool *whole)
{
	struct base64 b = { 0 };
	size_t size;

	if (!base64_decode(&b, (const uint8_t *)text, strlen(text), (uint8_t *)to, &size))
		return -1;
	to[size] = '\0';
	*whole = base64_whole(&b);
	return (int)size;
}

static void expect_bytes(const char *text, const char *expected)
{
	char to[64];
	bool whole;

	cr_expect_eq(decode(text, to, &whole), (int)strlen(expected), "%s", text);
	cr_expect_str_eq(to, expected);
	cr_expect(whole);
}

Test(base64, bytes_come_back_whatever_the_white_space)
{
	expect_bytes("", "");
	expect_bytes("Zg==", "f");
	expect_bytes("Zm8=", "fo");
	expect_bytes("Zm9v", "foo");
	expect_bytes("+//+", "\xfb\xff\xfe");
	expect_bytes(" Z\nm9v\r\n\tYmFy ", "foobar");
	expect_bytes("Zm9vYg", "foob");
}

Test(base64, what_is_no_base64_is_refused)
{
	char to[64];
	bool whole;

	cr_expect_eq(decode("Zm9v!", to, &whole), -1);
	cr_expect_eq(decode("Zm-v", to, &whole), -1);
	cr_expect_eq(decode("Zg==Zg==", to, &whole), -1);
	cr_expect_eq(decode("=", to, &whole), -1);
	cr_expect_eq(decode("Zg===", to, &whole), -1);
	cr_expect_eq(decode("Zh==", to, &whole), -1, "bits that mean nothing");
	cr_expect_eq(decode("Z", to, &whole), 0);
	cr_expect_not(whole);
}

Test(base64, pieces_are_one_text)
{
	static const char text[] = "VGhlcmUgYXJlIHBpZWNlcyBvZiBhbnkgbGVuZ3RoLg==";
	static const char expected[] = "There are pieces of any length.";

	for (size_t piece = 1; piece < sizeof(text); piece++) {
		struct base64 b = { 0 };
		char to[sizeof(text)];
		size_t size, sum = 0;

		for (size_t i = 0; i < sizeof(text) - 1; i += piece) {
			size_t left = sizeof(text) - 1 - i;

			cr_assert(base64_decode(&b, (const uint8_t *)text + i,
						left < piece ? left : piece,
						(uint8_t *)to + sum, &size));
			sum += size;
		}
		cr_expect(base64_whole(&b));
		cr_assert_eq(sum, sizeof(expected) - 1);
		cr_expect_eq(memcmp(to, expected, sum), 0);
	}
}
