/*
 * Two levels in one loop: first what is left of the unpacked bytes, then the next record
 * of the file, which is handed out or, if it is compressed, feeds the unpacking. A
 * record that is not whole among the unpacked bytes waits for the next one that is
 * compressed.
 *
 * Every size is compared with what is left before it is used. A size that cannot be
 * right ends the stream with a reason and a place, and all records before it stand.
 * Types from 64 on are perf's own: tools/lib/perf/include/perf/event.h.
 */
#include "input/stream.h"

#include <errno.h>

#include "input/perf_data.h"
#include "input/unpacking.h"

enum {
	/* A window that a processor's second-level cache can hold: the bytes that the
	 * kernel has just copied are still there when they are decoded. */
	WINDOW = 256 << 10,
	/* Samples from this size on are stepped over, where only heads are wanted: a
	 * system call costs as much as copying so many bytes. */
	SKIPPED = 12 << 10,
	COMPRESSED2_HEAD = 16, /* record head, u64 size of the data */
	COMPRESSED2_MOST = 65535 - COMPRESSED2_HEAD,
};

int stream_init(struct stream *s, const struct file *file, bool swapped)
{
	*s = (struct stream){ .file = file, .swapped = swapped };
	return window_init(&s->window, file, WINDOW);
}

void stream_release(struct stream *s)
{
	unpacking_free(s->unpacking);
	window_release(&s->window);
	*s = (struct stream){ 0 };
}

void stream_start(struct stream *s, uint64_t start, uint64_t end)
{
	s->offset = s->position = start;
	s->end = end;
	s->overflow_end = 0;
	s->cut = false;
	s->damage = NULL;
	if (s->unpacking)
		unpacking_reset(s->unpacking);
}

static int end_at(struct stream *s, uint64_t offset, const char *why)
{
	s->damage = why;
	s->damaged_at = offset;
	s->offset = s->end;
	return 0;
}

struct perf_event_header record_head_at(const uint8_t *p, bool swapped)
{
	struct perf_event_header h;

	memcpy(&h, p, sizeof(h));
	if (swapped)
		h = (struct perf_event_header){ __builtin_bswap32(h.type),
						__builtin_bswap16(h.misc),
						__builtin_bswap16(h.size) };
	return h;
}

static uint64_t u64_of(const struct stream *s, const uint8_t *p)
{
	uint64_t value;

	memcpy(&value, p, sizeof(value));
	return s->swapped ? __builtin_bswap64(value) : value;
}

/* Data of a record that lies behind it, not in it. */
static uint64_t bytes_behind(const struct stream *s, struct perf_event_header head,
			     const uint8_t *p)
{
	uint32_t text;

	if (head.type == PERF_RECORD_AUXTRACE && head.size >= RECORD_HEAD + 8)
		return u64_of(s, p + RECORD_HEAD);
	if (head.type != PERF_RECORD_HEADER_TRACING_DATA || !s->skips_text ||
	    head.size < RECORD_HEAD + 4)
		return 0;
	memcpy(&text, p + RECORD_HEAD, 4);
	return s->swapped ? __builtin_bswap32(text) : text;
}

bool recording_begins(const uint8_t *p)
{
	return memcmp(p, PERF_MAGIC, 8) == 0 || memcmp(p, PERF_MAGIC_SWAPPED, 8) == 0;
}

/* The record at s->offset: 1 if it is whole, 0 if the stream ends here. */
static int outer_record(struct context *ctx, struct stream *s, struct raw_record *ret)
{
	size_t got, want;
	int err;

	if (s->offset >= s->end)
		return s->cut ? end_at(s, s->offset, "ends inside a compressed record")
			      : 0;
	err = window_at(ctx, &s->window, (struct file_part){ s->offset, RECORD_HEAD },
			&ret->bytes, &got);
	if (err < 0)
		return err;
	/* A packed file does not know its size. */
	if (got == 0 && s->end == UINT64_MAX)
		return 0;
	if (got < RECORD_HEAD || s->end - s->offset < RECORD_HEAD)
		return end_at(s, s->offset, "ends inside a record");
	if (recording_begins(ret->bytes))
		return end_at(s, s->offset, ANOTHER_RECORDING);
	ret->head = record_head_at(ret->bytes, s->swapped);
	/* Overflowed ones claim any size. */
	if (ret->head.type == PERF_RECORD_COMPRESSED2)
		return 1;
	if (ret->head.type == PERF_RECORD_COMPRESSED && ret->head.size >= RECORD_HEAD)
		return 1;
	if (ret->head.size < RECORD_HEAD)
		return end_at(s, s->offset, "a record of impossible size");
	if (ret->head.size > s->end - s->offset)
		return end_at(s, s->offset, "ends inside a record");
	want = ret->head.size + (size_t)s->margin;
	if (s->heads && ret->head.type == PERF_RECORD_SAMPLE &&
	    ret->head.size > SAMPLE_HEAD)
		want = SAMPLE_HEAD;
	err = window_at(ctx, &s->window, (struct file_part){ s->offset, want },
			&ret->bytes, &got);
	if (err < 0)
		return err;
	if (got < want && got < ret->head.size)
		return end_at(s, s->offset, "ends inside a record");
	ret->margin = got > ret->head.size ? got - ret->head.size : 0;
	if (want < ret->head.size && ret->head.size >= SKIPPED)
		window_skims(&s->window);
	return 1;
}

