#ifndef CLI_MEMORY_OPTION_H
#define CLI_MEMORY_OPTION_H

#include "cli/options.h"

/* As option_row.set. */
int memory_set(struct settings *s, const struct option_row *row, const char *arg);

#endif
