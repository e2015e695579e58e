#ifndef LIVE_EVENTS_EVENT_NAMES_H
#define LIVE_EVENTS_EVENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live/events/suggestion.h"

/*
 * The names that perf has for events of the kernel's own numbering: hardware, software,
 * caches ("LLC-load-misses") and raw ones ("r1a8"). Numbers are those of
 * include/uapi/linux/perf_event.h.
 */
bool event_name_known(const char *word, size_t size, uint32_t *type, uint64_t *config);

void event_names_offer(struct suggestion *n);

#endif
