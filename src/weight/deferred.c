/*
 * Events lie one behind the other, those that wait in an array and those that are open in
 * another, which a hash of their keys leads to. A thread that has waited will wait again, so the place of
 * what is not open any more stays its key's until as many are vacant as are not. What waits comes in runs that are in order of time,
 * one a processor and round of the recorder, and is settled where it lies, the earliest of all runs
 * first:
 *
 *	1 4 7 | 2 3 9 | 5 6      1, 2 3, 4, 5 6, 7, 9
 *
 * Events of one sample stay in the order they came in, which makes the order the same for any
 * number of workers. Of a live run all are one run. Of a file the oldest time is known that comes
 * behind each piece of it, so what is older is settled when the piece has been read, and the rest of
 * the runs waits for the next one: what waits is a piece and as much as the recorder's rounds overlap.
 */
#include "weight/deferred.h"

#include <errno.h>

#include "input/input.h"

enum { SOME = 1024 }; /* events, that the budget is asked for at once */

/* The position of what is not open any more. No input is so long. */
#define VACANT UINT64_MAX

/* Events in order of time, and when the first of them was that still waits. */
struct event_run {
	uint64_t time, position;
	size_t at, end; /* indexes */
};

/* Of one event, in units of the arrays. */
static size_t words(const struct deferred_queue *q)
{
	return (sizeof(struct deferred_event) + q->kind->fields) / sizeof(uint64_t);
}

/*
 * The two arrays hold words, and an event is words(q) of them, so an index is always
 * multiplied:
 *
 *	word 0   time
 *	word 1   position
 *	word 2   node, behind (32 bits each)
 *	word 3   kept (32), input (16), lost, what (8)
 *	word 4   the kind's fields, kind->fields / 8 words
 */
size_t deferred_queue_count(const struct deferred_queue *q)
{
	return q->events.count / words(q);
}

struct deferred_event *deferred_queue_at(const struct deferred_queue *q, size_t index)
{
	return (struct deferred_event *)(void *)(q->events.v + index * words(q));
}

static struct deferred_event *open_slot(const struct deferred_queue *q, size_t index)
{
	return (struct deferred_event *)(void *)(q->open.v + index * words(q));
}

const struct deferred_event *deferred_queue_open_at(const struct deferred_queue *q,
						    size_t index)
{
	return open_slot(q, index);
}

int deferred_queue_add(struct deferred_queue *q, struct budget *budget,
		       struct deferred_event **ret)
{
	/* With room for as many again, and a run for each where none are in order. */
	size_t size = words(q),
	       memory = 2 * (size * sizeof(uint64_t) + sizeof(struct event_run));

	q->budget = budget;
	if (q->events.count >= q->allowed * size) {
		if (!claim_add_part(&q->claim, budget, BUDGET_STACKS, SOME * memory))
			return 0;
		q->allowed += SOME;
	}
	if (!array_reserve(&q->events, size))
		return -ENOMEM;
	*ret = (void *)(q->events.v + q->events.count);
	q->events.count += size;
	memset(*ret, 0, size * sizeof(uint64_t));
	return 1;
}

static void widen_gap(struct deferred_queue *q, uint64_t from, uint64_t to)
{
	if (!q->refused || from < q->left_from)
		q->left_from = from;
	if (!q->refused || to > q->left_to)
		q->left_to = to;
	q->refused = true;
}

void deferred_queue_leave_out(struct deferred_queue *q, uint64_t time)
{
	widen_gap(q, time, time);
}

int deferred_queue_add_record(struct deferred_queue *q, struct budget *budget,
			      const struct record *r, uint16_t input,
			      struct deferred_event **ret)
{
	int found = q->refused ? 0 : deferred_queue_add(q, budget, ret);

	if (found == 0)
		deferred_queue_leave_out(q, r->time);
	if (found <= 0)
		return found;
	(*ret)->time = r->time;
	(*ret)->position = r->position;
	(*ret)->input = input;
	return 1;
}

