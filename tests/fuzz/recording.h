#ifndef FUZZ_RECORDING_H
#define FUZZ_RECORDING_H

/*
 * A perf.data being written: values in either byte order, records whose size is known when they
 * are whole, and the forms in which the same records come. tools/perf/Documentation/
 * perf.data-file-format.txt and include/uapi/linux/perf_event.h of the kernel.
 */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <zstd.h>

#include "profile.h"

enum {
	RECORDING_MOST = 65528,
	/* What perf adds to the kernel's records. */
	USER_HEADER_ATTR = 64,
	USER_FINISHED_ROUND = 68,
	USER_EVENT_UPDATE = 78,
	USER_TIME_CONV = 79,
	USER_HEADER_FEATURE = 80,
	USER_COMPRESSED = 81,
	USER_FINISHED_INIT = 82,
	USER_COMPRESSED2 = 83,
	FEATURE_HOSTNAME = 3,
	FEATURE_EVENT_DESC = 12,
};

struct out {
	uint8_t *bytes;
	size_t size, room;
	size_t record; /* where the one at hand begins */
	bool big; /* endian */
	bool full; /* something had no room */
};

static inline void put(struct out *o, const void *bytes, size_t size)
{
	if (size > o->room - o->size) {
		o->full = true;
		return;
	}
	memcpy(o->bytes + o->size, bytes, size);
	o->size += size;
}

static inline void put16(struct out *o, uint16_t value)
{
	value = o->big ? __builtin_bswap16(value) : value;
	put(o, &value, sizeof(value));
}

static inline void put32(struct out *o, uint32_t value)
{
	value = o->big ? __builtin_bswap32(value) : value;
	put(o, &value, sizeof(value));
}

static inline void put64(struct out *o, uint64_t value)
{
	value = o->big ? __builtin_bswap64(value) : value;
	put(o, &value, sizeof(value));
}

/* Bit-fields: the first bit is the lowest one, or the highest of the same byte. */
static inline void put_bits(struct out *o, uint64_t bits)
{
	for (int i = 0; i < 8; i++, bits >>= 8) {
		uint8_t byte = 0;

		for (int bit = 0; bit < 8; bit++)
			byte |= (uint8_t)((bits >> bit & 1) << (o->big ? 7 - bit : bit));
		put(o, &byte, 1);
	}
}

static inline void put_zeros(struct out *o, size_t size)
{
	static const uint8_t zeros[64];

	for (; size > sizeof(zeros); size -= sizeof(zeros))
		put(o, zeros, sizeof(zeros));
	put(o, zeros, size);
}

static inline void put_align(struct out *o, size_t start)
{
	put_zeros(o, (8 - (o->size - start) % 8) % 8);
}

/* With its NUL, up to a multiple of 8. */
static inline void put_name(struct out *o, const char *name)
{
	size_t start = o->size;

	put(o, name, strlen(name) + 1);
	put_align(o, start);
}

/* As features have it: its length before it. */
static inline void put_string(struct out *o, const char *text)
{
	size_t size = (strlen(text) + 1 + 63) / 64 * 64;

	put32(o, (uint32_t)size);
	put(o, text, strlen(text));
	put_zeros(o, size - strlen(text));
}

static inline void patch64(struct out *o, size_t at, uint64_t value)
{
	struct out there = { o->bytes, at, o->room, 0, o->big, false };

	put64(&there, value);
}

static inline void patch16(struct out *o, size_t at, uint16_t value)
{
	struct out there = { o->bytes, at, o->room, 0, o->big, false };

	put16(&there, value);
}

static inline void record_begin(struct out *o, uint32_t type, uint16_t misc)
{
	o->record = o->size;
	put32(o, type);
	put16(o, misc);
	put16(o, 0);
}

/* What does not fit into a record is not written at all. */
static inline bool record_end(struct out *o)
{
	put_align(o, o->record);
	if (o->full || o->size - o->record > RECORDING_MOST) {
		o->size = o->record;
		return false;
	}
	patch16(o, o->record + 6, (uint16_t)(o->size - o->record));
	return true;
}

/* struct perf_event_attr, and the ids of its counters. */
struct event_written {
	struct perf_event_attr attr;
	uint64_t flags; /* its bit-fields, the first one lowest */
	const char *name;
	uint64_t ids[4];
	unsigned id_count;
};

enum { ATTR_SIZE = 136 };

static inline void put_attr(struct out *o, const struct event_written *e)
{
	const struct perf_event_attr *a = &e->attr;
	size_t start = o->size;

	put32(o, a->type);
	put32(o, ATTR_SIZE);
	put64(o, a->config);
	put64(o, a->sample_period);
	put64(o, a->sample_type);
	put64(o, a->read_format);
	put_bits(o, e->flags);
	put32(o, a->wakeup_events);
	put32(o, a->bp_type);
	put64(o, a->config1);
	put64(o, a->config2);
	put64(o, a->branch_sample_type);
	put64(o, a->sample_regs_user);
	put32(o, a->sample_stack_user);
	put32(o, (uint32_t)a->clockid);
	put64(o, a->sample_regs_intr);
	put32(o, a->aux_watermark);
	put16(o, a->sample_max_stack);
	put_zeros(o, ATTR_SIZE - (o->size - start));
}

