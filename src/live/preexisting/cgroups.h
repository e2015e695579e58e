#ifndef LIVE_PREEXISTING_CGROUPS_H
#define LIVE_PREEXISTING_CGROUPS_H

#include "base/bytes.h"
#include "live/events/target.h"

/*
 * Control groups as CGROUP records: of the whole hierarchy that samples name them of, or of
 * the processes of @target, or those below its own. @processes: those of the target. 0, or
 * -ENOMEM.
 */
int preexisting_cgroups_read(enum ff_record_who who, int cgroup, const pid_t *processes,
			     size_t count, struct bytes *to);

#endif
