#ifndef CLI_ADVICE_H
#define CLI_ADVICE_H

#include <flamefold.h>
#include <stdio.h>

#include "cli/package.h"

/* What would give the functions of an object their names. */
struct advice {
	const struct ff_profile *profile;
	const char *root; /* of the files that were looked at: --symfs, or "" */
	const char *debug_dir; /* --debug-dir */
	bool rpm;
	char *debug_archive; /* of the distribution, as apt wants it; NULL: not known */
	struct package_query *packages; /* of files that lack something; by path */
	size_t count;
	const struct ff_process **processes; /* by pid */
	size_t process_count;
};

/* The profile is finished, and outlives it. */
void advice_begin(struct advice *a, const struct ff_profile *p, const char *symfs,
		  const char *debug_dir);
void advice_end(struct advice *a);

/* What it lacks: names of functions, names of some, or what was inlined. */
enum lack {
	LACK_NOTHING,
	LACK_INLINES, /* there are names, but no debug information */
	LACK_NAMES,
};
enum lack advice_lack(const struct ff_object *o);

/* What to install, copy or switch on, in a sentence; nothing is written where nothing is
 * lacking, or nothing helps. */
void advice_put(const struct advice *a, const struct ff_object *o, FILE *out);

#endif
