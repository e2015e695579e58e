#ifndef CLI_PICTURE_OPTIONS_H
#define CLI_PICTURE_OPTIONS_H

#include "cli/options.h"

/* Of option rows. */
int picture_set_heat(struct settings *s, const struct option_row *row, const char *arg);
int picture_set_slice(struct settings *s, const struct option_row *row, const char *arg);
int picture_set_minwidth(struct settings *s, const struct option_row *row,
			 const char *arg);

#endif
