#ifndef CLI_PARSE_H
#define CLI_PARSE_H

#include "cli/settings.h"

/* The words of a command line, options under their full names. */
struct arguments {
	char **v;
	int count;
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
