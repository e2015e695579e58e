/*
 * Several that are open under one key. Only one can be, as a queue has it, so others wait under keys
 * that are made of that key and their place:
 *
 *	key            A, place 0, 2 behind it
 *	key, place 1   B
 *	key, place 2   C
 *
 * What an end takes is the last one that began, if it says so, or else the first one, in whose place the next
 * one comes: B, place 1, 1 behind it. All of a line began when no record had been lost since A
 * did: after a loss it may be that an end is missing, so the next start begins a new line.
 */
#include "weight/pair_line.h"

#include <errno.h>

/* More are not under way at once: ends are missing. */
enum { LINE_MOST = 1024 };

static struct deferred_queue *queue_of(const struct settlement *to)
{
	return &to->target.deferred[DEFERRED_PAIRS];
}

static enum pair_line line_kind(const struct deferred_event *e)
{
	return (enum pair_line)(e->what >> PAIR_LINE_SHIFT);
}

static void set_key(struct deferred_event *e, uint64_t key)
{
	((struct pair_event *)(void *)e->fields)->key = key;
}

/* The key of whoever is @n places behind the first one. */
static uint64_t key_behind(const struct deferred_event *first, unsigned n)
{
	uint16_t place = (uint16_t)(pair_more_of(first)->place + n);

	return hash_u64(pair_key_of(first) + 3 * PAIR_KEY_OF_OBJECT) + place;
}

int pair_stay(struct deferred_event *event, const struct deferred_event *before,
	      const struct settlement *to)
{
	if (!before)
		return 0;
	memcpy(event, before,
	       sizeof(*event) + pair_kinds[pair_kind_of(&to->pairing->rule)].fields);
	return 1;
}

bool pair_line_takes(const struct deferred_event *event,
		     const struct deferred_event *before, const struct settlement *to)
{
	return line_kind(event) != PAIR_LINE_NONE &&
	       pair_more_of(before)->inner < LINE_MOST &&
	       !weight_is_broken(to->pairing->rec, queue_of(to), before->time,
				 event->time);
}

int pair_line_join(struct deferred_event *event, struct settlement *to)
{
	struct deferred_queue *q = queue_of(to);
	uint64_t key = pair_key_of(event);
	struct deferred_event *first = deferred_queue_find(q, key, event->input), *joined;
	int err;

	set_key(event, key_behind(first, pair_more_of(first)->inner + 1u));
	err = deferred_queue_open_one(q, event, &joined);
	if (err < 0)
		return err;
	/* What is open may have moved. */
	first = deferred_queue_find(q, key, event->input);
	if (joined)
		pair_more_of(first)->inner++;
	return pair_stay(event, first, to);
}

const struct deferred_event *pair_line_next(const struct deferred_event *before,
					    const struct settlement *to)
{
	unsigned behind = pair_more_of(before)->inner;
	const struct deferred_event *last =
		behind ? deferred_queue_find(queue_of(to), key_behind(before, behind),
					     before->input)
		       : NULL;

	return last && line_kind(last) == PAIR_LINE_LIFO ? last : before;
}

int pair_line_leave(struct deferred_event *event, const struct deferred_event *before,
		    const struct deferred_event *taken, struct settlement *to)
{
	struct deferred_queue *q = queue_of(to);
	const struct pair_more *more = pair_more_of(before);
	uint64_t key = pair_key_of(before), next;

	if (!more->inner)
		return 0;
	if (taken != before) {
		deferred_queue_drop(q, pair_key_of(taken), before->input);
		pair_stay(event, before, to);
		pair_more_of(event)->inner--;
		return 1;
	}
	next = key_behind(before, 1);
	if (!pair_stay(event, deferred_queue_find(q, next, before->input), to))
		return 0;
	deferred_queue_drop(q, next, before->input);
	set_key(event, key);
	pair_more_of(event)->inner = (uint16_t)(more->inner - 1);
	pair_more_of(event)->place = (uint16_t)(more->place + 1);
	return 1;
}

uint64_t pair_line_drop(const struct deferred_event *before, struct settlement *to)
{
	unsigned behind = pair_more_of(before)->inner;

	for (unsigned i = 1; i <= behind; i++)
		deferred_queue_drop(queue_of(to), key_behind(before, i), before->input);
	return 1 + behind;
}

int pair_line_move(struct deferred_event *event, const struct deferred_event *before,
		   struct settlement *to)
{
	struct deferred_queue *q = queue_of(to);
	uint64_t key = pair_more_of(event)->woken, from = pair_key_of(event);
	uint32_t ended = pair_role_of(event) == ROLE_END ? pair_more_of(event)->size : 0;
	struct deferred_event *moved;
	int err;

	/* It is there already, and goes on. */
	if (key == from)
		return pair_stay(event, before, to);
	pair_stay(event, pair_line_next(before, to), to);
	set_key(event, key);
	pair_more_of(event)->inner = pair_more_of(event)->place = 0;
	pair_more_of(event)->size -= ended;
	if (pair_is_open(deferred_queue_find(q, key, event->input)))
		err = pair_line_join(event, to);
	else
		err = deferred_queue_open_one(q, event, &moved);
	if (err < 0)
		return err;
	/* What is open may have moved. */
	before = deferred_queue_find(q, from, event->input);
	return pair_line_leave(event, before, pair_line_next(before, to), to);
}
