#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdbool.h>

#include "cli/command.h"

/* @command NULL: the commands, and the options of all of them. */
void print_help(const struct command *command);

/* What --mode knows; @rules: also how each one weighs. */
void print_modes(bool rules);

#endif
