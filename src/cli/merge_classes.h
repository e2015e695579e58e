#ifndef CLI_MERGE_CLASSES_H
#define CLI_MERGE_CLASSES_H

#include <stdio.h>

#include "cli/settings.h"

/*
 * Which groups of a merge are alike: those whose functions have the same shares, as far as the number of
 * their samples can tell. @m has been finished, by what classes are of. 0, or an exit code with its
 * message printed.
 */
int merge_classes(struct ff_merge *m, const struct settings *s, FILE *out);

#endif
