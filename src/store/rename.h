#ifndef STORE_RENAME_H
#define STORE_RENAME_H

#include <stdio.h>

#include "store/merge.h"
#include "store/tables.h"

/* What frames of a file become: by frame, one or more of @to, outermost first. */
struct store_renaming {
	const struct store_tables
		*from; /* as the file has them: a frame's index is its number */
	struct store_tables *to; /* what frames become is added to it */
	uint32_t *start; /* by frame, and one more: where its frames begin in .frames */
	ARRAY(uint32_t) frames; /* indexes in .to */
};

/* Fills .start and .frames, in the order of frames. 0, or a negative errno with a sentence. */
typedef int store_rename_call(void *arg, struct store_renaming *r);

/* A frame as it is; its index in .to. 0, or -ENOMEM. */
int store_rename_keep(struct store_renaming *r, uint32_t frame, uint32_t *ret);

/* Writes an open profile file anew: what frames become is asked once, the tree is in memory. Values of
 * stacks that have become one are added up; all else is as it was. */
struct store_rewriting {
	int fd;
	const char *name; /* for messages */
	bool plain;
	store_rename_call *rename;
	void *arg;
};
int store_rewrite(struct context *ctx, const struct store_rewriting *how, FILE *out);

#endif
