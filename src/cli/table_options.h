#ifndef CLI_TABLE_OPTIONS_H
#define CLI_TABLE_OPTIONS_H

#include <stdbool.h>

#include "cli/options.h"

/* Values of the options of top and tree: 0, or an exit code with its message printed. */
int table_set_by(struct settings *s, const struct option_row *row, const char *arg);
int table_set_order(struct settings *s, const struct option_row *row, const char *arg);
int table_set_calls(struct settings *s, const struct option_row *row, const char *arg);
/* Can the word be the value of -g? */
bool table_is_calls(const char *word);

#endif
