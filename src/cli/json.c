/*
 * JSON as RFC 8259 has it, written member by member. Names from a recording may be any bytes: what
 * is not UTF-8 becomes U+FFFD, because a parser refuses the whole document for one bad byte.
 *
 *	{
 *	  "key": "text",
 *	  "empty": [],
 *	  "list": [
 *	    1
 *	  ]
 *	}
 *
 * What is open is not kept in a list: who opens a bracket closes it with its own.
 */
#include "cli/json.h"

#include <flamefold.h>
#include <inttypes.h>

#include "cli/terminal.h"

/* DEL and those above it are valid in JSON, but a terminal that shows the document is not to get
 * them. */
static void put_quoted(FILE *out, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	putc('"', out);
	while (*p) {
		size_t size = ff_utf8_size((const char *)p);

		if (size == 0) {
			fputs("\\ufffd", out);
			size = 1;
		} else if (*p == '"' || *p == '\\') {
			fprintf(out, "\\%c", *p);
		} else if (control_size((const char *)p)) {
			fprintf(out, "\\u%04x", p[size - 1]);
		} else {
			fwrite(p, 1, size, out);
		}
		p += size;
	}
	putc('"', out);
}

/* A comma stands before each member but the first; an element of an array has no key. */
static void begin_member(struct json *j, const char *key)
{
	if (j->filled)
		putc(',', j->out);
	if (j->depth)
		fprintf(j->out, "\n%*s", 2 * j->depth, "");
	j->filled = true;
	if (!key)
		return;
	put_quoted(j->out, key);
	fputs(": ", j->out);
}

void json_open(struct json *j, const char *key, char bracket)
{
	begin_member(j, key);
	putc(bracket, j->out);
	j->depth++;
	j->filled = false;
}

/* What is empty stays in one line. */
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
	begin_member(j, key);
	put_quoted(j->out, text);
}

void json_number(struct json *j, const char *key, uint64_t value)
{
	begin_member(j, key);
	fprintf(j->out, "%" PRIu64, value);
}

void json_bool(struct json *j, const char *key, bool value)
{
	begin_member(j, key);
	fputs(value ? "true" : "false", j->out);
}

void json_null(struct json *j, const char *key)
{
	begin_member(j, key);
	fputs("null", j->out);
}
