/*
 * A perf_event_attr of any age becomes an event and a layout: where the fields of its
 * samples, and of the trailers of its other records, are. Sizes have grown from 64
 * bytes on, and what an older one lacks is zero. Then: which event a record belongs to.
 * Each has ids; where a record has its id can be told before its event is known only if
 * all events have it at the same place, which is what PERF_SAMPLE_IDENTIFIER was made
 * for.
 *
 * Sources: include/uapi/linux/perf_event.h; for ids perf's session.c and evlist.c
 * (evlist__event2evsel).
 */
#include "input/perf.h"

#include <stddef.h>

/* As many bytes of an attr as have something that is looked at. */
enum { ATTR_KNOWN = PERF_ATTR_SIZE_VER5 };

#define AT(field) offsetof(struct perf_event_attr, field)
/* The flags are a bit-field, which has no offset. */
#define AT_FLAGS (AT(read_format) + 8)

/* The fields of a sample that have 8 bytes each, in their order. */
static const uint32_t sample_fields[] = {
	PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,	  PERF_SAMPLE_TID,
	PERF_SAMPLE_TIME,	PERF_SAMPLE_ADDR, PERF_SAMPLE_ID,
	PERF_SAMPLE_STREAM_ID,	PERF_SAMPLE_CPU,  PERF_SAMPLE_PERIOD,
};
_Static_assert(RECORD_HEAD + sizeof(sample_fields) / sizeof(*sample_fields) * 8 <=
		       SAMPLE_HEAD,
	       "what is read of a sample by those who want its head");

/* The fields of the trailer, last one first. */
static const uint32_t trailer_fields[] = {
	PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_CPU,  PERF_SAMPLE_STREAM_ID,
	PERF_SAMPLE_ID,		PERF_SAMPLE_TIME, PERF_SAMPLE_TID,
};

/* Where the field lies in a sample: behind those before it that there are. */
static uint16_t sample_offset(uint64_t sample_type, uint32_t field)
{
	uint16_t offset = RECORD_HEAD;

	if (!(sample_type & field))
		return 0;
	for (size_t i = 0; sample_fields[i] != field; i++)
		if (sample_type & sample_fields[i])
			offset += 8;
	return offset;
}

/* How far before the end of another record the field lies, and 0 without a trailer. */
static uint16_t trailer_offset(const struct event *event, uint32_t field)
{
	uint16_t offset = 8;

	if (!(event->sample_type & field) || !(event->flags & PERF_ATTR_SAMPLE_ID_ALL))
		return 0;
	for (size_t i = 0; trailer_fields[i] != field; i++)
		if (event->sample_type & trailer_fields[i])
			offset += 8;
	return offset;
}

static uint32_t u32_in(const uint8_t *p, bool swapped)
{
	return swapped ? __builtin_bswap32(u32_at(p)) : u32_at(p);
}

static uint64_t u64_in(const uint8_t *p, bool swapped)
{
	return swapped ? __builtin_bswap64(u64_at(p)) : u64_at(p);
}

/* @bytes: @size bytes of a perf_event_attr of any age, missing ones are zero. */
static void attr_decode(const uint8_t *bytes, size_t size, bool swapped,
			struct event *event, struct sample_layout *ret)
{
	uint8_t attr[ATTR_KNOWN] = { 0 };
	uint64_t type, period, flags;