bool deferred_queue_has_gap(const struct deferred_queue *q, uint64_t from, uint64_t to)
{
	return q->refused && from <= q->left_to && to >= q->left_from;
}

/* Keys of different inputs are different ones. Most often there is one input. */
static inline uint64_t key_in_input(uint64_t key, uint16_t input)
{
	return input ? key + hash_u64(input) : key;
}

static uint64_t deferred_key(const struct deferred_queue *q,
			     const struct deferred_event *e)
{
	return key_in_input(q->kind->key(e), e->input);
}

/* What is open under a key, or was the last time; NULL: never, or that is forgotten. */
static struct deferred_event *slot_of(const struct deferred_queue *q, uint64_t key)
{
	const uint32_t *index = hash_map_get(&q->by_key, key);

	return index ? open_slot(q, *index) : NULL;
}

static bool is_vacant(const struct deferred_event *slot)
{
	return slot->position == VACANT;
}

struct deferred_event *deferred_queue_find(const struct deferred_queue *q, uint64_t key,
					   uint16_t input)
{
	struct deferred_event *slot = slot_of(q, key_in_input(key, input));

	return slot && !is_vacant(slot) ? slot : NULL;
}

/* The last ones take the places that are vacant. */
static void close_up(struct deferred_queue *q)
{
	size_t size = words(q), count = q->open.count / size;

	for (size_t i = count; q->vacant && i-- > 0;) {
		struct deferred_event *slot = open_slot(q, i), *last;

		if (!is_vacant(slot))
			continue;
		hash_map_remove(&q->by_key, deferred_key(q, slot));
		q->vacant--;
		last = open_slot(q, --count);
		if (slot == last)
			continue;
		memcpy(slot, last, size * sizeof(uint64_t));
		*hash_map_get(&q->by_key, deferred_key(q, slot)) = (uint32_t)i;
	}
	q->open.count = count * size;
	q->moves++;
}

size_t deferred_queue_open(struct deferred_queue *q)
{
	if (q->vacant)
		close_up(q);
	return q->open.count / words(q);
}

/* Opens a copy of @e under its key. @slot: that of the key, as slot_of() has it. */
static int keep_open(struct deferred_queue *q, const struct deferred_event *e,
		     struct deferred_event *slot)
{
	/* With room for as many again, and its place under its key. */
	enum { A_KEY = 32, VACANT_LEAST = 64 };
	size_t size = words(q), at, memory = 2 * (size * sizeof(uint64_t) + A_KEY);

	if (slot) {
		q->vacant -= is_vacant(slot);
		memcpy(slot, e, size * sizeof(uint64_t));
		return 0;
	}
	/* No more are vacant than are not. */
	if (q->vacant > VACANT_LEAST && q->vacant * size > q->open.count / 2)
		close_up(q);
	at = q->open.count / size;
	if (q->kind->open_is_claimed && at >= q->open_allowed) {
		if (!claim_add_part(&q->claim, q->budget, BUDGET_STACKS, SOME * memory)) {
			q->open_refused++;
			return 0;
		}
		q->open_allowed += SOME;
	}
	if (!array_reserve(&q->open, size) ||
	    !hash_map_set(&q->by_key, deferred_key(q, e), (uint32_t)at))
		return -ENOMEM;
	q->open.count += size;
	memcpy(open_slot(q, at), e, size * sizeof(uint64_t));
	return 0;
}

static void drop_open(struct deferred_queue *q, struct deferred_event *slot)
{
	q->vacant += !is_vacant(slot);
	slot->position = VACANT;
}

int deferred_queue_open_one(struct deferred_queue *q, const struct deferred_event *e,
			    struct deferred_event **ret)
{
	int err = keep_open(q, e, slot_of(q, deferred_key(q, e)));

	q->moves++;
	*ret = err == 0 ? deferred_queue_find(q, q->kind->key(e), e->input) : NULL;
	return err;
}

void deferred_queue_drop(struct deferred_queue *q, uint64_t key, uint16_t input)
{
	struct deferred_event *slot = slot_of(q, key_in_input(key, input));

	if (slot)
		drop_open(q, slot);
}

