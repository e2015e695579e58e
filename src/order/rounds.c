/*
 * Items hold times and point to bytes; bytes are in one of two buffers, of the round
 * before and of this one, which change places when a round is over. So a record is
 * copied once, and its bytes are neither moved nor freed one by one.
 *
 *	bytes[0]   round 1, out when round 2 ends          | round 3 ...
 *	bytes[1]             round 2, out when round 3 ends          | round 4
 *
 * What was left, and what each ring had in each round, is in order already: runs of that
 * are merged in pairs until there is one, O(n log runs).
 */
#include <assert.h>
#include <errno.h>

#include "order/order.h"

void rounds_init(struct rounds *r)
{
	*r = (struct rounds){ 0 };
}

void rounds_release(struct rounds *r)
{
	array_release(&r->items);
	array_release(&r->sorted);
	array_release(&r->bytes[0]);
	array_release(&r->bytes[1]);
}

/* Where the bytes are is known only once the round's have stopped to move. */
int rounds_add(struct rounds *r, uint64_t time, uint64_t tag, const void *bytes,
	       uint32_t size)
{
	struct round_item *item;
	size_t offset = r->bytes[r->current].count;

	assert(!r->turning);
	if (offset > UINT32_MAX || !array_reserve(&r->items, 1) ||
	    !array_reserve(&r->bytes[r->current], size))
		return -ENOMEM;
	memcpy(r->bytes[r->current].v + offset, bytes, size);
	r->bytes[r->current].count += size;
	item = array_add(&r->items);
	*item = (struct round_item){ time, NULL, tag, size, (uint32_t)offset };
	/* What perf makes up itself has no time, and is not late. */
	r->late += time && time < r->delivered;
	if (time >= TIME_NEVER)
		r->has_timeless = true;
	else if (time > r->newest)
		r->newest = time;
	return 0;
}

bool rounds_full(const struct rounds *r, size_t most)
{
	return r->bytes[r->current].count > most ||
	       r->items.count * sizeof(*r->items.v) > most;
}

/* The first item behind @first that is older than the one before it. */
static size_t run_end(const struct round_item *v, size_t first, size_t count)
{
	size_t i = first + 1;

	while (i < count && v[i - 1].time <= v[i].time)
		i++;
	return i < count ? i : count;
}

/* A merge sort of the runs that are there already: with one ring, or rings that do not
 * overlap, it does nothing. */
static int sort_round(struct rounds *r)
{
	size_t count = r->items.count;

	while (run_end(r->items.v, 0, count) < count) {
		__typeof__(r->items) from = r->items;

		if (!array_reserve(&r->sorted, count))
			return -ENOMEM;
		for (size_t first = 0, end; first < count; first = end) {
			const struct round_item *v = from.v;
			struct round_item *to = r->sorted.v;
			size_t middle = run_end(v, first, count);
			size_t i = first, k = middle, n = first;

			end = middle < count ? run_end(v, middle, count) : count;
			/* Of equal times those of the first run come first. */
			while (i < middle && k < end)
				to[n++] = v[k].time < v[i].time ? v[k++] : v[i++];
			memcpy(to + n, v + i, (middle - i) * sizeof(*v));
			n += middle - i;
			memcpy(to + n, v + k, (end - k) * sizeof(*v));
		}
		r->items = r->sorted;
		r->items.count = count;
		r->sorted = from;
		r->sorted.count = 0;
	}
	return 0;
}

/* Sorts what is held and lets all up to @until go. Until it has gone nothing is added,
 * since the buffers change places only then. */
static int begin_delivery(struct rounds *r, uint64_t until)
{
	/* This round's bytes do not move any more: its items have theirs in place from
	 * now on. */
	for (size_t i = r->items.count; i-- > 0 && !r->items.v[i].bytes;)
		r->items.v[i].bytes = r->bytes[r->current].v + r->items.v[i].offset;
	if (sort_round(r) < 0)
		return -ENOMEM;
	for (r->ready = 0; r->ready < r->items.count; r->ready++)
		if (r->items.v[r->ready].time > until)
			break;
	r->next = 0;
	if (r->ready)
		r->delivered = r->items.v[r->ready - 1].time;
	r->turning = true;
	return 0;
}

void rounds_hold_round(struct rounds *r)
{
	/* No longer than others: bytes are there for two rounds. */
	for (size_t i = r->items.count;
	     r->has_timeless && i-- > 0 && !r->items.v[i].bytes;)
		if (r->items.v[i].time >= TIME_NEVER)
			r->items.v[i].time = r->newest;
	r->has_timeless = false;
	r->complete = r->ended;
	r->ended = r->newest;
}

int rounds_end_round(struct rounds *r)
{
	rounds_hold_round(r);
	return begin_delivery(r, r->complete);
}

int rounds_end_input(struct rounds *r)
{
	return begin_delivery(r, UINT64_MAX);
}

int rounds_next(struct rounds *r, struct round_item *ret)
{
	if (r->next < r->ready) {
		*ret = r->items.v[r->next++];
		return 1;
	}
	if (!r->turning)
		return 0;
	/* All of the round before is out: the next one gets its bytes. */
	r->items.count -= r->ready;
	if (r->items.count)
		memmove(r->items.v, r->items.v + r->ready,
			r->items.count * sizeof(*r->items.v));
	r->next = r->ready = 0;
	r->current = !r->current;
	r->bytes[r->current].count = 0;
	r->turning = false;
	return 0;
}
