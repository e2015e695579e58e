#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/*
 * What is said to the person at the terminal, on stderr. Control characters of
 * names and paths do not reach it.
 */

/* "flamefold: ...", of something that went wrong and ends the work or a part of it. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same of what is missing or doubtful, and of what was done. */
void say_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void say_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Sentences are kept in @to, as they would be printed, and no progress is shown; NULL: not any more. */
void say_hold(FILE *to);

/* The sentence, and where to find help. Always EXIT_USAGE. */
int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* One line that the next one replaces; only where stderr is a terminal that can. */
void status(const char *format, ...) __attribute__((format(printf, 1, 2)));
void status_clear(void);

/* How many bytes of a control character @text begins with; 0: it begins with none. DEL is one, and so
 * are U+0080 to U+009F, which control terminals as well. */
size_t control_size(const char *text);

/* @text with a '?' for every control character. */
void put_clean(FILE *out, const char *text);

/*
 * A stream whose bytes go on to @to, with "\x1b" for each control character but tab and newline:
 * names are what somebody else called a process, and shall not command the terminal. To be
 * closed before @to is flushed. NULL without memory.
 */
FILE *open_visible(FILE *to);

/* Colours are wanted there: it is a terminal that has some, and NO_COLOR is not set. */
bool has_colours(FILE *out);

/* Terminals show UTF-8, as far as the locale's name says. */
bool has_utf8(void);

/*
 * A report of lines as info prints it, with colours: headings, labels and the names between
 * single quotes are bold, what stands below "warnings" is yellow.
 *
 *	label         text
 *
 *	heading
 *	            12.3 %  text
 */
void put_report(FILE *out, const char *text);

#endif
