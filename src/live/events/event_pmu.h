#ifndef LIVE_EVENTS_EVENT_PMU_H
#define LIVE_EVENTS_EVENT_PMU_H

#include "live/events/event.h"
#include "live/events/suggestion.h"

/*
 * Events of a PMU, as /sys/bus/event_source/devices describes it:
 *
 *	PMU/type		attr.type
 *	PMU/format/TERM		"config:0-7,32-35": where the value of the term goes
 *	PMU/events/EVENT	"event=0x3c,umask=0x1": terms that go by a name
 *	PMU/cpus, PMU/cpumask	its processors, where that is not all
 */
struct event_lookup {
	struct context *ctx;
	struct arena *arena;
	const char *root; /* in front of /sys; never NULL */
	const char *text; /* the event as it was written, for sentences */
	const struct live_probed *probed; /* NULL: there is no "libc" */
};

/* A part of a text. */
struct text_part {
	const char *p;
	size_t size;
};

/* Is there such a PMU? */
bool event_pmu_exists(const struct event_lookup *lookup, struct text_part name);

/* Sets type, and what @terms, "event=0x3c,umask=1", say; 0, or -EINVAL with a sentence,
 * as where there is no such PMU. */
int event_pmu_set(const struct event_lookup *lookup, struct text_part pmu,
		  struct text_part terms, struct live_event *event);

/* The terms that go with events without a PMU: "period=1000", "name=x". */
int event_terms_set(const struct event_lookup *lookup, struct text_part terms,
		    struct live_event *event);

/* The PMU that has an event called @name: 1, with its name in the arena, 0, or -ENOMEM.
 * Offers what there is otherwise. */
int event_pmu_of_event(const struct event_lookup *lookup, struct text_part name,
		       const char **pmu, struct suggestion *n);

/* The PMUs of the kinds of processor of a hybrid machine, in the arena, at most @room;
 * how many. 0: all processors are alike. */
size_t event_pmu_hybrid(const struct event_lookup *lookup, const char **ret, size_t room);

#endif
