#ifndef CLI_FOLD_POOL_H
#define CLI_FOLD_POOL_H

#include <stdbool.h>

#include "cli/settings.h"

/*
 * Inputs become profile files, in processes of their own: whatever one of them does to the program
 * that reads it, the others are read. Small ones are read by one process, into one file (fold_plan.h).
 */
#define FOLD_STDIN "/dev/stdin" /* standard input, as a path */

struct fold_task {
	const char *path; /* of the input */
	char *made; /* the profile file: the input, where it is one; NULL: there is none */
	char *why; /* then */
	char *kernel; /* that it was recorded on; NULL: not known */
	bool reused; /* it was there: --tree */
	bool shared; /* .made of another task has it, too */
};

struct fold_pool {
	const struct settings *settings;
	char directory[4096]; /* for what is made; "": none as yet */
	int cleaner; /* a process that removes it when we have gone; 0: none */
	int alive; /* its pipe */
};

/* 0, or an exit code with its message printed; what a task comes to is in it. */
int fold_pool_run(struct fold_pool *pool, struct fold_task *tasks, size_t count);
/* What a profile file in --tree is named by: the input's content, and all else that decides what becomes of it. */
int fold_input_hash(const char *input, char ret[65]); /* a negative errno */
uint64_t fold_options_hash(const struct settings *s);
/* Before that, of a task with its path: what is a profile file already needs no folding. 0, or -ENOMEM. */
int fold_take_profile(const struct settings *s, struct fold_task *t);
/* What was made is gone. */
void fold_pool_release(struct fold_pool *pool);

#endif
