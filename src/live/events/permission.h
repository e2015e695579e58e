#ifndef LIVE_EVENTS_PERMISSION_H
#define LIVE_EVENTS_PERMISSION_H

#include <limits.h>
#include <stdbool.h>

#include "base/context.h"
#include "live/events/event.h"
#include "live/events/target.h"

#define PARANOID_UNKNOWN INT_MIN /* the kernel has no perf events */

/* What the kernel lets the caller do. */
struct live_permission {
	int paranoid; /* perf_event_paranoid, or PARANOID_UNKNOWN */
	int kptr_restrict;
	bool perfmon; /* CAP_PERFMON or CAP_SYS_ADMIN */
	bool ipc_lock; /* CAP_IPC_LOCK: rings of any size */
	bool syslog; /* CAP_SYSLOG: sees kernel addresses */
	bool contained; /* in a container, as far as can be told */
	bool sysctl_elsewhere; /* /proc/sys is read-only: the host of a container has it */
	bool filtered; /* seccomp looks at its system calls */
	uint64_t rate_most; /* perf_event_max_sample_rate; 0: not known */
	uint64_t stack_most; /* perf_event_max_stack */
	uint64_t mlock_kb; /* perf_event_mlock_kb, a processor */
};
void live_permission_read(struct live_permission *ret);

/* Before anything is opened: what will be missing, said with warn(), as kernel symbols hidden
 * by kptr_restrict. -ENOSYS with a sentence where nothing would work. */
int live_permission_check(struct context *ctx, const struct live_permission *p,
			  bool samples_kernel);

/* perf_event_open() has failed with @err for @event: the sentence for that, as fail(). */
int live_permission_fail(struct context *ctx, const struct live_permission *p,
			 const struct live_target *target, const struct live_event *event,
			 int err);

/* EMFILE or ENFILE: one of @events on @target would have been one file too many. */
int live_permission_fail_files(struct context *ctx, const struct live_target *target,
			       size_t events, int err);

/* mmap of @count rings of @bytes each has failed with @err; @chosen: not asked for. */
struct rings_wanted {
	size_t count, bytes;
	bool chosen;
};
int live_permission_fail_rings(struct context *ctx, const struct live_permission *p,
			       const struct rings_wanted *wanted, int err);

#endif
