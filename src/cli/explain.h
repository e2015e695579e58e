#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include <flamefold.h>

/*
 * Why an input cannot be used, in the words of somebody who has just named the
 * wrong file. Prints one sentence; always EXIT_INPUT.
 */
int explain_failure(const struct ff_profile *p, const char *path, int err);

#endif
