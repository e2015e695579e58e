#ifndef LIVE_RINGS_LOST_H
#define LIVE_RINGS_LOST_H

#include "live/rings/rings.h"

/*
 * What the kernel dropped, by processor. It says so twice: in a LOST record, when a ring has room
 * again, and (Linux 6.0) in the count of each event, which can be read at any time. Where a ring
 * stayed full to the end only the latter has all of it:
 *
 *	ring   S S S x x L S S x x x |disabled|     L: 2 lost; the event: 5; the rest: 3
 *
 * What an inherited event drops is in the count of the one that was opened.
 */
struct lost_cpu {
	uint64_t told; /* by LOST records */
	uint64_t counted; /* by the events, as far as they were read */
	uint64_t id; /* of one of them */
};

struct lost {
	ARRAY(struct lost_cpu) cpus; /* by number */
	uint64_t told; /* of all */
	size_t next; /* of lost_remainder() */
};

/* A LOST record as the kernel would have written it. */
struct lost_record {
	struct perf_event_header head;
	uint64_t event, lost;
	struct live_trailer trailer;
};

bool lost_init(struct lost *l, const struct live_target *target); /* false: no memory */
void lost_release(struct lost *l);

/* @record is of type LOST. */
void lost_take(struct lost *l, const uint8_t *record, size_t size);

/* Adds the counts of events that are disabled; @events as they were opened: those without
 * PERF_FORMAT_LOST have none. Once for each ring that goes. */
void lost_count(struct lost *l, const struct rings *rings,
		const struct live_events *events);

/* What the counts have and no LOST record has told, at @time, one processor a call; false:
 * that was all. After the last record. */
bool lost_remainder(struct lost *l, uint64_t time, struct lost_record *ret);

#endif
