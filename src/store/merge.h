#ifndef STORE_MERGE_H
#define STORE_MERGE_H

#include <stdio.h>

#include "store/origin.h"

/*
 * Profile files become one. Their streams of nodes are merged as sorted files are, so that what is
 * in memory is a block of nodes and the numbers of its frames for each of them, and the names of
 * all; never a tree. Where these would be more than the memory that there is for it, or where there
 * are several threads, files are merged in groups at first, through temporary files.
 */
struct store_merge_file {
	const char *path;
	const char *name; /* for messages; NULL: the path */
	int fd; /* open as long as nodes are read; -1: it is opened by its path */
	uint64_t size; /* bytes */
	char *why; /* it cannot be read, a sentence; NULL: nothing known */
};

struct store_merge_job {
	struct store_merge_file *files;
	size_t count;
	const struct store_origin *origin; /* sorted; of all */
	const struct intern *strings; /* of its texts */
	unsigned threads;
	bool plain; /* nothing is packed */
	/* Bytes, for what files make large: names of all, and a section of each. 0: any. */
	uint64_t memory;
	void (*progress)(void *arg, uint64_t bytes); /* so many of the files are merged */
	void *arg;
};

/*
 * Writes the sum of all to @out. -EBADMSG where some cannot be read: they have got a reason, nothing of
 * use was written, and without them it can be done again. -EFBIG: all together take more than .memory;
 * store_merge_verify() tells whether one does alone. Other errors have their sentence in @ctx.
 */
int store_merge(struct context *ctx, const struct store_merge_job *job, FILE *out);

/* Only what stands before the tables; *@is_empty: there are no values. -EBADMSG where it is no profile
 * file. */
int store_merge_look(struct context *ctx, const char *path, struct intern *strings,
		     struct store_origin *ret, bool *is_empty);

/* Reads all of each, with the memory there is: those that cannot be read get a reason. 0, or -ENOMEM. */
int store_merge_verify(struct context *ctx, const struct store_merge_job *job);

/* A temporary file without a name, in $TMPDIR or /tmp; a negative errno with a sentence. */
int store_temporary(struct context *ctx);

#endif
