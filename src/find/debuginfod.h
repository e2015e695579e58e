#ifndef FIND_DEBUGINFOD_H
#define FIND_DEBUGINFOD_H

#include "base/context.h"
#include "base/text.h"

/*
 * Files by build id from debuginfod servers. Nothing here touches a network before
 * debuginfod_find() is called, and that is only for who asked for it: libdebuginfod, which
 * brings an HTTP library and some thirty others, is not even loaded until then. The
 * servers are those of $DEBUGINFOD_URLS, files stay in its cache (debuginfod(8)), and what
 * is found is not trusted: who uses it compares build ids.
 *
 * Servers that do not answer, or not in time, are not asked again.
 */
struct debuginfod;

enum debuginfod_kind { DEBUGINFOD_DEBUG_FILE, DEBUGINFOD_OBJECT };

struct debuginfod_options {
	unsigned timeout; /* seconds, for a file */
	/* How far a file is: bytes, @total 0 where that is not known. Called from the
	 * thread that asks, now and then. NULL is fine. */
	void (*progress)(void *arg, const char *what, uint64_t done, uint64_t total);
	void *arg;
};

/* -EINVAL with a sentence where there are no servers to ask; -ENOMEM. */
int debuginfod_new(struct context *ctx, const struct debuginfod_options *options,
		   struct debuginfod **ret);
void debuginfod_free(struct debuginfod *d); /* NULL is fine */

/* What is asked for. */
struct debuginfod_file {
	enum debuginfod_kind kind;
	const uint8_t *build_id;
	size_t build_id_size;
	const char *name; /* of the object, for people */
};

/* Appends the path of the file; false where there is none, or without memory (path->failed).
 * By any number of threads: they wait for each other. */
bool debuginfod_find(struct debuginfod *d, const struct debuginfod_file *file,
		     struct text *path);

/* Why servers are not asked any more, a sentence; NULL: all is well. */
const char *debuginfod_problem(struct debuginfod *d);

#endif
