#ifndef LIVE_KNOWN_CGROUP_H
#define LIVE_KNOWN_CGROUP_H

#include "base/bytes.h"
#include "live/target.h"

/*
 * Control groups as CGROUP records: of the whole hierarchy that samples name them of, or of
 * the processes of @target, or those below its own. @processes: those of the target. 0, or
 * -ENOMEM.
 */
int known_cgroups_read(enum live_who who, int cgroup, const pid_t *processes,
		       size_t count, struct bytes *to);

#endif
