#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/command.h"

/* @command NULL: the commands, and the options of all of them. */
void print_help(const struct command *command);

#endif
