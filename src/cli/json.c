#include "cli/json.h"

#include <inttypes.h>
#include <stddef.h>

/*
 * Bytes of the character that begins at @p, 0 where it is none: RFC 3629, without
 * overlong forms, surrogates and what lies above U+10FFFF.
 */
static size_t utf8_size(const unsigned char *p)
{
	static const struct {
		unsigned char first, last, low,
			high; /* low and high: of the second byte */
		unsigned char size;
	} forms[] = {
		{ 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
		{ 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 },
		{ 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 },
		{ 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};

	if (*p < 0x80)
		return 1;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (*p < forms[i].first || *p > forms[i].last)
			continue;
		if (p[1] < forms[i].low || p[1] > forms[i].high)
			return 0;
		/* A NUL ends the loop before it is passed. */
		for (size_t n = 2; n < forms[i].size; n++)
			if (p[n] < 0x80 || p[n] > 0xbf)
				return 0;
		return forms[i].size;
	}
	return 0;
}

static void put_string(FILE *out, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	putc('"', out);
	while (*p) {
		size_t size = utf8_size(p);

		if (size == 0) {
			fputs("\\ufffd", out);
			size = 1;
		} else if (*p == '"' || *p == '\\') {
			fprintf(out, "\\%c", *p);
		} else if (*p < 0x20 || *p == 0x7f) {
			fprintf(out, "\\u%04x", *p);
		} else {
			fwrite(p, 1, size, out);
		}
		p += size;
	}
	putc('"', out);
}

static void begin(struct json *j, const char *key)
{
	if (j->filled)
		putc(',', j->out);
	if (j->depth)
		fprintf(j->out, "\n%*s", 2 * j->depth, "");
	j->filled = true;
	if (!key)
		return;
	put_string(j->out, key);
	fputs(": ", j->out);
}

void json_open(struct json *j, const char *key, char bracket)
{
	begin(j, key);
	putc(bracket, j->out);
	j->depth++;
	j->filled = false;
}

void json_close(struct json *j, char bracket)
{
	j->depth--;
	if (j->filled)
		fprintf(j->out, "\n%*s", 2 * j->depth, "");
	putc(bracket, j->out);
	if (!j->depth)
		putc('\n', j->out);
	j->filled = true;
}

void json_text(struct json *j, const char *key, const char *text)
{
	if (!text) {
		json_null(j, key);
		return;
	}
	begin(j, key);
	put_string(j->out, text);
}

void json_number(struct json *j, const char *key, uint64_t value)
{
	begin(j, key);
	fprintf(j->out, "%" PRIu64, value);
}

void json_bool(struct json *j, const char *key, bool value)
{
	begin(j, key);
	fputs(value ? "true" : "false", j->out);
}

void json_null(struct json *j, const char *key)
{
	begin(j, key);
	fputs("null", j->out);
}
