#ifndef WEIGHT_DEFERRED_H
#define WEIGHT_DEFERRED_H

#include "base/array.h"
#include "base/budget.h"
#include "base/hash.h"

/*
 * Events that add what only their order in time tells: a counter what it has counted since it
 * was read before, a blocked thread the time until it ran again. Workers meet them in any
 * order, so they are queued with their stacks, follow these when tries are merged or
 * compacted, and are settled together, in one pass in order of time:
 *
 *	queued, by any worker    (7, c) (9, d)  (3, a) (5, b)
 *	settled                  a, b with a open, c with b open, ...
 *
 * What has been settled can stay open under a key, for the next one with the same key. It stays
 * open from one pass to the next: of a live run each round is settled, of a file all of it.
 *
 * A kind is an entry of a table and two functions.
 */
struct deferred_event {
	uint64_t time;
	uint64_t position; /* of its sample in the input: decides between equal times */
	uint32_t node; /* of its stack */
	uint32_t behind; /* its kind's: a node, too; 0: none */
	uint32_t kept; /* index of its sample in the log, + 1; 0: it is not kept */
	uint16_t input;
	uint8_t lost : 7; /* enum lost + 1; 0: it counts */
	uint8_t cut : 1; /* no memory was left for all of its stack */
	uint8_t what; /* its kind's */
	uint64_t fields[]; /* those of its kind */
};

struct deferred_queue;
struct record;
struct settlement;

struct deferred_kind {
	const char *name; /* "counters of samples": of what memory has no room for */
	size_t fields; /* bytes of them: a multiple of 8 */
	/* What is open at the end of an input tells nothing to the next one. */
	bool of_one_input;
	/* Its key has the node in it: where two stacks become one, so do two open events, and
	 * their fields, which are numbers, add up. */
	bool adds_up;
	/* Nothing bounds how many are open: each asks the budget, and one that gets nothing is not
	 * open. */
	bool open_is_claimed;
	/* Of a file, too, it is settled as far as nothing older can come, before all is queued. */
	bool settles_early;
	/* Before what is queued is settled: may complete it, but its times. NULL: nothing is to be
	 * known before. 0, or -ENOMEM. */
	int (*begin)(struct deferred_queue *q, struct settlement *to);
	/* What it belongs with, in one input and in all of them. */
	uint64_t (*key)(const struct deferred_event *event);
	/* @before: what is open under its key, or NULL. 1: @event, as it is now, is open from now
	 * on; 0: nothing is; or -ENOMEM. */
	int (*settle)(struct deferred_event *event, const struct deferred_event *before,
		      struct settlement *to);
};

struct deferred_queue {
	const struct deferred_kind *kind;
	ARRAY(uint64_t) events, open; /* one behind the other */
	struct hash_map by_key; /* index of what is open */
	struct claim claim;
	size_t allowed; /* events that the claim is for */
	bool refused; /* the budget has been asked in vain: what comes is left out, too */
	uint64_t left_from, left_to; /* with refused: when what was left out was */
	struct budget *budget; /* of those who add events */
	size_t vacant; /* places among those of what is open */
	uint64_t moves; /* times that what is open may have moved */
	size_t open_allowed; /* what may be open by the claim, of a kind that asks for it */
	uint64_t open_refused; /* what is not open for want of memory */
};

/* 1 and a zeroed one, until the next call; 0: the budget has nothing left for it; or
 * -ENOMEM. */
int deferred_queue_add(struct deferred_queue *q, struct budget *budget,
		       struct deferred_event **ret);

/* One of what a record tells, with its time, its position and @input. 0: it was left out for want of memory,
 * and all that come after it are to be. Else as deferred_queue_add(). */
int deferred_queue_add_record(struct deferred_queue *q, struct budget *budget,
			      const struct record *r, uint16_t input,
			      struct deferred_event **ret);

/* One of that time was left out for want of memory, and all that come after it are to be. */
void deferred_queue_leave_out(struct deferred_queue *q, uint64_t time);
/* Was something left out between the two? Then it may have been what comes between. */
bool deferred_queue_has_gap(const struct deferred_queue *q, uint64_t from, uint64_t to);

/* Appends what another one has, its claim and what it holds open, and empties it. @node_map: for
 * each node its id here, NULL: the same. @kept: samples that are in the log before those of
 * @from. 0, or -ENOMEM. */
int deferred_queue_merge(struct deferred_queue *q, struct deferred_queue *from,
			 const uint32_t *node_map, uint32_t kept);

/* The nodes have other ids now. 0, or -ENOMEM. */
int deferred_queue_remap(struct deferred_queue *q, const uint32_t *node_map);

/* Likewise what is queued alone, without what is open, and @from keeps its memory for what it is to
 * queue next. @node_map has the id here of each node. *@left_out: events that the budget has no
 * memory for. 0, or -ENOMEM. */
int deferred_queue_take(struct deferred_queue *q, struct deferred_queue *from,
			const uint32_t *node_map, uint64_t *left_out);

/* All that is queued and older than @until, in order of time, then of position; the rest waits on.
 * UINT64_MAX: all. 0, or -ENOMEM. */
int deferred_queue_settle(struct deferred_queue *q, struct settlement *to,
			  uint64_t until);
void deferred_queue_end_input(struct deferred_queue *q);

/* What is open under a key of an input; NULL: nothing. Until something else is settled. */
struct deferred_event *deferred_queue_find(const struct deferred_queue *q, uint64_t key,
					   uint16_t input);

/* Keeps a copy of @e open, in place of what is so under its key. *@ret: that, until something else is
 * opened or dropped; NULL: there is no memory left for it, which is counted. 0, or -ENOMEM. */
int deferred_queue_open_one(struct deferred_queue *q, const struct deferred_event *e,
			    struct deferred_event **ret);
/* Nothing is open under a key of an input. */
void deferred_queue_drop(struct deferred_queue *q, uint64_t key, uint16_t input);

/* Of what is queued, in no order. */
size_t deferred_queue_count(const struct deferred_queue *q);
struct deferred_event *deferred_queue_at(const struct deferred_queue *q, size_t index);

/* Of what is open, in no order. */
size_t deferred_queue_open(struct deferred_queue *q);
const struct deferred_event *deferred_queue_open_at(const struct deferred_queue *q,
						    size_t index);

void deferred_queue_release(struct deferred_queue *q);

#endif
