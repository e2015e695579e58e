#ifndef LIVE_EVENTS_ATTR_H
#define LIVE_EVENTS_ATTR_H

#include "live/events/event.h"
#include "live/events/permission.h"
#include "live/events/target.h"
#include "live/live.h"

/*
 * What the events of a run are asked to record. All of them have the fields of
 * LIVE_SAMPLE_TYPE; the first one also reports what processes do.
 */
struct live_plan {
	uint64_t frequency, period; /* one of them is 0 */
	enum ff_record_chain chain;
	uint32_t stack_size; /* bytes to copy; 0: none */
	bool leaf_fix; /* chains by frame pointers, and enough to find the leaf's caller */
};

/* Says what is less than was asked for. */
int live_plan_make(struct context *ctx, const struct live_options *options,
		   const struct live_permission *permission,
		   const struct live_target *target, struct live_plan *ret);

/* Completes the attributes of all events. */
void live_attr_complete(const struct live_options *options, const struct live_plan *plan,
			struct live_events *events);

/* Bytes that a sample has at the most, but for chains of unusual depth. */
size_t live_attr_sample_size(const struct perf_event_attr *attr);

#endif
