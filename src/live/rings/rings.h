#ifndef LIVE_RINGS_RINGS_H
#define LIVE_RINGS_RINGS_H

#include "live/events/event.h"
#include "live/events/target.h"
#include "live/live.h"

/*
 * Open events, and the memory that the kernel writes their records to: one ring a processor,
 * for all events and threads there.
 *
 *	tail                      head
 *	  v                        v
 *	| R R R R R R R R R R R R R . . . . R R R |     both only grow; place = modulo size
 *
 * Not libperf's: that can be given no flags for perf_event_open(), hides the file
 * descriptors, gives up where one thread of many has gone, and cuts records of more than
 * 4 KB where they wrap.
 */
struct ring {
	struct perf_event_mmap_page *page;
	const uint8_t *data;
	uint64_t tail; /* what has been handed out */
	uint64_t head; /* of this pass */
	int cpu;
	int fd; /* of the event that it was mapped for */
};

struct open_event {
	int fd;
	uint32_t event; /* index */
	pid_t tid; /* -1: all of its processor */
	int cpu;
};

struct rings {
	ARRAY(struct ring) list;
	ARRAY(struct open_event) opened;
	size_t size; /* of each, bytes: a power of two */
	size_t next; /* ring of this pass */
	bool passing;
	unsigned fullest; /* percent */
	uint8_t *straddling; /* the record that wraps, whole */
};

/*
 * Opens event @index for each thread (or processor, or the cgroup) of @target. Threads that
 * have gone are left out. A negative errno, no sentence: all that was opened of this event
 * is closed again.
 */
int rings_open_event(struct rings *r, struct live_event *event, uint32_t index,
		     const struct live_target *target, pid_t command);

/* After the last event: @size bytes each, a power of two of pages; -EPERM and the like
 * without a sentence, and nothing is mapped. */
int rings_map(struct rings *r, size_t size);
/* Maps anew with another size; where that fails, with the old one. What has not been handed
 * out is gone: for the moment between two passes. */
int rings_resize(struct rings *r, size_t size);
void rings_release(struct rings *r); /* a zeroed one is fine */

/* Percent of the fullest ring that nobody has read yet; for any thread. */
unsigned rings_left(const struct rings *r);

void rings_enable(struct rings *r);
void rings_disable(struct rings *r);

/*
 * Each pass goes over all rings, to where they are at the time. 1 and a record, borrowed
 * until the next call; 0 at the end of the pass, and the next call begins another.
 */
int rings_next(struct rings *r, const uint8_t **ret, uint32_t *size);

#endif
