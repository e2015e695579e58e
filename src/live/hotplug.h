#ifndef LIVE_HOTPLUG_H
#define LIVE_HOTPLUG_H

#include "live/events/target.h"

/*
 * Which processors have lost their events. The kernel takes those of a processor that goes
 * offline from it and never puts them back (perf_event_exit_cpu()). The list of those that are
 * online does not show one that was away between two looks, as all but one are while a machine
 * sleeps; so each has an event that counts nothing, whose time stands still from then on:
 *
 *	time of the event    1.0   2.0   2.4   2.4        away since 2.4
 *	look                  |     |   x |     |
 */
struct hotplug_cpu {
	int cpu;
	int fd; /* -1: no more files may be open; only the list tells then */
	bool away, told;
	uint64_t ran; /* ns by the event */
	uint64_t
		seen; /* CLOCK_MONOTONIC when that was read; of one that is away: since then */
};

struct hotplug {
	ARRAY(struct hotplug_cpu) cpus;
};

/* Adds those of @cpus that it does not know, without an event. False: no memory. */
bool hotplug_know(struct hotplug *h, const int *cpus, size_t count);

/* Begins to watch those of @cpus that are not watched, or that are away. False: no memory. */
bool hotplug_watch(struct hotplug *h, const int *cpus, size_t count);

/* Looks at each: with @online, a list in ascending order. How many are away that were not. */
size_t hotplug_look(struct hotplug *h, const int *online, size_t count);

/* NULL: it was never watched. */
struct hotplug_cpu *hotplug_find(struct hotplug *h, int cpu);

void hotplug_release(struct hotplug *h);

#endif
