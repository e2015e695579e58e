#ifndef CLI_PARSE_H
#define CLI_PARSE_H

#include <stddef.h>

#include "cli/settings.h"

struct option_row;

/* What a command line says, in its order. */
struct choice {
	const struct option_row *row; /* NULL: an input */
	const char *value; /* NULL: none */
	char *made; /* the value, where it is no part of the command line; else NULL */
};

struct arguments {
	struct choice *v;
	size_t count, room;
};

void arguments_release(struct arguments *args);

/*
 * Reads @argv, whose first word is skipped. 0, or an exit code with its message
 * printed. What @s points to lives as long as @args and @argv.
 */
int parse(const struct command *command, int argc, char **argv, struct arguments *args,
	  struct settings *s);
void settings_release(struct settings *s);

#endif
