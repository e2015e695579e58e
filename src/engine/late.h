#ifndef ENGINE_LATE_H
#define ENGINE_LATE_H

#include <flamefold_store.h>

#include "store/store.h"

/* An open profile file, and what names what it has by address. */
struct late_job {
	int fd;
	bool plain;
	const struct ff_options *options;
	struct ff_merge_named *told; /* is added to */
};

/* The same with the names that are found. 0, or a negative errno with a sentence. */
int late_symbolize(struct context *ctx, const struct late_job *job, FILE *out);

#endif
