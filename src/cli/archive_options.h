#ifndef CLI_ARCHIVE_OPTIONS_H
#define CLI_ARCHIVE_OPTIONS_H

#include "cli/options.h"

/* Each as option_row.set. */
int archive_set_host(struct settings *s, const struct option_row *row, const char *arg);
int archive_set_keep(struct settings *s, const struct option_row *row, const char *arg);

/* A moment, or one so long ago: seconds since 1970 at the row's place. */
int archive_set_time(struct settings *s, const struct option_row *row, const char *arg);
int archive_set_age(struct settings *s, const struct option_row *row, const char *arg);

/* "5", "5%". */
int archive_set_over(struct settings *s, const struct option_row *row, const char *arg);

#endif