/* Where its stacks and its sample have gone. */
static void follow_maps(struct deferred_event *e, const uint32_t *node_map, uint32_t kept)
{
	if (node_map)
		e->node = node_map[e->node];
	if (node_map && e->behind)
		e->behind = node_map[e->behind];
	if (e->kept)
		e->kept += kept;
}

int deferred_queue_merge(struct deferred_queue *q, struct deferred_queue *from,
			 const uint32_t *node_map, uint32_t kept)
{
	size_t before = deferred_queue_count(q);
	int err = 0;

	if (before == 0) {
		/* Most often: nothing is copied. */
		__typeof__(q->events) empty = q->events;

		q->events = from->events;
		from->events = empty;
	} else if (from->events.count) {
		if (!array_reserve(&q->events, from->events.count))
			return -ENOMEM;
		memcpy(q->events.v + q->events.count, from->events.v,
		       from->events.count * sizeof(*from->events.v));
		q->events.count += from->events.count;
	}
	/* The claim goes with the events: nothing is asked of the budget twice. */
	claim_join(&q->claim, &from->claim);
	q->allowed += from->allowed;
	q->open_allowed += from->open_allowed;
	q->open_refused += from->open_refused;
	q->budget = q->budget ? q->budget : from->budget;
	if (from->refused)
		widen_gap(q, from->left_from, from->left_to);
	for (size_t i = before, count = deferred_queue_count(q);
	     (node_map || kept) && i < count; i++)
		follow_maps(deferred_queue_at(q, i), node_map, kept);
	/* What was open elsewhere is so here; two of one key add up, or the later one
	 * stays. The later one is what the next read has to be compared with. */
	for (size_t i = 0; i < deferred_queue_open(from) && err == 0; i++) {
		struct deferred_event *e = open_slot(from, i), *known, *slot;

		follow_maps(e, node_map, kept);
		slot = slot_of(q, deferred_key(q, e));
		known = slot && !is_vacant(slot) ? slot : NULL;
		if (!known || (!q->kind->adds_up && known->time <= e->time))
			err = keep_open(q, e, slot);
		for (size_t k = 0; known && q->kind->adds_up &&
				   k < q->kind->fields / sizeof(*e->fields);
		     k++)
			known->fields[k] += e->fields[k];
	}
	/* Emptied after a failure, too: an event in two queues would be charged twice. */
	from->allowed = 0;
	deferred_queue_release(from);
	return err;
}

int deferred_queue_take(struct deferred_queue *q, struct deferred_queue *from,
			const uint32_t *node_map, uint64_t *left_out)
{
	size_t count = deferred_queue_count(from), size = words(q);

	*left_out = 0;
	if (from->refused)
		widen_gap(q, from->left_from, from->left_to);
	for (size_t i = 0; i < count; i++) {
		struct deferred_event *e = deferred_queue_at(from, i), *copy;
		int found = deferred_queue_add(q, from->budget, &copy);

		if (found < 0)
			return found;
		if (found == 0) {
			deferred_queue_leave_out(q, e->time);
			++*left_out;
			continue;
		}
		follow_maps(e, node_map, 0);
		memcpy(copy, e, size * sizeof(uint64_t));
	}
	from->events.count = 0;
	return 0;
}

int deferred_queue_remap(struct deferred_queue *q, const uint32_t *node_map)
{
	struct deferred_queue before = *q;
	int err;

	/* Merged into an empty queue, events get their new nodes, and open events whose
	 * stacks have become one stack add up. */
	*q = (struct deferred_queue){ .kind = q->kind };
	err = deferred_queue_merge(q, &before, node_map, 0);
	deferred_queue_release(&before);
	return err;
}

/* Events of one sample stay in the order they came in. */
static bool is_later(const struct event_run *a, const struct event_run *b)
{
	if (a->time != b->time)
		return a->time > b->time;
	return a->position != b->position ? a->position > b->position : a->at > b->at;
}

static int compare_runs(const void *a, const void *b)
{
	return is_later(a, b) - is_later(b, a);
}

