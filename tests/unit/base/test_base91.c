#include "base/base91.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { MOST = 300 };

static struct text text_of(const uint8_t *bytes, size_t size)
{
	struct text t = { 0 };

	base91_add(&t, bytes, size);
	return t;
}

static void expect_text(const char *bytes, size_t size, const char *expected)
{
	struct text t = text_of((const uint8_t *)bytes, size);

	cr_expect_str_eq(t.bytes ? t.bytes : "", expected);
	text_release(&t);
}

Test(base91, text_is_what_the_document_says)
{
	expect_text("", 0, "");
	/* 8 bits: 97 is 6 + 91. */
	expect_text("a", 1, "(\"");
	/* 16 bits: 13 of 0x6261 are 0x0261, 609, which is 63 + 6 * 91, and then 3. */
	expect_text("ab", 2, "c($");
	expect_text("\0", 1, "!!");
	/* 8191 is 1 + 90 * 91, and 104 bits are 8 of these. */
	expect_text("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 13,
		    "\"~\"~\"~\"~\"~\"~\"~\"~");
}

Test(base91, characters_are_91_that_xml_has_as_they_are)
{
	bool is_there[256] = { false };
	int count = 0;

	for (int number = 0; number < 1 << 13; number++) {
		const uint8_t bytes[] = { (uint8_t)number, (uint8_t)(number >> 8) };
		struct text t = text_of(bytes, sizeof(bytes));

		for (size_t i = 0; i < t.size; i++)
			is_there[(uint8_t)t.bytes[i]] = true;
		text_release(&t);
	}
	for (int c = 0; c < 256; c++) {
		count += is_there[c];
		cr_expect(!is_there[c] || (c > ' ' && c <= '~' && !strchr("&<>", c)),
			  "%d", c);
	}
	cr_expect_eq(count, 91);
}

/* The size of what a text is that comes in pieces, or -1. */
static int decode(const char *text, size_t size, size_t piece, uint8_t *to)
{
	struct base91 b = { 0 };
	size_t sum = 0, decoded;

	for (size_t i = 0; i < size; i += piece) {
		size_t n = size - i < piece ? size - i : piece;

		if (!base91_decode(&b, (const uint8_t *)text + i, n, to + sum, &decoded))
			return -1;
		cr_expect_leq(decoded, n + 1);
		sum += decoded;
	}
	if (!base91_end(&b, to + sum, &decoded))
		return -1;
	return (int)(sum + decoded);
}

static int decode_whole(const char *text)
{
	uint8_t to[MOST];

	return decode(text, strlen(text), MOST, to);
}

Test(base91, all_lengths_come_back_wherever_they_are_cut)
{
	uint8_t bytes[100], to[MOST];

	srand(91);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(rand() >> 8);
	for (size_t size = 0; size <= sizeof(bytes); size++) {
		struct text t = text_of(bytes, size);

		cr_expect_eq(t.size, (16 * size + 12) / 13);
		for (size_t piece = 1; piece <= t.size + 1; piece++) {
			cr_assert_eq(decode(t.bytes, t.size, piece, to), (int)size,
				     "%zu in pieces of %zu", size, piece);
			cr_assert_eq(memcmp(to, bytes, size), 0);
		}
		text_release(&t);
	}
}

Test(base91, white_space_is_anywhere)
{
	static const char bytes[] = "what stands between characters, and is none";
	struct text t = text_of((const uint8_t *)bytes, sizeof(bytes));
	char spaced[2 * MOST];
	uint8_t to[2 * MOST];

	for (size_t at = 0; at <= t.size; at++) {
		memcpy(spaced, t.bytes, at);
		memcpy(spaced + at, "\r\n\t ", 4);
		memcpy(spaced + at + 4, t.bytes + at, t.size - at);
		cr_assert_eq(decode(spaced, t.size + 4, sizeof(spaced), to),
			     (int)sizeof(bytes), "%zu", at);
		cr_assert_str_eq((const char *)to, bytes);
	}
	text_release(&t);
	cr_expect_eq(decode_whole(" \n"), 0);
}

Test(base91, what_is_no_digit_is_refused_wherever_it_is)
{
	char text[41];
	uint8_t to[MOST];

	for (int c = 0; c < 256; c++) {
		bool is_one = strchr(" \t\r\n", c) ||
			      (c > ' ' && c <= '~' && !strchr("&<>", c));

		if (is_one && c)
			continue;
		for (size_t at = 0; at < 40; at++) {
			memset(text, '!', sizeof(text));
			text[at] = (char)c;
			cr_expect_eq(decode(text, 40, 40, to), -1, "%d at %zu", c, at);
			cr_expect_eq(decode(text, 40, 3, to), -1, "%d at %zu", c, at);
		}
	}
}

Test(base91, numbers_of_more_than_13_bits_are_refused)
{
	char text[33];
	uint8_t to[MOST];

	for (int number = 8190; number < 91 * 91; number++)
		for (size_t at = 0; at < 32; at += 2) {
			char pair[2] = { (char)(number % 91), (char)(number / 91) };

			for (int i = 0; i < 2; i++)
				pair[i] = (char)(pair[i] + '!' + (pair[i] > 4) +
						 (pair[i] > 25) + (pair[i] > 26));
			memset(text, '!', sizeof(text));
			memcpy(text + at, pair, 2);
			cr_expect_eq(decode(text, 32, 32, to), number < 8192 ? 26 : -1,
				     "%d at %zu", number, at);
			cr_expect_eq(decode(text, 32, 1, to), number < 8192 ? 26 : -1,
				     "%d at %zu", number, at);
		}
}

Test(base91, an_end_that_no_bytes_have_is_refused)
{
	/* 6 bits, and 13, 26 and 39 of which one, two and four bytes leave some. */
	cr_expect_eq(decode_whole("!"), -1, "six bits are no byte");
	cr_expect_eq(decode_whole("!!"), 1);
	cr_expect_eq(decode_whole("!%"), -1, "the ninth bit, of one byte");
	cr_expect_eq(decode_whole("!!!"), 2);
	cr_expect_eq(decode_whole("!!)"), 2);
	cr_expect_eq(decode_whole("!!*"), -1, "the seventeenth bit, of two bytes");
	cr_expect_eq(decode_whole("!!d"), -1, "64: seven bits in one character");
	cr_expect_eq(decode_whole("!!!!"), 3);
	cr_expect_eq(decode_whole("!!!!!"), 4);
	cr_expect_eq(decode_whole("!!!!!!"), -1,
		     "39 bits: five characters have four bytes");
	cr_expect_eq(decode_whole("!!!!!!!"), 5);
	for (size_t n = 1; n < 16; n++) {
		char text[17] = { 0 };
		bool is_length = false;

		memset(text, '!', n);
		for (size_t bytes = 1; bytes <= 13; bytes++)
			is_length |= (16 * bytes + 12) / 13 == n;
		cr_expect_eq(decode_whole(text), is_length ? (int)(13 * n / 16) : -1,
			     "%zu", n);
	}
}
