#ifndef CLI_VERBOSE_H
#define CLI_VERBOSE_H

#include "cli/analysis.h"

/* What -v says, on stderr: a stage when it begins; */
void tell_stage(struct analysis *a, const char *what);

/* what was read, and for each object where its names come from. Nothing without -v. */
void tell_analysis(const struct analysis *a);

#endif
