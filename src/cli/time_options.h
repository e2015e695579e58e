#ifndef CLI_TIME_OPTIONS_H
#define CLI_TIME_OPTIONS_H

#include "cli/options.h"

/* Of option rows. */
int time_set_heat(struct settings *s, const struct option_row *row, const char *arg);
int time_set_slice(struct settings *s, const struct option_row *row, const char *arg);

#endif
