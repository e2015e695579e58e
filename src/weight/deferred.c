/*
 * Events lie one behind the other, those that wait in an array and those that are open in
 * another, which a hash of their keys leads to. To be put in order only their times are
 * sorted: events of one sample stay in the order they came in, which makes the order the same
 * for any number of workers. Of a live run they come in order, and nothing is sorted.
 */
#include "weight/deferred.h"

#include <errno.h>

enum { SOME = 1024 }; /* events, that the budget is asked for at once */

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
 *	word 2   node, kept (32 bits each)
 *	word 3   input (16), lost (8)
 *	word 4   the kind's fields, kind->fields / 8 words
 */
static size_t count_queued(const struct deferred_queue *q)
{
	return q->events.count / words(q);
}

static struct deferred_event *queued_at(const struct deferred_queue *q, size_t index)
{
	return (struct deferred_event *)(void *)(q->events.v + index * words(q));
}

static struct deferred_event *open_slot(const struct deferred_queue *q, size_t index)
{
	return (struct deferred_event *)(void *)(q->open.v + index * words(q));
}

size_t deferred_queue_open(const struct deferred_queue *q)
{
	return q->open.count / words(q);
}

const struct deferred_event *deferred_queue_open_at(const struct deferred_queue *q,
						    size_t index)
{
	return open_slot(q, index);
}

int deferred_queue_add(struct deferred_queue *q, struct budget *budget,
		       struct deferred_event **ret)
{
	size_t size = words(q),
	       memory = 3 * size *
			sizeof(uint64_t); /* room, and sorted: 2 times 3 words */

	if (count_queued(q) >= q->allowed) {
		if (!claim_add_part(&q->claim, budget, BUDGET_STACKS, SOME * memory))
			return 0;
		q->allowed += SOME;
	}
	if (!array_reserve(&q->events, size))
		return -ENOMEM;
	q->events.count += size;
	*ret = queued_at(q, count_queued(q) - 1);
	memset(*ret, 0, size * sizeof(uint64_t));
	return 1;
}

/* Keys of different inputs are different ones. */
static uint64_t deferred_key(const struct deferred_queue *q,
			     const struct deferred_event *e)
{
	return q->kind->key(e) + hash_u64(e->input);
}

struct deferred_event *deferred_queue_find(const struct deferred_queue *q, uint64_t key,
					   uint16_t input)
{
	const uint32_t *index = hash_map_get(&q->by_key, key + hash_u64(input));

	return index ? open_slot(q, *index) : NULL;
}

/* Opens a copy of @e, in place of the one at @index, which may be NULL. */
static int keep_open(struct deferred_queue *q, const struct deferred_event *e,
		     const uint32_t *index)
{
	size_t size = words(q), at = index ? *index : deferred_queue_open(q);

	if (!index) {
		if (!array_reserve(&q->open, size) ||
		    !hash_map_set(&q->by_key, deferred_key(q, e), (uint32_t)at))
			return -ENOMEM;
		q->open.count += size;
	}
	memcpy(open_slot(q, at), e, size * sizeof(uint64_t));
	return 0;
}

/* The last one takes its place. Open events have no holes between them. */
static int drop_open(struct deferred_queue *q, uint32_t index)
{
	size_t size = words(q);
	struct deferred_event *last;

	hash_map_remove(&q->by_key, deferred_key(q, open_slot(q, index)));
	q->open.count -= size;
	if (q->open.count == index * size)
		return 0;
	/* The count is lowered already, so this is the event behind the end. */
	last = open_slot(q, deferred_queue_open(q));
	memcpy(open_slot(q, index), last, size * sizeof(uint64_t));
	return hash_map_set(&q->by_key, deferred_key(q, last), index) ? 0 : -ENOMEM;
}

/*
 * What was open elsewhere is so here; two of one key add up, or the later one stays. The
 * later one is what the next read has to be compared with.
 */
static int merge_open(struct deferred_queue *q, const struct deferred_event *e)
{
	const uint32_t *index = hash_map_get(&q->by_key, deferred_key(q, e));
	struct deferred_event *known = index ? open_slot(q, *index) : NULL;

	if (!known || !q->kind->adds_up)
		return known && known->time > e->time ? 0 : keep_open(q, e, index);
	for (size_t i = 0; i < q->kind->fields / sizeof(*e->fields); i++)
		known->fields[i] += e->fields[i];
	return 0;
}

/* Where its stacks and its sample have gone. */
static void follow_maps(const struct deferred_kind *kind, struct deferred_event *e,
			const uint32_t *node_map, uint32_t kept)
{
	if (node_map)
		e->node = node_map[e->node];
	for (size_t i = 0; node_map && i < kind->nodes; i++)
		e->fields[i] = node_map[e->fields[i]];
	if (e->kept)
		e->kept += kept;
}

