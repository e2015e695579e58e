#ifndef LIVE_EVENTS_TARGET_H
#define LIVE_EVENTS_TARGET_H

#include <sys/types.h>

#include "base/array.h"
#include "base/context.h"
#include "live/events/id_list.h"
#include "live/live.h"

/* Whom to sample, looked up on this machine. */
struct live_target {
	enum ff_record_who who;
	ARRAY(int) cpus; /* online, ascending; of -C where that was given; never empty */
	/* Threads to open events on: FF_RECORD_PROCESSES, _THREADS, _USER. Others: none. */
	ARRAY(pid_t) threads;
	/* Processes whose maps and names have to be known from the start; ascending. None
	 * for FF_RECORD_SYSTEM and _CGROUP (all of them), and for FF_RECORD_COMMAND. */
	ARRAY(pid_t) processes;
	int cgroup; /* directory to open events on, O_CLOEXEC; -1: none */
};

/*
 * Some of what was asked for may have gone: a warning, as long as something is left.
 * -ESRCH where no process is, -ENODEV for processors that are not there, -EINVAL for lists
 * that cannot be understood, -ENOENT for users and cgroups.
 */
int live_target_resolve(struct context *ctx, const struct ff_record_options *options,
			const struct id_list *online, struct live_target *ret);

void live_target_release(struct live_target *t); /* { .cgroup = -1 } is fine */

#endif
