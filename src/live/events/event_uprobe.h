#ifndef LIVE_EVENTS_EVENT_UPROBE_H
#define LIVE_EVENTS_EVENT_UPROBE_H

#include "live/events/event_pmu.h"

struct uprobe_taker {
	int (*take)(void *arg); /* the event is as it should be */
	void *arg;
};

/* "uprobe:FILE:FUNCTION": is it one of them? */
bool event_is_uprobe(const char *text);

/* Each file that is meant by the text of @lookup, with @event set for it; 0, or a negative errno with a
 * sentence: -ENOENT where there is no such function, or no kernel with probes. */
int event_uprobe_find(const struct event_lookup *lookup, struct live_event *event,
		      const struct uprobe_taker *taker);

#endif
