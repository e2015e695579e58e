#ifndef ORDER_ORDER_H
#define ORDER_ORDER_H

#include "input/input.h"

/*
 * Time order.
 *
 * perf writes each processor's ring in time order but drains the rings one after
 * another, so a file is a pile of pieces that overlap in time. Of a file that can
 * be read twice only the changes of state are put in order; samples ask the
 * timeline that they make, whatever order they come in:
 *
 *	cpu 0   M--C-----M            time ->
 *	cpu 1      M--F-----X
 *	file    M C M M F X           order_add()
 *	out     M M C F M X           order_next(), after order_end_input()
 */
struct order {
	ARRAY(struct record) records;
	size_t next;
	bool sorted; /* what was added is in order so far */
};

void order_init(struct order *o);
void order_release(struct order *o);

/* Copies @rec. -ENOMEM leaves everything as it was. */
int order_add(struct order *o, const struct record *rec);
void order_end_input(struct order *o);

/* 1 and the oldest record left, borrowed until order_release(), or 0. Records of the
 * same time keep the order of the file. */
int order_next(struct order *o, const struct record **ret);

/*
 * What can be read only once is held until it is complete. perf ends each pass over all
 * rings with a FINISHED_ROUND record, which promises that every later record is newer than
 * the newest one of the round before the last. So two rounds are all that is held:
 *
 *	round 1   |=========|
 *	round 2         |=========|         at its end, round 1 can go
 *	round 3               |=========|   at its end, round 2 can go
 *
 * A stream without rounds is cut into such by the caller; what comes too late for them goes
 * out late, and is counted. What is of no time (TIME_NEVER) goes behind all of its round.
 */
struct round_item {
	uint64_t time;
	const uint8_t *bytes;
	uint64_t tag; /* the caller's */
	uint32_t size;
	uint32_t offset; /* in the bytes of its round */
};

struct rounds {
	/* Those that can go first, sorted; and where they are put in order. */
	ARRAY(struct round_item) items, sorted;
	ARRAY(uint8_t) bytes[2]; /* of the round before and of this one */
	int current;
	size_t next, ready; /* items from next to ready can go */
	/* Times: ended is newest when the last round ended, complete when the one before
	 * did. */
	uint64_t newest, ended, complete;
	uint64_t delivered; /* the newest that went out */
	uint64_t late; /* records that came after newer ones had gone out */
	bool has_timeless; /* in this round */
	bool turning; /* a round has ended and not all of it is out */
};

void rounds_init(struct rounds *r);
void rounds_release(struct rounds *r);

/* Copies a record. Not between the end of a round and the last item of it. */
int rounds_add(struct rounds *r, uint64_t time, uint64_t tag, const void *bytes,
	       uint32_t size);
/* Are more than @most bytes held of this round? */
bool rounds_full(const struct rounds *r, size_t most);

/* What is complete can go. 0, or -ENOMEM. */
int rounds_end_round(struct rounds *r);
/* The same, but all is held until a later round ends: fewer and longer turns cost less. */
void rounds_hold_round(struct rounds *r);
int rounds_end_input(struct rounds *r);

/* 1 and the oldest record that can go, borrowed until rounds_add(); or 0. Records of the
 * same time keep the order of the stream. */
int rounds_next(struct rounds *r, struct round_item *ret);

#endif
