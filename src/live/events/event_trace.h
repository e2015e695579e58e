#ifndef LIVE_EVENTS_EVENT_TRACE_H
#define LIVE_EVENTS_EVENT_TRACE_H

#include "live/events/event_pmu.h"

/*
 * Tracepoints, "SYSTEM:EVENT", as tracefs has them: events/SYSTEM/EVENT/id. Both names may
 * have '*', '?' and '[]'. Each one is given to @taker, sorted by name; @name is valid until
 * take() returns. 0, a negative errno of take(), or one with a sentence: -ENOENT where there is no
 * such tracepoint or no tracefs, -EACCES where it may not be read.
 */
struct trace_taker {
	int (*take)(void *arg, const char *name, uint64_t id);
	void *arg;
};
int event_trace_find(const struct event_lookup *lookup, struct text_part system,
		     struct text_part event, const struct trace_taker *taker);

/* The tracepoint whose name after the colon is @name: "sched:sched_switch", in @room; ""
 * where there is none. */
void event_trace_by_name(const struct event_lookup *lookup, struct text_part name,
			 char room[SUGGESTION_MOST + 1]);

#endif
