#ifndef CLI_MERGE_OPTIONS_H
#define CLI_MERGE_OPTIONS_H

#include "cli/options.h"

/* As option_row.set. */
int merge_set_label(struct settings *s, const struct option_row *row, const char *arg);
/* A word by which recordings are told apart: "host", a time, or the key of a label. */
int merge_set_key(struct settings *s, const struct option_row *row, const char *arg);

#endif
