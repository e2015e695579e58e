#include "cli/terminal.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/command.h"

static atomic_bool status_shown; /* progress comes from any thread */

void put_clean(FILE *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		unsigned char next = (unsigned char)text[1];

		/* U+0080 to U+009F control terminals as well. */
		if (c == 0xc2 && next >= 0x80 && next < 0xa0) {
			putc('?', out);
			text++;
			continue;
		}
		putc(c < ' ' || c == 0x7f ? '?' : c, out);
	}
}

static void say_list(const char *end, const char *format, va_list args)
{
	char line[2048];

	vsnprintf(line, sizeof(line), format, args);
	status_clear();
	fputs("flamefold: ", stderr);
	put_clean(stderr, line);
	fputs(end, stderr);
}

void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_list("\n", format, args);
	va_end(args);
}

int usage_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_list("; try 'flamefold --help'\n", format, args);
	va_end(args);
	return EXIT_USAGE;
}

void status(const char *format, ...)
{
	char line[256];
	va_list args;

	if (!isatty(STDERR_FILENO))
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
