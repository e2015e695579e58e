#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stddef.h>
#include <stdio.h>

#include "cli/settings.h"

/*
 * One row an option. The rows are all there is: they parse, they print --help, and
 * a default is a value that the row sets before the command line is read.
 */
struct option_row {
	const char *name; /* NULL: a heading, whose text is help */
	char letter; /* 0: none */
	const char *arg; /* NULL: takes no value */
	const char *help; /* "" of a row with tell() */
	unsigned commands; /* of enum command_bit */
	/* 0, or an exit code with its message printed. */
	int (*set)(struct settings *s, const struct option_row *row, const char *arg);
	size_t at; /* of what is set, in struct settings */
	const char *alone; /* its value where none is given; NULL: one is needed */
	/* With alone: can the next word be its value? NULL: it never is */
	bool (*is_value)(const char *word);
	const char *initial; /* NULL: the library's default */
	double min, max; /* of a number */
	unsigned flag; /* what is set where the option takes no value */
	const char *hint; /* for those whose value is refused */
	const char *record_hint; /* the same for record, NULL: no other */
	/* The help, where it is made when it is asked for. */
	void (*tell)(char *help, size_t size);
};

/* The value is not taken: what would be, and the hint of the row, if record has none of its own. An
 * exit code. */
int option_refuse(const struct settings *s, const struct option_row *row, const char *arg,
		  const char *wanted);

/* strtod() alone takes "-1", " 1", "inf", "nan" and "0x1p3", too. @end: what is behind the number. */
bool option_real_number(const char *arg, char **end, double *ret);

extern const struct option_row option_rows[]; /* ends with a row without help */

enum { OPTION_HELP_MOST = 400 };

/* The help of any row; @room is for one that is made. */
const char *option_help(const struct option_row *row, char *room, size_t size);

#endif
