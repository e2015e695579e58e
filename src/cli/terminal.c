/*
 * All messages go through one function, which erases the line of progress first and
 * prints no control character that it did not make itself: those of names are replaced,
 * also the ones above 0x7f that UTF-8 has in two bytes. With colours a line is made in
 * memory first, cleaned, and painted then, so no name can look like paint.
 */
#include "cli/terminal.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"

#define RED "\033[31m"
#define YELLOW "\033[33m"
#define BOLD "\033[1m"
#define PLAIN "\033[m"

static atomic_bool status_shown; /* progress comes from any thread */
static FILE *
	held; /* where sentences go while the terminal shows something else; NULL: stderr */

size_t control_size(const char *text)
{
	unsigned char c = (unsigned char)*text, next = c ? (unsigned char)text[1] : 0;

	if (c == 0xc2 && next >= 0x80 && next < 0xa0)
		return 2;
	return (c && c < ' ') || c == 0x7f;
}

/* One "?" for a character: the width stays what it was. */
void put_clean(FILE *out, const char *text)
{
	for (size_t size; *text; text += size ?: 1) {
		size = control_size(text);
		putc(size ? '?' : *text, out);
	}
}

/* What has come in of a character of UTF-8: stdio may cut the text between its bytes. */
struct visible {
	FILE *to;
	unsigned char lead; /* 0xc2, which has not gone on as yet; else 0 */
	int more; /* bytes that it still has */
};

static void put_byte_as_hex(FILE *to, unsigned char c)
{
	fprintf(to, "\\x%02x", c);
}

/*
 * 0x80 to 0x9f are control characters by themselves, to some terminals, and behind 0xc2.
 *
 *	c2 9b    U+009B, a control character    \xc2\x9b
 *	c2 a9    U+00A9, a sign                 as it is
 *	9b       no UTF-8                       \x9b
 */
static ssize_t write_visible(void *cookie, const char *bytes, size_t size)
{
	struct visible *v = cookie;

	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)bytes[i];
		bool is_rest = c >= 0x80 && c < 0xc0;
		bool is_upper = c >= 0x80 && c < 0xa0;

		if (v->lead && is_upper)
			put_byte_as_hex(v->to, v->lead);
		else if (v->lead)
			putc(v->lead, v->to);
		if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f ||
		    (is_upper && (v->lead || v->more == 0)))
			put_byte_as_hex(v->to, c);
		else if (c != 0xc2)
			putc(c, v->to);
		v->lead = c == 0xc2 ? c : 0;
		if (is_rest)
			v->more -= v->more > 0;
		else
			v->more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc2 ? 1 : 0;
	}
	return ferror(v->to) ? 0 : (ssize_t)size;
}

/* A lead byte at the very end is no control character: nothing follows it. */
static int close_visible(void *cookie)
{
	struct visible *v = cookie;

	if (v->lead)
		putc(v->lead, v->to);
	free(v);
	return 0;
}

FILE *open_visible(FILE *to)
{
	static const cookie_io_functions_t functions = { .write = write_visible,
							 .close = close_visible };
	struct visible *v = calloc(1, sizeof(*v));
	FILE *stream;

	if (!v)
		return NULL;
	v->to = to;
	stream = fopencookie(v, "w", functions);
	if (!stream)
		free(v);
	return stream;
}

/* A dumb terminal, such as an editor's, would print escape sequences. */
static bool is_clever(FILE *out)
{
	const char *term = getenv("TERM");

	return !(term && strcmp(term, "dumb") == 0) && isatty(fileno(out));
}

/* https://no-color.org: a value of any kind, but not an empty one. */
bool has_colours(FILE *out)
{
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");

	return !(no_colour && *no_colour) && term && *term && is_clever(out);
}

/* Where nothing is said, as in most containers, terminals have it. */
bool has_utf8(void)
{
	static const char *const variables[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *locale = NULL;

	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		if (!locale || !*locale)
			locale = getenv(variables[i]);
	return !locale || !*locale || strcasestr(locale, "utf-8") ||
	       strcasestr(locale, "utf8");
}

/* Text without a control character, its names in bold and all of it in @colour. */
static void put_line_in_colour(FILE *out, const char *line, const char *end,
			       const char *colour)
{
	fputs(colour, out);
	for (const char *p = line; p < end;) {
		/* A name stands between single quotes: 'perf.data', but not an apostrophe. */
		bool opens = *p == '\'' && (p == line || !isalnum((unsigned char)p[-1]));
		const char *close = opens ? p + 1 : end;

		while (close < end &&
		       (*close != '\'' ||
			(close + 1 < end && isalnum((unsigned char)close[1]))))
			close++;
		if (close == end) {
			putc(*p++, out);
			continue;
		}
		fprintf(out, "'" BOLD "%.*s" PLAIN "%s'", (int)(close - p) - 1, p + 1,
			colour);
		p = close + 1;
	}
	if (*colour)
		fputs(PLAIN, out);
}

/* A line's label is what stands before its first two blanks; indented lines go on with the line
 * above. */
void put_report(FILE *out, const char *text)
{
	const char *colour = "";

	for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
		const char *bold = line;

		end = strchr(line, '\n') ?: line + strlen(line);
		if (*line != ' ')
			bold = memmem(line, (size_t)(end - line), "  ", 2) ?: end;
		if (bold > line) {
			colour = strncmp(line, "warnings", (size_t)(bold - line)) == 0
					 ? YELLOW
					 : "";
			fprintf(out, BOLD "%.*s" PLAIN, (int)(bold - line), line);
		}
		if (bold < end)
			put_line_in_colour(out, bold, end, colour);
		putc('\n', out);
	}
}

enum tone { TONE_ERROR, TONE_WARNING, TONE_NOTE };

/* Cleaned before it is painted; without memory it is plain. @end stands behind the names. */
static void say_list(enum tone tone, const char *end, const char *format, va_list args)
{
	static const char *const colours[] = {
		[TONE_ERROR] = RED,
		[TONE_WARNING] = YELLOW,
		[TONE_NOTE] = "",
	};
	char line[2048], *clean = NULL;
	FILE *memory, *out = held ? held : stderr;
	size_t size = 0;

	vsnprintf(line, sizeof(line), format, args);
	status_clear();
	memory = has_colours(stderr) ? open_memstream(&clean, &size) : NULL;
	if (!memory) {
		fputs("flamefold: ", out);
		put_clean(out, line);
		fputs(end, out);
		return;
	}
	put_clean(memory, line);
	fclose(memory);
	fprintf(out, "%sflamefold:" PLAIN " ", colours[tone]);
	if (clean)
		put_line_in_colour(out, clean, clean + size, "");
	fputs(end, out);
	free(clean);
}

void say_hold(FILE *to)
{
	held = to;
}

void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_list(TONE_ERROR, "\n", format, args);
	va_end(args);
}

void say_warning(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_list(TONE_WARNING, "\n", format, args);
	va_end(args);
}

void say_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_list(TONE_NOTE, "\n", format, args);
	va_end(args);
}

int usage_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_list(TONE_ERROR, "; try 'flamefold --help'\n", format, args);
	va_end(args);
	return EXIT_USAGE;
}

void status(const char *format, ...)
{
	char line[256];
	va_list args;

	if (held || !is_clever(stderr))
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	/* Not wider than any terminal: a line that wraps cannot be erased. */
	fputs("\r\033[K", stderr);
	line[70] = '\0';
	put_clean(stderr, line);
	fflush(stderr);
	status_shown = true;
}

void status_clear(void)
{
	if (!status_shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	status_shown = false;
}
