/*
 * A sample of the other byte order is turned as a whole, field by field, into a
 * copy that the decoder of samples reads like any other: most fields are u64, but
 * process and processor are pairs of u32, and raw data and stacks are bytes. Their
 * order is that of PERF_RECORD_SAMPLE in include/uapi/linux/perf_event.h.
 */
#include "input/perf.h"

struct swap {
	const uint8_t *from, *end;
	uint8_t *to;
	bool bad;
};

static uint64_t swap_u64(struct swap *s)
{
	uint64_t value;

	if (s->end - s->from < 8) {
		s->bad = true;
		return 0;
	}
	value = __builtin_bswap64(u64_at(s->from));
	memcpy(s->to, &value, 8);
	s->from += 8;
	s->to += 8;
	return value;
}

static uint32_t swap_u32(struct swap *s)
{
	uint32_t value;

	if (s->end - s->from < 4) {
		s->bad = true;
		return 0;
	}
	value = __builtin_bswap32(u32_at(s->from));
	memcpy(s->to, &value, 4);
	s->from += 4;
	s->to += 4;
	return value;
}

/* Bytes have no order; they are counted all the same. */
static void copy_bytes(struct swap *s, uint64_t size)
{
	if ((uint64_t)(s->end - s->from) < size) {
		s->bad = true;
		return;
	}
	memcpy(s->to, s->from, (size_t)size);
	s->from += size;
	s->to += size;
}

static void swap_u64s(struct swap *s, uint64_t count)
{
	while (count-- > 0 && !s->bad)
		swap_u64(s);
}

/* READ, as read_counters() in perf_sample.c has it. */
static void swap_counters(struct swap *s, uint64_t format)
{
	uint64_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	uint64_t each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);

	if (format & PERF_FORMAT_GROUP) {
		uint64_t members = swap_u64(s);

		swap_u64s(s, times);
		for (; members > 0 && !s->bad; members--)
			swap_u64s(s, each);
	} else {
		swap_u64s(s, times + each);
	}
}

static void swap_registers(struct swap *s, uint64_t mask)
{
	if (swap_u64(s) != 0)
		swap_u64s(s, (uint64_t)__builtin_popcountll(mask));
}

/* The fields up to READ: all have 8 bytes. */
static void swap_fixed(struct swap *s, uint64_t type)
{
	static const uint32_t fields[] = {
		PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,	  PERF_SAMPLE_TID,
		PERF_SAMPLE_TIME,	PERF_SAMPLE_ADDR, PERF_SAMPLE_ID,
		PERF_SAMPLE_STREAM_ID,	PERF_SAMPLE_CPU,  PERF_SAMPLE_PERIOD,
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		if (!(type & fields[i]))
			continue;
		if (fields[i] == PERF_SAMPLE_TID || fields[i] == PERF_SAMPLE_CPU) {
			swap_u32(s);
			swap_u32(s);
		} else {
			swap_u64(s);
		}
	}
}

bool sample_swap(const struct input *in, int event, const uint8_t *from, size_t size,
		 uint8_t *to)
{
	const struct event *e = &in->rec.events.v[event];
	const struct sample_layout *layout = &in->layouts.v[event];
	struct swap s = { from + RECORD_HEAD, from + size, to + RECORD_HEAD, false };
	uint64_t type = e->sample_type;

	memcpy(to, from, RECORD_HEAD);
	swap_fixed(&s, type);
	if (type & PERF_SAMPLE_READ)
		swap_counters(&s, e->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		swap_u64s(&s, swap_u64(&s));
	if (type & PERF_SAMPLE_RAW)
		copy_bytes(&s, swap_u32(&s));
	if (type & PERF_SAMPLE_BRANCH_STACK) {
		uint64_t count = swap_u64(&s);

		if (layout->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
			swap_u64(&s);
		for (uint64_t i = 0; i < count && !s.bad; i++)
			swap_u64s(&s, 3);
		if (layout->branch_sample_type & PERF_SAMPLE_BRANCH_COUNTERS)
			swap_u64s(&s, count);
	}
	if (type & PERF_SAMPLE_REGS_USER)
		swap_registers(&s, layout->regs_user);
	if (type & PERF_SAMPLE_STACK_USER) {
		uint64_t bytes = swap_u64(&s);

		copy_bytes(&s, bytes);
		if (bytes)
			swap_u64(&s); /* how many of them are filled */
	}
	swap_u64s(&s, (uint64_t)__builtin_popcountll(
			      type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT |
				      PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION)));
	if (type & PERF_SAMPLE_REGS_INTR)
		swap_registers(&s, layout->regs_intr);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		swap_u64(&s);
	/* Of what is left nothing is needed. As words it is as perf takes it for
	 * branches. */
	if (!s.bad)
		swap_u64s(&s, (uint64_t)(s.end - s.from) / 8);
	return !s.bad;
}
