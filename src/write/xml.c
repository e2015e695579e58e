/*
 * A byte's class, from a table, says what is to be done with it. Runs of bytes that need
 * nothing are copied as a whole, and in most names that is all of them; only what is no
 * ASCII is decoded. Everything goes through one loop, so that no way to write leaves
 * something out.
 */
#include "write/xml.h"

#include <ctype.h>
#include <string.h>

#include "base/utf8.h"

enum byte_class {
	PLAIN,
	MARKUP, /* means something to XML */
	QUOTE, /* ... inside an attribute only */
	CONTROL, /* cannot be in XML */
	WIDE, /* not ASCII: has to be looked at */
};

/* By byte; what is not named is PLAIN. */
static const uint8_t classes[256] = {
	/* tab and newline are plain; a parser would turn a return into a newline */
	[0x00 ... 0x08] = CONTROL,
	[0x0b ... 0x0c] = CONTROL,
	['\r'] = MARKUP,
	[0x0e ... 0x1f] = CONTROL,
	[0x7f] = CONTROL,
	['&'] = MARKUP,
	['<'] = MARKUP,
	['>'] = MARKUP,
	['"'] = QUOTE,
	[0x80 ... 0xff] = WIDE,
};

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

static const char *const references[256] = {
	[0x00 ... 0x08] = REPLACEMENT,
	[0x0b ... 0x0c] = REPLACEMENT,
	[0x0e ... 0x1f] = REPLACEMENT,
	[0x7f] = REPLACEMENT,
	['&'] = "&amp;",
	['<'] = "&lt;",
	['>'] = "&gt;",
	['"'] = "&quot;",
	['\r'] = "&#13;",
};

struct codepoint_range {
	uint32_t first, last;
};

static bool is_in_ranges(const struct codepoint_range *ranges, size_t count,
			 uint32_t code)
{
	for (size_t i = 0; i < count; i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return false;
}

/* @start: of the text that *@p is in. */
static void add_wide(struct text *t, const char *start, const char **p, const char *end)
{
	/* Cannot be in XML, or cannot be seen, or turns the text behind it round. */
	static const struct codepoint_range unseen[] = {
		{ 0x80, 0x9f },	    { 0x61c, 0x61c },	{ 0x200b, 0x200f },
		{ 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0xfeff, 0xfeff },
		{ 0xfffe, 0xffff },
	};
	/* Letters of scripts that join, and pictures: U+200C and U+200D behind them change
	 * what is seen. */
	static const struct codepoint_range joining[] = {
		{ 0x600, 0x61b },     { 0x61d, 0x109f },  { 0x1780, 0x1cff },
		{ 0x2190, 0x2bff },   { 0xa800, 0xabff }, { 0xfb50, 0xfdff },
		{ 0xfe0f, 0xfe0f },   { 0xfe70, 0xfefe }, { 0x11000, 0x11fff },
		{ 0x1f000, 0x1faff },
	};
	const char *from = *p, *before = from;
	uint32_t code = utf8_next(p, end);
	bool lost = is_in_ranges(unseen, sizeof(unseen) / sizeof(unseen[0]), code);

	if ((code == 0x200c || code == 0x200d) && from > start)
		lost = !is_in_ranges(joining, sizeof(joining) / sizeof(joining[0]),
				     utf8_previous(start, &before));
	if (code == UTF8_REPLACEMENT || lost)
		text_string(t, REPLACEMENT);
	else
		text_add(t, from, (size_t)(*p - from));
}

/* @plain: the classes that need nothing done, as bits. */
static void escape(struct text *t, const char *p, const char *end, unsigned plain)
{
	const char *start = p;

	while (p < end) {
		const char *from = p;
		uint8_t found = PLAIN;

		/* A run of what may stay: its end is the first byte whose class is not in
		 * @plain. */
		while (p < end && plain >> (found = classes[(uint8_t)*p]) & 1)
			p++;
		text_add(t, from, (size_t)(p - from));
		if (p == end)
			return;
		if (found == WIDE)
			add_wide(t, start, &p, end);
		else
			text_string(t, references[(uint8_t)*p++]);
	}
}

void xml_text(struct text *t, const char *bytes, size_t size)
{
	escape(t, bytes, bytes + size, 1 << PLAIN | 1 << QUOTE);
}

void xml_quoted(struct text *t, const char *bytes, size_t size)
{
	escape(t, bytes, bytes + size, 1 << PLAIN);
}

/* The length of a reference that every XML parser knows, or 0. */
static size_t reference_size(const char *p)
{
	static const char *const known[] = { "&amp;", "&lt;", "&gt;", "&quot;",
					     "&apos;" };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strncmp(p, known[i], strlen(known[i])) == 0)
			return strlen(known[i]);
	return 0;
}

/*
 * References stay, so that "&amp;" does not become "&amp;amp;"; any other '&' is quoted.
 */
void xml_requoted(struct text *t, const char *string)
{
	const char *from = string;

	for (const char *p = string; (p = strchr(p, '&')); p++) {
		size_t size = reference_size(p);

		if (!size)
			continue;
		xml_quoted(t, from, (size_t)(p - from));
		text_add(t, p, size);
		from = p + size;
	}
	xml_quoted(t, from, strlen(from));
}

/* Two hyphens may not stand in a comment: a blank goes between each two. */
void xml_comment(struct text *t, const char *string)
{
	for (const char *p = string; *p; p++) {
		if (*p == '-' && p > string && p[-1] == '-')
			text_char(t, ' ');
		xml_quoted(t, p, *p == '-' ? 1 : strcspn(p, "-"));
		p += *p == '-' ? 0 : strcspn(p, "-") - 1;
	}
}

/* Each is name="value" or name='value', with blanks between. */
bool xml_are_attributes(const char *string)
{
	const char *s = string;

	for (;;) {
		char quote;

		while (*s == ' ')
			s++;
		if (!*s)
			return true;
		if (!isalpha((unsigned char)*s) && *s != '_')
			return false;
		while (isalnum((unsigned char)*s) || (*s && strchr("_-.:", *s)))
			s++;
		if (*s++ != '=')
			return false;
		quote = *s++;
		if (quote != '"' && quote != '\'')
			return false;
		for (; *s != quote; s++)
			/* The end of the string is a CONTROL: a quote that is missing ends
			 * here, too. */
			if (classes[(uint8_t)*s] > QUOTE || *s == '<' ||
			    (*s == '&' && !reference_size(s)))
				return false;
		s++;
		if (*s && *s != ' ')
			return false;
	}
}
