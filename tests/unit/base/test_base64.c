#include "base/base64.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static void expect_text(const char *bytes, const char *expected)
{
	struct text t = { 0 };

	base64_add(&t, (const uint8_t *)bytes, strlen(bytes));
	cr_expect_str_eq(t.bytes ? t.bytes : "", expected);
	text_release(&t);
}

Test(base64, text_is_that_of_rfc_4648)
{
	expect_text("", "");
	expect_text("f", "Zg==");
	expect_text("fo", "Zm8=");
	expect_text("foo", "Zm9v");
	expect_text("foob", "Zm9vYg==");
	expect_text("fooba", "Zm9vYmE=");
	expect_text("foobar", "Zm9vYmFy");
	expect_text("\xfb\xff\xfe", "+//+");
}

/* -1 where it is no base64, else what was decoded. */
static int decode(const char *text, char *to, bool *whole)
{
	struct base64 b = { 0 };
	size_t size;

	strcpy(to, text);
	if (!base64_decode(&b, (uint8_t *)to, strlen(text), &size))
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
	struct text t = { 0 };
	struct base64 b = { 0 };
	uint8_t bytes[300], *at;
	size_t size, sum = 0;

	for (int i = 0; i < 300; i++)
		bytes[i] = (uint8_t)(i * 37);
	base64_add(&t, bytes, sizeof(bytes));
	at = (uint8_t *)t.bytes;
	for (size_t i = 0; i < t.size; i += 7) {
		size_t n = t.size - i < 7 ? t.size - i : 7;

		cr_assert(base64_decode(&b, at + i, n, &size));
		memmove(at + sum, at + i, size);
		sum += size;
	}
	cr_expect(base64_whole(&b));
	cr_assert_eq(sum, sizeof(bytes));
	cr_expect_eq(memcmp(at, bytes, sum), 0);
	text_release(&t);
}