int deferred_queue_merge(struct deferred_queue *q, struct deferred_queue *from,
			 const uint32_t *node_map, uint32_t kept)
{
	size_t before = count_queued(q);
	int err = 0;

	if (!array_reserve(&q->events, from->events.count))
		return -ENOMEM;
	if (from->events.count)
		memcpy(q->events.v + q->events.count, from->events.v,
		       from->events.count * sizeof(*from->events.v));
	q->events.count += from->events.count;
	/* The claim goes with the events: nothing is asked of the budget twice. */
	claim_join(&q->claim, &from->claim);
	q->allowed += from->allowed;
	q->refused |= from->refused;
	for (size_t i = before, count = count_queued(q); i < count; i++)
		follow_maps(q->kind, queued_at(q, i), node_map, kept);
	for (size_t i = 0; i < deferred_queue_open(from) && err == 0; i++) {
		follow_maps(q->kind, open_slot(from, i), node_map, kept);
		err = merge_open(q, open_slot(from, i));
	}
	/* Emptied after a failure, too: an event in two queues would be charged twice. */
	from->allowed = 0;
	deferred_queue_release(from);
	return err;
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

/*
 * Where an event is in the array, by when it was: what is sorted. Recordings come in runs that are in
 * order, one a processor and round, so runs are merged, two and two, until there is one:
 *
 *	1 4 7 | 2 3 9 | 5 6      1 2 3 4 7 9 | 5 6      1 2 3 4 5 6 7 9
 *
 * That takes as many passes as the number of runs has bits, reads and writes in order, and leaves
 * what is equal as it was: events of one sample stay as they came in.
 */
struct queued_time {
	uint64_t time, position;
	size_t index;
};

static bool is_later(const struct queued_time *a, const struct queued_time *b)
{
	return a->time > b->time || (a->time == b->time && a->position > b->position);
}

static size_t end_of_run(const struct queued_time *v, size_t at, size_t count)
{
	while (at + 1 < count && !is_later(&v[at], &v[at + 1]))
		at++;
	return at < count ? at + 1 : count;
}

/* One pass: *@to gets pairs of runs of @from merged. Returns how many runs there are now. */
static size_t merge_runs(const struct queued_time *from, struct queued_time *to,
			 size_t count)
{
	size_t runs = 0, at = 0;

	for (size_t i = 0; i < count; runs++) {
		size_t middle = end_of_run(from, i, count);
		size_t end = end_of_run(from, middle, count), a = i, b = middle;

		while (a < middle || b < end)
			to[at++] =
				b == end || (a < middle && !is_later(&from[a], &from[b]))
					? from[a++]
					: from[b++];
		i = end;
	}
	return runs;
}

/* NULL without memory; else to be freed. */
static struct queued_time *sort_queued(const struct deferred_queue *q, size_t count)
{
	struct queued_time *v = malloc((count + 1) * sizeof(*v));
	struct queued_time *other = malloc((count + 1) * sizeof(*other));

	for (size_t i = 0; v && other && i < count; i++) {
		const struct deferred_event *e = queued_at(q, i);

		v[i] = (struct queued_time){ e->time, e->position, i };
	}
	for (size_t runs = 2; v && other && runs > 1;) {
		struct queued_time *merged = other;

		runs = merge_runs(v, merged, count);
		other = v;
		v = merged;
	}
	if (!other) {
		free(v);
		v = NULL;
	}
	free(other);
	return v;
}

static bool is_sorted(const struct deferred_queue *q, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		const struct deferred_event *a = queued_at(q, i - 1),
					    *b = queued_at(q, i);

		if (a->time > b->time ||
		    (a->time == b->time && a->position > b->position))
			return false;
	}
	return true;
}

int deferred_queue_settle(struct deferred_queue *q, struct settlement *to)
{
	size_t count = count_queued(q);
	struct queued_time *sorted = NULL;
	int err = 0;

	if (!is_sorted(q, count)) {
		sorted = sort_queued(q, count);
		if (!sorted)
			return -ENOMEM;
	}
	for (size_t i = 0; i < count && err == 0; i++) {
		struct deferred_event *e = queued_at(q, sorted ? sorted[i].index : i);
		const uint32_t *index = hash_map_get(&q->by_key, deferred_key(q, e));
		/* The open event stays where it is during settle(); only what follows
		 * moves it. */
		int stays = q->kind->settle(e, index ? open_slot(q, *index) : NULL, to);

		if (stays < 0)
			err = stays;
		else if (stays)
			err = keep_open(q, e, index);
		else if (index)
			err = drop_open(q, *index);
	}
	free(sorted);
	/* The array and its claim stay: a live run fills them again in the next round. */
	q->events.count = 0;
	return err;
}

void deferred_queue_end_input(struct deferred_queue *q)
{
	if (!q->kind->of_one_input)
		return;
	array_release(&q->open);
	hash_map_release(&q->by_key);
}

void deferred_queue_release(struct deferred_queue *q)
{
	array_release(&q->events);
	array_release(&q->open);
	hash_map_release(&q->by_key);
	claim_release(&q->claim);
	q->allowed = 0;
}