	memcpy(attr, bytes, size < sizeof(attr) ? size : sizeof(attr));
	event->type = u32_in(attr + AT(type), swapped);
	event->config = u64_in(attr + AT(config), swapped);
	event->address = u64_in(attr + AT(config1), swapped);
	event->breakpoint = u32_in(attr + AT(bp_type), swapped);
	event->sample_type = type = u64_in(attr + AT(sample_type), swapped);
	event->read_format = u64_in(attr + AT(read_format), swapped);
	/* A bit-field: on a big-endian machine the first one is the highest bit of the first
	 * byte. */
	flags = u64_at(attr + AT_FLAGS);
	event->flags = swapped ? 0 : flags;
	for (int bit = 0; bit < 64 && swapped; bit++)
		if (flags >> bit & 1)
			event->flags |= 1ull << (bit ^ 7);
	/* Period and frequency are one field. */
	period = u64_in(attr + AT(sample_period), swapped);
	event->frequency = event->flags & PERF_ATTR_FREQ ? period : 0;
	event->period = event->flags & PERF_ATTR_FREQ ? 0 : period;
	event->first_time = UINT64_MAX;
	if (type & PERF_SAMPLE_STACK_USER)
		event->user_stack = u32_in(attr + AT(sample_stack_user), swapped);
	event->max_stack = (uint16_t)(attr[AT(sample_max_stack) + swapped] |
				      attr[AT(sample_max_stack) + !swapped] << 8);
	event->clock = event->flags & PERF_ATTR_USE_CLOCKID
			       ? (int32_t)u32_in(attr + AT(clockid), swapped)
			       : CLOCK_OF_PERF;
	*ret = (struct sample_layout){
		.ip = sample_offset(type, PERF_SAMPLE_IP),
		.tid = sample_offset(type, PERF_SAMPLE_TID),
		.time = sample_offset(type, PERF_SAMPLE_TIME),
		.cpu = sample_offset(type, PERF_SAMPLE_CPU),
		.period = sample_offset(type, PERF_SAMPLE_PERIOD),
		.fixed = RECORD_HEAD,
		.trailer_time = trailer_offset(event, PERF_SAMPLE_TIME),
		.trailer_tid = trailer_offset(event, PERF_SAMPLE_TID),
		.trailer_cpu = trailer_offset(event, PERF_SAMPLE_CPU),
		.branch_sample_type =
			(uint32_t)u64_in(attr + AT(branch_sample_type), swapped),
		.regs_user = u64_in(attr + AT(sample_regs_user), swapped),
		.regs_intr = u64_in(attr + AT(sample_regs_intr), swapped),
	};
	for (size_t i = 0; i < sizeof(sample_fields) / sizeof(*sample_fields); i++)
		ret->fixed += type & sample_fields[i] ? 8 : 0;
	if (event->flags & PERF_ATTR_SAMPLE_ID_ALL)
		ret->trailer =
			(uint16_t)(8 * __builtin_popcountll(type & SAMPLE_TRAILER));
}

/* The place of the id where all events have it at the same one, or 0. */
static uint16_t common_offset(const struct input *in, uint32_t field, bool trailer)
{
	uint16_t offset = 0;

	for (size_t i = 0; i < in->rec.events.count; i++) {
		const struct event *e = &in->rec.events.v[i];
		uint16_t here = trailer ? trailer_offset(e, field)
					: sample_offset(e->sample_type, field);

		if (!here || (i && here != offset))
			return 0;
		offset = here;
	}
	return offset;
}

/* session.c of perf: IDENTIFIER where all have it, else ID at the same place in all. */
void event_finder_settle(struct input *in)
{
	struct event_finder *f = &in->finder;
	const struct event *e = in->rec.events.v;
	bool same = true;

	/* Where all events write the same fields a record can be read even if it cannot be told
	 * which one it is of. */
	for (size_t i = 1; i < in->rec.events.count; i++)
		same &= e[i].sample_type == e[0].sample_type &&
			e[i].read_format == e[0].read_format &&
			(e[i].flags & PERF_ATTR_SAMPLE_ID_ALL) ==
				(e[0].flags & PERF_ATTR_SAMPLE_ID_ALL);
	f->how = in->rec.events.count == 0   ? FIND_NONE
		 : in->rec.events.count == 1 ? FIND_ONLY
		 : same			     ? FIND_SAME
					     : FIND_BY_ID;
	in->all_timed = true;
	in->any_timed = false;
	for (size_t i = 0; i < in->rec.events.count; i++) {
		in->all_timed &= in->layouts.v[i].time != 0;
		in->any_timed |= in->layouts.v[i].time != 0;
	}
	f->sample_id = common_offset(in, PERF_SAMPLE_IDENTIFIER, false);
	f->trailer_id = common_offset(in, PERF_SAMPLE_IDENTIFIER, true);
	if (!f->sample_id)
		f->sample_id = common_offset(in, PERF_SAMPLE_ID, false);
	if (!f->trailer_id)
		f->trailer_id = common_offset(in, PERF_SAMPLE_ID, true);
}

