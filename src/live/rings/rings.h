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
 * Events are opened and records read by rings.c; what is between them, the list of events with
 * its rings, is libperf's where there is one (evlist.h).
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
	ARRAY(struct open_event) opened; /* by event, thread, processor; as listed */
	ARRAY(pid_t) threads; /* all events are open on; -1: whole processors */
	struct evlist *evlist; /* while they are mapped */
	size_t size; /* of each, bytes: a power of two */
	size_t next; /* ring of this pass */
	size_t leader; /* where the leader of a group was found last, in what is open */
	bool passing;
	bool has_probes; /* which the kernel takes its time to close */
	unsigned fullest; /* percent */
	uint8_t *straddling; /* the record that wraps, whole */
};

/* Processors that are online, appended to an empty list. -ENOMEM; -ENODEV where what the kernel
 * says cannot be understood. */
int rings_online(struct id_list *ret);

/*
 * Opens event @index, one after another, for each thread (or processor, or the cgroup) of
 * @target. Threads that have gone are left out, of the events before, too. A negative errno,
 * no sentence: all that was opened of this event is closed again.
 */
int rings_open_event(struct rings *r, struct live_event *event, uint32_t index,
		     const struct live_target *target, pid_t command);

/* After the last event: @size bytes each, a power of two of pages; -EPERM and the like
 * without a sentence, and nothing is mapped. */
int rings_map(struct rings *r, const struct live_events *events, size_t size);

/* Maps anew with another size; where that fails, with the old one. What has not been handed
 * out is gone: for the moment between two passes. */
int rings_resize(struct rings *r, const struct live_events *events, size_t size);
void rings_release(struct rings *r); /* a zeroed one is fine */

/* The ids of event @index; borrowed until the rings are mapped anew. */
size_t rings_ids(const struct rings *r, uint32_t index, const uint64_t **ret);

/* Percent of the fullest ring that nobody has read yet; for any thread. */
unsigned rings_left(const struct rings *r);

/* What is to be polled for a ring in place of @gone, an event whose thread has ended: the next one that writes to it,
 * for a ring wakes all of them (ring_buffer_wakeup()). -1: there is none. */
int rings_wait_on(const struct rings *r, int gone);

void rings_enable(struct rings *r);
void rings_enable_event(const struct rings *r, uint32_t index);
void rings_disable(struct rings *r);

/*
 * Each pass goes over all rings, to where they are at the time. 1 and a record, borrowed
 * until the next call; 0 at the end of the pass, and the next call begins another.
 */
int rings_next(struct rings *r, const uint8_t **ret, uint32_t *size);

#endif
