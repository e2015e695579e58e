#ifndef CLI_ANALYSIS_H
#define CLI_ANALYSIS_H

#include <stdio.h>

#include "cli/settings.h"

/* Inputs that were read, and the tree they make. */
struct analysis {
	struct ff_profile *profile;
	double started, was_read, was_named; /* seconds of a clock */
	bool verbose;
	char stage[48]; /* that was told of last */
	/* What the profile says meanwhile, each line with a NUL behind it, for analysis_say_held(). NULL:
	 * it is said at once. */
	FILE *held;
	char *said;
	size_t said_size;
};

double now(void);

/* The inputs that were named, or what somebody has put on standard input, or ./perf.data. 0, or an exit code with its message
 * printed. */
int choose_inputs(const struct settings *s, const char *const **ret, size_t *count);

/* A profile without inputs, with the options and filters. 0, or an exit code with its
 * message printed; release @ret in any case. */
int analysis_open(const struct settings *s, struct analysis *ret);

/* Can its weight be cut into pieces of time? */
bool can_be_cut(const struct settings *s);

/* 0, or an exit code with its message printed; release @ret in any case. */
int analyse(const struct settings *s, const char *const *inputs, size_t count,
	    struct analysis *ret);
/* The exit code of a command that has written all there is: EXIT_PART where an input was not the
 * same to its end, else EXIT_DONE. */
int analysis_code(const struct analysis *a);
/* Where the work takes long, says that the output is next. */
void show_writing(const struct analysis *a, const char *path);

/* From now on its warnings wait, and there is no progress: another one is read at the same time. False
 * without memory. */
bool analysis_hold(struct analysis *a);
void analysis_say_held(struct analysis *a);

void analysis_release(struct analysis *a);

/* Options of the picture that cannot be are found before the work, not after it. */
int check_graph_options(const struct settings *s);

#endif
