#ifndef CLI_DIFF_OPTIONS_H
#define CLI_DIFF_OPTIONS_H

#include "cli/options.h"

enum { DIFF_RANGE_MOST = 250 }; /* bytes */

/* What rows of diff's own options set; as option_row.set. */
int diff_set_normalize(struct settings *s, const struct option_row *row, const char *arg);
int diff_set_match(struct settings *s, const struct option_row *row, const char *arg);
int diff_set_range(struct settings *s, const struct option_row *row, const char *arg);
int diff_set_table(struct settings *s, const struct option_row *row, const char *arg);
int diff_set_fail_over(struct settings *s, const struct option_row *row, const char *arg);

#endif