static bool is_head(const struct stream *s, const uint8_t *p)
{
	struct perf_event_header head = record_head_at(p, s->swapped);

	return head.type > 0 && head.type < RECORD_TYPES &&
	       (head.size >= RECORD_HEAD || head.type == PERF_RECORD_COMPRESSED2);
}

/* As much of the data of the record at hand as there is. */
static void feed_range(struct stream *s, uint64_t head, uint64_t size)
{
	uint64_t start = s->offset + head;

	if (start > s->end || size > s->end - start) {
		s->cut = true;
		size = start < s->end ? s->end - start : 0;
	}
	unpacking_feed(s->unpacking, start, start + size);
}

/* What follows an overflowed record is at its end, or where a padded one would end. */
static int skip_padding(struct context *ctx, struct stream *s)
{
	size_t padding = (size_t)(-s->overflow_end & 7), got;
	const uint8_t *p;
	int err =
		window_at(ctx, &s->window, (struct file_part){ s->offset, 16 }, &p, &got);

	s->overflow_end = 0;
	if (err == 0 && got == 16 && padding && !is_head(s, p) && is_head(s, p + padding))
		s->offset += padding;
	return err;
}

/*
 * perf 6.16 puts the size of several records into the first one's 16 bits. What is
 * intact is the size of the data of all, and the sizes of the others, the first of which
 * lies behind 65519 bytes of data:
 *
 *	head 16 | data 65519 | head 16 | data ... | head 16 | data |   (padding)
 *	        |<---------------- size of the data ------------->|
 */
static int feed_compressed2(struct context *ctx, struct stream *s, uint16_t claimed)
{
	uint64_t size = claimed > COMPRESSED2_HEAD ? claimed - COMPRESSED2_HEAD : 0;
	uint64_t body = s->offset + COMPRESSED2_HEAD, data, first;
	bool inside = s->offset < s->overflow_end;
	const uint8_t *p;
	size_t got;
	int err;

	err = window_at(ctx, &s->window,
			(struct file_part){ s->offset, COMPRESSED2_HEAD }, &p, &got);
	if (err < 0)
		return err;
	if (got < COMPRESSED2_HEAD || (inside && claimed < COMPRESSED2_HEAD))
		return end_at(s, s->offset, "ends inside a record");
	data = u64_of(s, p + RECORD_HEAD);
	if (!inside && data > size) {
		first = data < COMPRESSED2_MOST ? data : COMPRESSED2_MOST;
		feed_range(s, COMPRESSED2_HEAD, first);
		s->offset = body + first;
		if (__builtin_add_overflow(body, data, &s->overflow_end))
			s->overflow_end = UINT64_MAX;
		return 1;
	}
	if (claimed < COMPRESSED2_HEAD)
		return end_at(s, s->offset, "a record of impossible size");
	feed_range(s, COMPRESSED2_HEAD, inside ? size : data);
	s->offset += claimed;
	return 1;
}

/* The next record that is whole among the unpacked bytes: 1, or 0 for none. */
static int inner_record(struct context *ctx, struct stream *s, struct raw_record *ret)
{
	size_t got;
	int err;

	err = unpacking_peek(ctx, s->unpacking, RECORD_HEAD, &ret->bytes, &got);
	if (err == 0 && got >= RECORD_HEAD) {
		ret->head = record_head_at(ret->bytes, s->swapped);
		if (ret->head.size < RECORD_HEAD)
			return end_at(s, s->offset,
				      "a compressed record of impossible size");
		err = unpacking_peek(ctx, s->unpacking, ret->head.size, &ret->bytes,
				     &got);
	}
	if (err == -EBADMSG)
		return end_at(s, s->offset, "compressed data is damaged");
	if (err < 0 || got < RECORD_HEAD || got < ret->head.size)
		return err;
	unpacking_take(s->unpacking, ret->head.size);
	ret->margin = got - ret->head.size;
	return 1;
}

static void give_position(struct stream *s, struct raw_record *ret)
{
	ret->position = s->position;
	s->position += ret->head.size;
}

int stream_next(struct context *ctx, struct stream *s, struct raw_record *ret)
{
	int found = 1;

	ret->behind = 0;
	while (found > 0) {
		if (s->unpacking) {
			found = inner_record(ctx, s, ret);
			if (found > 0)
				give_position(s, ret);
			if (found != 0 || s->damage)
				return found;
		}
		if (s->overflow_end && s->offset >= s->overflow_end)
			found = skip_padding(ctx, s);
		if (found >= 0)
			found = outer_record(ctx, s, ret);
		if (found <= 0)
			break;
		if (ret->head.type == PERF_RECORD_COMPRESSED ||
		    ret->head.type == PERF_RECORD_COMPRESSED2) {
			s->packed = true;
			if (!s->unpacking && unpacking_new(&s->window, &s->unpacking) < 0)
				return -ENOMEM;
			if (ret->head.type == PERF_RECORD_COMPRESSED2) {
				found = feed_compressed2(ctx, s, ret->head.size);
				continue;
			}
			feed_range(s, RECORD_HEAD,
				   ret->head.size - (uint64_t)RECORD_HEAD);
			s->offset += ret->head.size;
			continue;
		}
		ret->behind = bytes_behind(s, ret->head, ret->bytes);
		give_position(s, ret);
		s->offset += ret->head.size;
		if (ret->behind > s->end - s->offset) {
			end_at(s, s->offset, "ends inside the data of a record");
			ret->behind = 0;
		}
		s->offset += s->damage ? 0 : ret->behind;
		s->position += ret->behind;
		return 1;
	}
	return found;
}
