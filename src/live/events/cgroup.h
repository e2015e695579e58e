#ifndef LIVE_EVENTS_CGROUP_H
#define LIVE_EVENTS_CGROUP_H

#include <stdbool.h>

#include "base/context.h"

/*
 * Control groups that events can be opened on: those of the hierarchy that has the
 * perf_event controller. That is the one it is mounted in (version 1), or else that of
 * cgroup2.
 */

/* The directory of that hierarchy. False where none is mounted. */
enum { CGROUP_ROOM = 4096 };
bool cgroup_mount(char room[CGROUP_ROOM]);

/*
 * Opens the directory of @path: as a file name, or below the hierarchy, "/system.slice" or
 * "system.slice/ssh.service". O_CLOEXEC. -ENOENT, -EINVAL for a directory of something
 * else, with a sentence.
 */
int cgroup_open(struct context *ctx, const char *path, int *ret);

#endif
