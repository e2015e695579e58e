#ifndef CLI_FINDING_H
#define CLI_FINDING_H

#include <flamefold.h>

/*
 * A finding as one sentence: its cause, and what mends it. @file: what the commands in it are
 * to be told for FILE; NULL: there is nothing that they could read. To be freed; NULL without
 * memory.
 */
char *finding_sentence(const struct ff_finding *f, const char *file);

/* The commands alone; NULL also where there are none. */
char *finding_commands(const struct ff_finding *f, const char *file);

/* The file that the inputs' answers can be asked for again; NULL: there is none, as of standard
 * input. */
const char *finding_file(const struct ff_profile *p);

#endif
