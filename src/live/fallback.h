#ifndef LIVE_FALLBACK_H
#define LIVE_FALLBACK_H

#include "live/events/event.h"
#include "live/events/permission.h"

/*
 * What to try where the kernel refuses an event: less precision, fields that only newer
 * kernels have, user space only, the clock in place of a counter that is not there.
 */
struct fallback {
	struct arena *arena; /* for names */
	const struct live_permission *permission;
	const struct live_target *target;
	bool said_user_only, said_no_counter; /* once is enough for several events */
};

/*
 * perf_event_open() has refused @e with @err, a negative errno. True: @e has changed, and
 * may be opened now; what the user should know was said with warn(). False: nothing is left
 * to try.
 */
bool fallback_next(struct context *ctx, struct fallback *f, struct live_event *e,
		   int err);

#endif
