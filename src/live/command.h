#ifndef LIVE_COMMAND_H
#define LIVE_COMMAND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/context.h"

/* The program to sample: forked, held back until its events are open. */
struct live_command {
	pid_t pid; /* 0: none */
	int go, failed; /* to let it run, and for the errno of a failed exec */
	int ended; /* pidfd, readable when it has ended; -1: not to be had */
	bool running, reaped;
	atomic_bool told; /* to end */
	int status; /* of waitpid(), once reaped */
	const char *name; /* argv[0], the caller's */
};

/* @argv ends with NULL, and outlives it. Of
 * the signals that the caller ignores, the child ignores all but SIGPIPE and SIGXFSZ. */
int live_command_fork(struct context *ctx, char *const *argv, struct live_command *ret);

/* Lets it exec: 0, or -ENOENT, -EACCES ... with a sentence, and it is reaped. */
int live_command_run(struct context *ctx, struct live_command *c);

/* Has it ended? Reaps it then. Never waits. */
bool live_command_ended(struct live_command *c);

/*
 * Tells it to end, by SIGTERM, once: itself, not its children nor its process group, as perf
 * does; a terminal's Ctrl-C goes to all of them. Any thread may call the first, which does
 * nothing where the kernel has no pidfd; the second is for the one that reaps.
 */
void live_command_end_early(struct live_command *c);
void live_command_end(struct live_command *c);

/* Waits up to @ms for one that was told to end; true where it has ended. */
bool live_command_wait(struct live_command *c, int ms);

/* Its exit status as a shell says it: 128 + signal. It has ended. */
int live_command_status(const struct live_command *c);

/* One that never ran is killed; one that runs goes on. A zeroed one is fine. */
void live_command_release(struct live_command *c);

#endif
