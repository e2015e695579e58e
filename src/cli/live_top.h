#ifndef CLI_LIVE_TOP_H
#define CLI_LIVE_TOP_H

#include "cli/settings.h"

/* With an input, -p, -t and -C choose among its samples, and become filters; options of sampling need
 * somebody to sample. 0, or an exit code with its message printed. */
int live_top_check(struct settings *s);

/* The table of what runs now: on a terminal again and again, until q or Ctrl-C. An exit code. */
int live_top_run(const struct settings *s);

#endif
