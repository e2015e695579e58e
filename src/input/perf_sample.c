#include <errno.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "input/perf.h"

/*
 * A window that a processor's second-level cache can hold: the bytes that the
 * kernel has just copied are still there when they are decoded.
 */
enum { WINDOW = 256 << 10 };

struct sample_reader {
	const struct input *in;
	struct window window;
	uint64_t position, end;
	uint64_t newest;
};

/* PERF_FORMAT_*, the parts of a READ field. */
enum {
	READ_ENABLED = 1 << 0,
	READ_RUNNING = 1 << 1,
	READ_ID = 1 << 2,
	READ_GROUP = 1 << 3,
	READ_LOST = 1 << 4,
};

/* branch_sample_type */
enum {
	BRANCH_HW_INDEX = 1 << 17,
	BRANCH_COUNTERS = 1 << 19,
};

int sample_reader_new(struct context *ctx, const struct input *in,
		      struct sample_reader **ret)
{
	struct sample_reader *r = calloc(1, sizeof(*r));

	if (!r || window_init(&r->window, &in->file, WINDOW) < 0) {
		free(r);
		return fail_memory(ctx);
	}
	r->in = in;
	*ret = r;
	return 0;
}

void sample_reader_free(struct sample_reader *r)
{
	if (!r)
		return;
	window_release(&r->window);
	free(r);
}

int sample_reader_start(struct sample_reader *r, size_t chunk)
{
	r->position = r->in->chunks.v[chunk].start;
	r->end = r->in->chunks.v[chunk].end;
	r->newest = r->in->chunks.v[chunk].time;
	return 0;
}

size_t input_chunks(const struct input *in)
{
	return in->chunks.count;
}

static void skip_read(struct cursor *c, uint64_t format)
{
	int times = !!(format & READ_ENABLED) + !!(format & READ_RUNNING);
	int each = 1 + !!(format & READ_ID) + !!(format & READ_LOST);

	if (format & READ_GROUP) {
		uint64_t members = cursor_u64(c);

		cursor_bytes(c, 8 * (size_t)times);
		if (members > cursor_left(c) / 8)
			c->bad = true;
		else
			cursor_bytes(c, 8 * (size_t)members * (size_t)each);
	} else {
		cursor_bytes(c, 8 * (size_t)(each + times));
	}
}

/* "u64 count" and then that many items, which have to be there. */
static const uint8_t *items(struct cursor *c, size_t item, uint64_t *count)
{
	*count = cursor_u64(c);
	if (*count > cursor_left(c) / item) {
		c->bad = true;
		*count = 0;
	}
	return cursor_bytes(c, item * (size_t)*count);
}

/* Whether a copy of the user stack follows what comes between it and the chain. */
static bool finds_user_stack(struct cursor *c, const struct event *event,
			     const struct layout *layout)
{
	uint64_t type = event->sample_type, count;

	if (type & SAMPLE_RAW)
		cursor_bytes(c, cursor_u32(c));
	if (type & SAMPLE_BRANCH_STACK) {
		count = cursor_u64(c);
		if (layout->branch_sample_type & BRANCH_HW_INDEX)
			cursor_u64(c);
		if (count > cursor_left(c) / 24)
			return false;
		cursor_bytes(c, 24 * (size_t)count);
		if (layout->branch_sample_type & BRANCH_COUNTERS)
			cursor_bytes(c, 8 * (size_t)count);
	}
	if (type & SAMPLE_REGS_USER && cursor_u64(c) != 0)
		cursor_bytes(c, 8 * (size_t)__builtin_popcountll(layout->regs_user));
	return cursor_u64(c) > 0 && !c->bad;
}

/* The fields with 8 bytes each, at places that are known. */
static void decode_fixed(struct sample_reader *r, const struct event *event,
			 const struct layout *l, const uint8_t *p, struct sample *ret)
{
	ret->time = l->time	       ? u64_at(p + l->time)
		    : r->in->any_timed ? r->newest
				       : r->position;
	if (ret->time > r->newest)
		r->newest = ret->time;
	ret->ip = l->ip ? u64_at(p + l->ip) : 0;
	ret->pid = l->tid ? u32_at(p + l->tid) : UINT32_MAX;
	ret->tid = l->tid ? u32_at(p + l->tid + 4) : UINT32_MAX;
	ret->cpu = l->cpu ? u32_at(p + l->cpu) : UINT32_MAX;
	ret->period = l->period ? u64_at(p + l->period) : event->period;
}

/* Where samples lack times of their own, those of other records are theirs. */
static int pass_other(struct context *ctx, struct sample_reader *r, size_t size)
{
	const uint8_t *p;
	uint64_t time;
	size_t got;
	int err;

	if (r->in->all_timed || !r->in->any_timed)
		return 0;
	err = window_at(ctx, &r->window, r->position, size, &p, &got);
	if (err < 0 || got < size)
		return err;
	time = trailer_time(r->in, p, size);
	if (time != UINT64_MAX && time > r->newest)
		r->newest = time;
	return 0;
}

/* False where the record does not hold what its event says. */
static bool decode(struct sample_reader *r, const uint8_t *p, size_t size,
		   struct sample *ret)
{
	int index = event_of_sample(r->in, p, size);
	const struct event *event;
	const struct layout *l;
	struct cursor c;
	uint64_t count;

	if (index < 0)
		return false;
	event = &r->in->rec.events.v[index];
	l = &r->in->layouts.v[index];
	if (size < l->fixed)
		return false;
	*ret = (struct sample){ .event = (uint16_t)index, .position = r->position };
	ret->mode = record_head(p).misc & MISC_MODE;
	decode_fixed(r, event, l, p, ret);
	c = cursor_of(p + l->fixed, size - l->fixed);
	if (event->sample_type & SAMPLE_READ)
		skip_read(&c, event->read_format);
	if (event->sample_type & SAMPLE_CALLCHAIN) {
		ret->has_chain = true;
		ret->chain = items(&c, 8, &count);
		ret->chain_count = (uint32_t)count;
	}
	if (event->sample_type & SAMPLE_STACK_USER && !c.bad)
		ret->has_user_stack = finds_user_stack(&c, event, l);
	return !c.bad;
}

int sample_next(struct context *ctx, struct sample_reader *r, struct sample *ret,
		uint64_t *damaged)
{
	while (r->position < r->end) {
		struct record_head head;
		const uint8_t *p;
		size_t got;
		int err;

		err = window_at(ctx, &r->window, r->position, RECORD_HEAD, &p, &got);
		if (err < 0)
			return err;
		/* The first pass saw a whole record here: someone has cut the file since. */
		if (got < RECORD_HEAD)
			return 0;
		head = record_head(p);
		if (head.size < RECORD_HEAD)
			return 0;
		if (head.type != RECORD_SAMPLE) {
			err = pass_other(ctx, r, head.size);
			if (err < 0)
				return err;
			r->position += head.size;
			continue;
		}
		err = window_at(ctx, &r->window, r->position, head.size, &p, &got);
		if (err < 0 || got < head.size)
			return err;
		err = decode(r, p, head.size, ret);
		r->position += head.size;
		if (err)
			return 1;
		++*damaged;
	}
	return 0;
}
