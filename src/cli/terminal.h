#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/*
 * What is said to the person at the terminal, on stderr. Control characters of
 * names and paths do not reach it.
 */

/* "flamefold: ..." */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The sentence, and where to find help. Always EXIT_USAGE. */
int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* One line that the next one replaces; only where stderr is a terminal. */
void status(const char *format, ...) __attribute__((format(printf, 1, 2)));
void status_clear(void);

/* @text with a '?' for every control character. */
void put_clean(FILE *out, const char *text);

#endif
