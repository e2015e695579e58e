#ifndef ARCHIVE_INDEX_H
#define ARCHIVE_INDEX_H

#include "archive/archive.h"

/* Opens the index, or makes one. It is ours: what somebody else put into it is never run. */
int index_open(struct ff_archive *a);
void index_close(struct ff_archive *a);

int index_begin(struct ff_archive *a); /* to write; who else writes is waited for */
/* Ends it: commits where @err is 0, else all is as before. Returns @err, or what went wrong. */
int index_end(struct ff_archive *a, int err);
/* What was done since the savepoint "recording" is as if it had not been. */
void index_undo(struct ff_archive *a);

#endif
