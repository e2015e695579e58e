/*
 * Strings as JSON has them (RFC 8259, 7). Control characters are escaped, also DEL and those above it,
 * which JSON would allow, so that a document can be shown by a terminal; and '<', so that it can stand
 * in a page.
 */
#include "write/json.h"

#include <string.h>

#include "base/utf8.h"

void json_string(struct text *t, const char *bytes, size_t size)
{
	const char *end = bytes + size, *p = bytes, *plain = bytes;

	text_char(t, '"');
	while (p < end) {
		const char *from = p;
		uint32_t c = utf8_next(&p, end);

		if (c >= ' ' && c != '"' && c != '\\' && c != '<' &&
		    c != UTF8_REPLACEMENT && (c < 0x7f || c >= 0xa0))
			continue;
		/* What needs no escape goes out at once. */
		text_add(t, plain, (size_t)(from - plain));
		plain = p;
		if (c == '"' || c == '\\') {
			text_char(t, '\\');
			text_char(t, (char)c);
		} else {
			text_printf(t, "\\u%04x", c);
		}
	}
	text_add(t, plain, (size_t)(end - plain));
	text_char(t, '"');
}

void json_quoted(struct text *t, const char *string)
{
	if (string)
		json_string(t, string, strlen(string));
	else
		text_string(t, "null");
}
