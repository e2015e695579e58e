#ifndef CLI_MERGE_LIST_H
#define CLI_MERGE_LIST_H

#include "cli/settings.h"

/* What is to be merged, or added to an archive: the inputs of the command line, and those that a file
 * names. */
struct merge_list {
	const char **inputs;
	size_t count;
	char *text; /* that they point into; NULL: they are all of the command line */
};

/* @words: so many inputs of the command line are none, and where there are some nobody chooses what is not
 * named. 0, or an exit code with its message printed; to be released in any case. */
int merge_list_read(const struct settings *s, size_t words, struct merge_list *ret);
void merge_list_release(struct merge_list *list);

#endif
