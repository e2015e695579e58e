#ifndef CLI_SHORT_RUN_H
#define CLI_SHORT_RUN_H

#include "cli/settings.h"

/* Says why a live run has no samples: where its command ran for less than a rate sees, how long
 * that was and which rate sees it. */
void explain_empty_run(const struct settings *s, const struct ff_profile *p);

/* A live run that could not be: says why. An exit code. */
int refuse_run(const struct ff_profile *p, int err);

#endif
