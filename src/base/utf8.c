/*
 * UTF-8 of the Unicode Standard, 3.9, table 3-7: overlong forms, surrogates and what is above
 * U+10FFFF are no characters. A byte that begins none is U+FFFD by itself, and the next one is
 * looked at anew, so forwards and backwards the same characters are found.
 */
#include "base/utf8.h"

#include <string.h>

/* How a first byte goes on: its own bits, how many bytes follow, the least code point
 * that needs so many (less is an overlong form). */
static const struct lead {
	uint8_t mask, bits, more;
	uint32_t least;
} leads[] = {
	{ 0xe0, 0xc0, 1, 0x80 },
	{ 0xf0, 0xe0, 2, 0x800 },
	{ 0xf8, 0xf0, 3, 0x10000 },
};

uint32_t utf8_next(const char **p, const char *end)
{
	const uint8_t *s = (const uint8_t *)(*p)++;
	const struct lead *lead = NULL;
	uint32_t code;

	if (*s < 0x80)
		return *s;
	for (size_t i = 0; !lead && i < sizeof(leads) / sizeof(*leads); i++)
		if ((*s & leads[i].mask) == leads[i].bits)
			lead = &leads[i];
	if (!lead || end - (const char *)s <= lead->more)
		return UTF8_REPLACEMENT;
	code = *s & (uint8_t)~lead->mask;
	for (int i = 1; i <= lead->more; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return UTF8_REPLACEMENT;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < lead->least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return UTF8_REPLACEMENT;
	*p += lead->more;
	return code;
}

uint32_t utf8_previous(const char *start, const char **p)
{
	const char *end = *p, *from = end - 1;
	uint32_t code;

	/* Back over bytes that go on, to what may be the first of them. */
	while (from > start && end - from < 4 && (*from & 0xc0) == 0x80)
		from--;
	*p = from;
	code = utf8_next(&from, end);
	if (from == end)
		return code;
	*p = end - 1;
	return UTF8_REPLACEMENT;
}

size_t utf8_size(const char *text)
{
	const char *p = text, *end = text + strnlen(text, 4);

	if (p == end)
		return 0;
	/* U+FFFD itself has three bytes. */
	if (utf8_next(&p, end) == UTF8_REPLACEMENT && p == text + 1)
		return 0;
	return (size_t)(p - text);
}
