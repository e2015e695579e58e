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
	*item = (struct round_item){
		time, r->count++, NULL, tag, size, (uint32_t)offset
	};
	/* What perf makes up itself has no time, and is not late. */
	r->late += time && time < r->delivered;
	if (time > r->newest)
		r->newest = time;
	return 0;
}

bool rounds_full(const struct rounds *r, size_t most)
{
	return r->bytes[r->current].count > most ||
	       r->items.count * sizeof(*r->items.v) > most;
}

static int by_time(const void *a, const void *b)
{
	const struct round_item *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* This round's items have their bytes in place from now on. */
static void settle(struct rounds *r)
{
	for (size_t i = r->items.count; i-- > 0 && !r->items.v[i].bytes;)
		r->items.v[i].bytes = r->bytes[r->current].v + r->items.v[i].offset;
}

static void begin_delivery(struct rounds *r, uint64_t until)
{
	settle(r);
	if (r->items.count)
		qsort(r->items.v, r->items.count, sizeof(*r->items.v), by_time);
	for (r->ready = 0; r->ready < r->items.count; r->ready++)
		if (r->items.v[r->ready].time > until)
			break;
	r->next = 0;
	if (r->ready)
		r->delivered = r->items.v[r->ready - 1].time;
	r->turning = true;
}

void rounds_end_round(struct rounds *r)
{
	uint64_t until = r->ended;

	r->ended = r->newest;
	begin_delivery(r, until);
}

void rounds_end_input(struct rounds *r)
{
	begin_delivery(r, UINT64_MAX);
}

/* All of the round before is out: the next one gets its bytes. */
static void turn(struct rounds *r)
{
	r->items.count -= r->ready;
	if (r->items.count)
		memmove(r->items.v, r->items.v + r->ready,
			r->items.count * sizeof(*r->items.v));
	r->next = r->ready = 0;
	r->current = !r->current;
	r->bytes[r->current].count = 0;
	r->turning = false;
}

int rounds_next(struct rounds *r, struct round_item *ret)
{
	if (r->next == r->ready) {
		if (r->turning)
			turn(r);
		return 0;
	}
	*ret = r->items.v[r->next++];
	return 1;
}