static inline void put_ids(struct out *o, const struct event_written *e)
{
	for (unsigned i = 0; i < e->id_count; i++)
		put64(o, e->ids[i]);
}

static inline void put_event_desc(struct out *o, const struct event_written *events,
				  unsigned count)
{
	put32(o, count);
	put32(o, ATTR_SIZE);
	for (unsigned i = 0; i < count; i++) {
		put_attr(o, &events[i]);
		put32(o, events[i].id_count);
		put_string(o, events[i].name);
		put_ids(o, &events[i]);
	}
}

enum packing { PACKED_NOT, PACKED_1, PACKED_2 };

/* @size bytes of records, as COMPRESSED or COMPRESSED2 records of @chunk bytes before packing;
 * one zstd stream, as perf writes it. */
static inline void put_packed(struct out *o, const uint8_t *records, size_t size,
			      enum packing packing, size_t chunk)
{
	static ZSTD_CCtx *z;
	static uint8_t packed[1 << 16];

	if (!z) {
		z = ZSTD_createCCtx();
		fuzz_check(z != NULL, "memory to pack");
		ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, 1);
		ZSTD_CCtx_setParameter(z, ZSTD_c_windowLog, 16);
	}
	ZSTD_CCtx_reset(z, ZSTD_reset_session_only);
	for (size_t at = 0; at < size;) {
		size_t part = size - at < chunk ? size - at : chunk;
		ZSTD_inBuffer in = { records + at, part, 0 };
		ZSTD_outBuffer out = { packed, sizeof(packed) - 64, 0 };

		fuzz_check(ZSTD_compressStream2(z, &out, &in, ZSTD_e_flush) == 0,
			   "a chunk is packed at once");
		record_begin(o, packing == PACKED_1 ? USER_COMPRESSED : USER_COMPRESSED2,
			     0);
		if (packing == PACKED_2)
			put64(o, out.pos);
		put(o, packed, out.pos);
		/* The size of the first kind is that of its data. */
		if (packing == PACKED_1)
			patch16(o, o->record + 6, (uint16_t)(o->size - o->record));
		else
			record_end(o);
		at += part;
	}
}

/* The records of a recording, and what is said of them. */
struct contents {
	const struct event_written *events;
	unsigned event_count;
	const uint8_t *records;
	size_t size;
	enum packing packing;
	size_t chunk; /* bytes before packing */
	bool described; /* with EVENT_DESC, or what a pipe has for it */
};

static inline void put_records(struct out *o, const struct contents *c)
{
	if (c->packing == PACKED_NOT)
		put(o, c->records, c->size);
	else
		put_packed(o, c->records, c->size, c->packing, c->chunk);
}

#define PERFILE2 0x32454c4946524550u

static inline void put_section(struct out *o, size_t header, size_t start)
{
	patch64(o, header, start);
	patch64(o, header + 8, o->size - start);
}

static inline void put_file(struct out *o, const struct contents *c)
{
	enum { HEADER = 104, ATTRS = 24, DATA = 40, FEATURES = 72, SECTION = 16 };
	size_t ids[8], start, table;
	bool described = c->described;

	put64(o, PERFILE2);
	put64(o, HEADER);
	put64(o, ATTR_SIZE + SECTION);
	put_zeros(o, HEADER - o->size);
	for (unsigned i = 0; i < c->event_count; i++) {
		ids[i] = o->size;
		put_ids(o, &c->events[i]);
	}
	start = o->size;
	for (unsigned i = 0; i < c->event_count; i++) {
		put_attr(o, &c->events[i]);
		put64(o, ids[i]);
		put64(o, 8ull * c->events[i].id_count);
	}
	put_section(o, ATTRS, start);
	start = o->size;
	put_records(o, c);
	put_section(o, DATA, start);
	patch64(o, FEATURES,
		described ? 1 << FEATURE_EVENT_DESC | 1 << FEATURE_HOSTNAME : 0);
	if (!described)
		return;
	table = o->size;
	put_zeros(o, 2 * SECTION);
	start = o->size;
	put_string(o, "fuzzed");
	put_section(o, table, start);
	start = o->size;
	put_event_desc(o, c->events, c->event_count);
	put_section(o, table + SECTION, start);
}

static inline void put_pipe(struct out *o, const struct contents *c)
{
	put64(o, PERFILE2);
	put64(o, 16);
	for (unsigned i = 0; i < c->event_count; i++) {
		record_begin(o, USER_HEADER_ATTR, 0);
		put_attr(o, &c->events[i]);
		put_ids(o, &c->events[i]);
		record_end(o);
	}
	if (c->described) {
		record_begin(o, USER_HEADER_FEATURE, 0);
		put64(o, FEATURE_EVENT_DESC);
		put_event_desc(o, c->events, c->event_count);
		record_end(o);
	}
	put_records(o, c);
}

#endif
