#include "base/utf8.h"

#include <criterion/criterion.h>
#include <string.h>

static uint32_t first(const char *text, size_t *used)
{
	const char *p = text;
	uint32_t code = utf8_next(&p, text + strlen(text));

	*used = (size_t)(p - text);
	return code;
}

Test(utf8, code_points_of_every_length_are_read)
{
	static const struct {
		const char *text;
		uint32_t code;
		size_t size;
	} cases[] = {
		{ "a", 'a', 1 },
		{ "\xc3\xbc", 0xfc, 2 },
		{ "\xe6\x97\xa5", 0x65e5, 3 },
		{ "\xf0\x9f\x94\xa5", 0x1f525, 4 },
	};
	size_t used;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cr_expect_eq(first(cases[i].text, &used), cases[i].code);
		cr_expect_eq(used, cases[i].size);
	}
}

Test(utf8, a_byte_that_begins_nothing_is_passed_alone)
{
	static const char *const cases[] = {
		"\x80",
		"\xc3",
		"\xc3x",
		"\xe6\x97",
		"\xe6\x97x",
		"\xff\xff",
		"\xfe",
		"\xc0\x80", /* overlong */
		"\xe0\x80\x80",
		"\xed\xa0\x80", /* a surrogate */
		"\xf4\x90\x80\x80", /* behind the last code point */
		"\xf8\x88\x80\x80\x80",
	};
	size_t used;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cr_expect_eq(first(cases[i], &used), UTF8_REPLACEMENT, "case %zu", i);
		cr_expect_eq(used, 1u, "case %zu", i);
	}
}

Test(utf8, backwards_gives_the_same_code_points)
{
	static const char text[] = "a\xc3\xbc\xe6\x97\xa5\xff\xf0\x9f\x94\xa5\x80";
	const uint32_t codes[] = { 'a',	    0xfc,
				   0x65e5,  UTF8_REPLACEMENT,
				   0x1f525, UTF8_REPLACEMENT };
	const char *p = text + strlen(text);

	for (int i = 5; i >= 0; i--)
		cr_expect_eq(utf8_previous(text, &p), codes[i], "%d", i);
	cr_expect_eq(p, text);
}

Test(utf8, the_size_is_of_the_first_character_only)
{
	cr_expect_eq(utf8_size(""), 0u);
	cr_expect_eq(utf8_size("ab"), 1u);
	cr_expect_eq(utf8_size("\xc3\xbc"
			       "b"),
		     2u);
	cr_expect_eq(utf8_size("\xef\xbf\xbd"), 3u, "U+FFFD is a character");
	cr_expect_eq(utf8_size("\xf0\x9f\x94\xa5z"), 4u);
	cr_expect_eq(utf8_size("\xe6\x97"), 0u);
	cr_expect_eq(utf8_size("\x80"
			       "a"),
		     0u);
}
