#ifndef ARCHIVE_MERGE_H
#define ARCHIVE_MERGE_H

#include <stdio.h>

#include "archive/parts.h"

/* Profile files that become one: parts, or, where @parts is NULL, one that is to be added. */
struct merge_job {
	const part_list *parts;
	const struct ff_archive_recording *added;
	FILE *out;
	size_t refused; /* set: of these, which were told as warnings */
};

/* -EBADMSG where none can be read. */
int merge_parts(struct ff_archive *a, struct merge_job *job);

#endif