/* The event with the id; -1: nobody has it. */
static int event_by_id(const struct event_finder *f, uint64_t id)
{
	const uint32_t *index = hash_map_get(&f->by_id, id);

	if (index)
		return (int)*index;
	/* perf writes 0 into records it makes itself; they are of the first event. */
	return id == 0 || f->how == FIND_SAME ? 0 : -1;
}

int event_of_sample(const struct input *in, const uint8_t *record, size_t size)
{
	const struct event_finder *f = &in->finder;

	if (f->how == FIND_ONLY)
		return 0;
	if (!f->sample_id || f->how == FIND_NONE)
		return f->how == FIND_SAME ? 0 : -1;
	if (size < f->sample_id + 8u)
		return -1;
	return event_by_id(f, in_u64(in, record + f->sample_id));
}

int event_of_other(const struct input *in, const uint8_t *record, size_t size)
{
	const struct event_finder *f = &in->finder;

	if (f->how == FIND_ONLY)
		return 0;
	if (!f->trailer_id || f->how == FIND_NONE)
		return f->how == FIND_SAME ? 0 : -1;
	if (size < RECORD_HEAD + (size_t)f->trailer_id)
		return -1;
	return event_by_id(f, in_u64(in, record + size - f->trailer_id));
}

uint64_t trailer_time(const struct input *in, const uint8_t *record, size_t size)
{
	int event = event_of_other(in, record, size);
	uint16_t offset = event < 0 ? 0 : in->layouts.v[event].trailer_time;

	/* perf's own records have none. */
	if (record_head_at(record, in->swapped).type >= PERF_RECORD_USER_TYPE_START)
		return UINT64_MAX;
	if (!offset || size < RECORD_HEAD + (size_t)offset)
		return UINT64_MAX;
	return in_u64(in, record + size - offset);
}

uint32_t trailer_cpu(const struct input *in, const uint8_t *record, size_t size)
{
	int event = event_of_other(in, record, size);
	uint16_t offset = event < 0 ? 0 : in->layouts.v[event].trailer_cpu;

	if (!offset || size < RECORD_HEAD + (size_t)offset)
		return UINT32_MAX;
	return in_u32(in, record + size - offset);
}

int event_add(struct context *ctx, struct input *in, const uint8_t *attr, size_t size)
{
	struct event *event;

	if (!array_reserve(&in->rec.events, 1) || !array_reserve(&in->layouts, 1))
		return fail_memory(ctx);
	event = array_add(&in->rec.events);
	attr_decode(attr, size, in->swapped, event, array_add(&in->layouts));
	if (in->rec.events.count <= in->described.count)
		event->name = in->described.v[in->rec.events.count - 1];
	if (event->flags & PERF_ATTR_COMM_EXEC)
		in->rec.comm_exec = true;
	if (event->flags & PERF_ATTR_BUILD_ID)
		in->asks_build_ids = true;
	if (event->type == PERF_TYPE_TRACEPOINT && !in->has_tracepoints)
		input_ask_rings(in);
	in->has_tracepoints |= event->type == PERF_TYPE_TRACEPOINT;
	if (in->has_tracepoints || in->tells_switches)
		array_last(&in->layouts)->ring_cpu = array_last(&in->layouts)->cpu;
	in->has_packed |= event->sample_type & PERF_SAMPLE_RAW &&
			  event->type == PERF_TYPE_SOFTWARE &&
			  event->config == PERF_COUNT_SW_BPF_OUTPUT;
	return 0;
}

int input_event_of_id(const struct input *in, uint64_t id)
{
	const uint32_t *index = hash_map_get(&in->finder.by_id, id);

	return index ? (int)*index : -1;
}