/* The first of a heap of @count has become later: it goes down behind those that are earlier. */
static void sift_down(struct event_run *heap, size_t count)
{
	struct event_run moved;
	size_t at = 0;

	/* Most often it is the first still. */
	if (!is_later(&heap[0], &heap[1]) &&
	    (count == 2 || !is_later(&heap[0], &heap[2])))
		return;
	moved = heap[0];
	for (size_t child = 1; child < count; child = 2 * at + 1) {
		if (child + 1 < count && is_later(&heap[child], &heap[child + 1]))
			child++;
		if (!is_later(&moved, &heap[child]))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

static int compare_places(const void *a, const void *b)
{
	const struct event_run *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

/* What is left of runs is all that waits, in the order that it came in. */
static void keep_runs(struct deferred_queue *q, struct event_run *runs, size_t count)
{
	size_t size = words(q), kept = 0;

	if (count)
		qsort(runs, count, sizeof(*runs), compare_places);
	for (size_t i = 0; i < count; i++) {
		size_t left = runs[i].end - runs[i].at;

		memmove(q->events.v + kept * size, q->events.v + runs[i].at * size,
			left * size * sizeof(*q->events.v));
		kept += left;
	}
	/* The array and its claim stay, to be filled again. */
	q->events.count = kept * size;
}

int deferred_queue_settle(struct deferred_queue *q, struct settlement *to, uint64_t until)
{
	ARRAY(struct event_run) runs = { 0 };
	const struct deferred_event *last = NULL;
	size_t count = deferred_queue_count(q);
	int err = count && q->kind->begin ? q->kind->begin(q, to) : 0;

	for (size_t i = 0; i < count && err == 0; i++) {
		const struct deferred_event *e = deferred_queue_at(q, i);

		/* Behind the last one, the run goes on. */
		if (last && (last->time < e->time ||
			     (last->time == e->time && last->position <= e->position))) {
			last = e;
			continue;
		}
		last = e;
		if (runs.count)
			array_last(&runs)->end = i;
		if (array_reserve(&runs, 1))
			runs.v[runs.count++] =
				(struct event_run){ e->time, e->position, i, count };
		else
			err = -ENOMEM;
	}
	/* What is sorted is a heap already. */
	if (runs.count)
		qsort(runs.v, runs.count, sizeof(*runs.v), compare_runs);
	while (runs.count && err == 0 &&
	       (runs.v[0].time < until || until == UINT64_MAX)) {
		struct event_run *first = &runs.v[0];
		struct deferred_event *e = deferred_queue_at(q, first->at++);
		uint64_t key = deferred_key(q, e), moves = q->moves;
		struct deferred_event *slot = slot_of(q, key);

		/* The open event stays where it is during settle(), unless that opens another one;
		 * only what follows moves it. */
		err = q->kind->settle(e, slot && !is_vacant(slot) ? slot : NULL, to);
		if (q->moves != moves)
			slot = slot_of(q, key);
		if (err > 0)
			err = keep_open(q, e, slot);
		else if (err == 0 && slot)
			drop_open(q, slot);
		if (first->at < first->end) {
			e = deferred_queue_at(q, first->at);
			first->time = e->time;
			first->position = e->position;
		} else {
			*first = runs.v[--runs.count];
		}
		if (runs.count > 1)
			sift_down(runs.v, runs.count);
	}
	keep_runs(q, runs.v, err == 0 ? runs.count : 0);
	array_release(&runs);
	return err;
}

void deferred_queue_end_input(struct deferred_queue *q)
{
	if (!q->kind->of_one_input)
		return;
	/* Times of another input. */
	q->left_from = UINT64_MAX;
	q->left_to = 0;
	array_release(&q->open);
	hash_map_release(&q->by_key);
	q->vacant = 0;
}

void deferred_queue_release(struct deferred_queue *q)
{
	array_release(&q->events);
	array_release(&q->open);
	hash_map_release(&q->by_key);
	q->vacant = 0;
	claim_release(&q->claim);
	q->allowed = q->open_allowed = 0;
}
