#ifndef LIVE_RINGS_EVLIST_H
#define LIVE_RINGS_EVLIST_H

#include "live/rings/rings.h"

/*
 * What is done with all events that are open: rings are mapped and shared, ids are asked for,
 * they are switched on and off; and who is online. There are two of it, and one is built:
 * libperf.c leaves all this to libperf, as perf does; syscalls.c stands on bare system calls, for
 * machines without libperf. Each has its struct evlist, and these two functions beside
 * rings_online(), rings_ids(), rings_enable() and rings_disable().
 */

/* Adds one ring a processor to @r->list, of @r->size bytes. A negative errno: nothing is
 * mapped. */
int evlist_map(struct rings *r, const struct live_events *events);

/* What is open stays open. */
void evlist_unmap(struct rings *r);

#endif
