/*
 * A perf.data in memory, of one event, for programs that read it through <flamefold.h>:
 * recording_begin(), then records, then recording_finish(). It is for little-endian
 * machines of 64 bits, and has room for 16 KiB.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef API_RECORDING_H
#define API_RECORDING_H

#include <linux/perf_event.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Of a perf.data: bytes of its header, and of its one attribute with the place of ids
 * (tools/perf/Documentation/perf.data-file-format.txt). */
enum { RECORDING_HEADER = 104, RECORDING_ATTR = 128, RECORDING_IDS = 16 };

static unsigned char file[16384];
static size_t end; /* bytes of @file that are written */

static inline void put(const void *bytes, size_t size)
{
	if (size > sizeof(file) - end)
		abort();
	memcpy(file + end, bytes, size);
	end += size;
}

static inline void put_u64(uint64_t value)
{
	put(&value, sizeof(value));
}

/* The header of a record of @size bytes, which come next. */
static inline void put_record(uint32_t type, uint16_t misc, size_t size)
{
	struct perf_event_header header;

	header.type = type;
	header.misc = misc;
	header.size = (uint16_t)(sizeof(header) + size);
	put(&header, sizeof(header));
}

/* Thread @pid/@tid is called @name, of at most seven bytes. */
static inline void put_comm(uint32_t pid, uint32_t tid, const char *name)
{
	char padded[8] = { 0 };

	memcpy(padded, name, strlen(name));
	put_record(PERF_RECORD_COMM, 0, 8 + sizeof(padded));
	put_u64((uint64_t)tid << 32 | pid);
	put(padded, sizeof(padded));
}

/* Starts anew, with an event whose samples have the fields of @sample_type
 * (PERF_SAMPLE_..., perf_event.h). */
static inline void recording_begin(uint64_t sample_type)
{
	const uint64_t records = RECORDING_HEADER + RECORDING_ATTR + RECORDING_IDS;
	struct perf_event_attr attr;

	end = 0;
	put("PERFILE2", 8);
	put_u64(RECORDING_HEADER);
	put_u64(RECORDING_ATTR + RECORDING_IDS);
	put_u64(RECORDING_HEADER); /* attributes: offset and size */
	put_u64(RECORDING_ATTR + RECORDING_IDS);
	put_u64(records);
	while (end < RECORDING_HEADER)
		put_u64(0);
	memset(&attr, 0, sizeof(attr));
	attr.type = PERF_TYPE_SOFTWARE;
	attr.size = sizeof(attr) < (size_t)RECORDING_ATTR ? sizeof(attr)
							  : (size_t)RECORDING_ATTR;
	attr.sample_type = sample_type;
	put(&attr, attr.size);
	while (end < records)
		put_u64(0);
}

/* Writes how many bytes of records there are into the header. */
static inline void recording_finish(void)
{
	const size_t records = RECORDING_HEADER + RECORDING_ATTR + RECORDING_IDS;
	const uint64_t size = end - records;

	memcpy(file + 48, &size, sizeof(size));
}

#endif
