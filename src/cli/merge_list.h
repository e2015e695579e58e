#ifndef CLI_MERGE_LIST_H
#define CLI_MERGE_LIST_H

#include "cli/settings.h"

/* What is to be merged: the inputs of the command line, and those that a file names. */
struct merge_list {
	const char **inputs;
	size_t count;
	char *text; /* that they point into; NULL: they are all of the command line */
};

/* 0, or an exit code with its message printed; to be released in any case. */
int merge_list_read(const struct settings *s, struct merge_list *ret);
void merge_list_release(struct merge_list *list);

#endif
