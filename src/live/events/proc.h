#ifndef LIVE_EVENTS_PROC_H
#define LIVE_EVENTS_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * /proc, read without a byte more work than needed: there are thousands of processes, and
 * what is read may be gone the next moment.
 */

/* Up to @room - 1 bytes of a small file, with a NUL behind them; their number, or a negative
 * errno. @dir is a directory's fd, or AT_FDCWD. */
ssize_t proc_read(int dir, const char *path, char *bytes, size_t room);

/* The number names of the directory at @path, one a call of @take, until one is not 0.
 * The result of that, 0, or a negative errno. */
int proc_each(int dir, const char *path, int (*take)(void *arg, pid_t id), void *arg);

/* What /proc/PID/status says. */
struct proc_status {
	pid_t process, parent;
	uid_t user; /* effective */
	bool kernel_thread; /* it has no memory of its own */
};

/* False where there is no such thread. */
bool proc_status(int dir, const char *path, struct proc_status *ret);

#endif
