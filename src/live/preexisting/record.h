#ifndef LIVE_PREEXISTING_RECORD_H
#define LIVE_PREEXISTING_RECORD_H

#include <linux/perf_event.h>

#include "base/bytes.h"
#include "live/live.h"

/*
 * Records as the kernel would have written them, one behind the other. Start one, add its
 * fields, end it: that adds the trailer and says how large it is. Failure is sticky:
 * bytes.failed.
 */
struct record_writer {
	struct bytes *to;
	size_t start;
	uint32_t pid, tid; /* of the trailer */
	uint64_t time; /* likewise; 0, or what is set before the end */
};

/* Both kinds of MMAP2 say where; a build id takes the place of device and inode. */
struct preexisting_map {
	uint32_t pid, tid;
	uint64_t time; /* 0: before all samples */
	uint64_t start, size, offset;
	uint32_t maj, min;
	uint64_t ino, generation;
	uint8_t build_id_size; /* 0: not known */
	uint8_t build_id[20];
	uint32_t prot, flags; /* as mmap() */
	const char *name;
	size_t name_size;
};

struct record_writer record_writer_begin(struct bytes *to, uint32_t type, uint16_t misc,
					 uint32_t pid, uint32_t tid);
void record_writer_u16(struct record_writer *r, uint16_t value);
void record_writer_u32(struct record_writer *r, uint32_t value);
void record_writer_u64(struct record_writer *r, uint64_t value);
/* With a NUL behind it, and zeros up to a multiple of 8. Longer ones are cut. */
void record_writer_text(struct record_writer *r, const char *text, size_t size);
void record_writer_end(struct record_writer *r);

/* Whole records. */
void preexisting_map(struct bytes *to, uint16_t mode, const struct preexisting_map *map);
void preexisting_comm(struct bytes *to, uint32_t pid, uint32_t tid, const char *comm,
		      size_t size);
/* A process of @ppid, or, where @pid is @ppid, a thread of it. It has maps of its own. */
void preexisting_fork(struct bytes *to, uint32_t pid, uint32_t ppid, uint32_t tid,
		      uint32_t ptid);

#endif
