/*
 * A record is written field by field, and its size put into its head when it ends. All
 * have the kernel's layouts (include/uapi/linux/perf_event.h) and end with the trailer
 * that sample_id_all asks for, of id 0 and mostly of time 0.
 *
 *	head: type, misc, size | fields | text, NULs up to 8 | pid tid time cpu id
 *	^ start                                                ^ struct live_trailer
 */
#include "live/preexisting/record.h"

#include <string.h>
#include <sys/mman.h>

enum {
	NAME_MOST = 4096, /* PATH_MAX */
	BUILD_ID_SIZE = 20,
};

struct record_writer record_writer_begin(struct bytes *to, uint32_t type, uint16_t misc,
					 uint32_t pid, uint32_t tid)
{
	struct perf_event_header head = { .type = type, .misc = misc };
	struct record_writer r = { to, to->count, pid, tid, 0 };

	bytes_add(to, &head, sizeof(head));
	return r;
}

void record_writer_u16(struct record_writer *r, uint16_t value)
{
	bytes_add(r->to, &value, sizeof(value));
}

void record_writer_u32(struct record_writer *r, uint32_t value)
{
	bytes_add(r->to, &value, sizeof(value));
}

void record_writer_u64(struct record_writer *r, uint64_t value)
{
	bytes_add(r->to, &value, sizeof(value));
}

void record_writer_text(struct record_writer *r, const char *text, size_t size)
{
	static const uint8_t zeros[8];

	if (size >= NAME_MOST)
		size = NAME_MOST - 1;
	bytes_add(r->to, text, size);
	/* One NUL at the least, and whole words of 8 bytes. */
	bytes_add(r->to, zeros, 8 - size % 8);
}

void record_writer_end(struct record_writer *r)
{
	struct live_trailer trailer = { .pid = r->pid, .tid = r->tid, .time = r->time };
	struct perf_event_header head;

	bytes_add(r->to, &trailer, sizeof(trailer));
	if (r->to->failed)
		return;
	/* By its offset: the buffer may have moved while the record grew. */
	memcpy(&head, r->to->v + r->start, sizeof(head));
	head.size = (uint16_t)(r->to->count - r->start);
	memcpy(r->to->v + r->start, &head, sizeof(head));
}

void preexisting_map(struct bytes *to, uint16_t mode, const struct preexisting_map *map)
{
	uint16_t misc = map->build_id_size ? mode | PERF_RECORD_MISC_MMAP_BUILD_ID : mode;
	struct record_writer r =
		record_writer_begin(to, PERF_RECORD_MMAP2, misc, map->pid, map->tid);

	record_writer_u32(&r, map->pid);
	record_writer_u32(&r, map->tid);
	record_writer_u64(&r, map->start);
	record_writer_u64(&r, map->size);
	record_writer_u64(&r, map->offset);
	/* PERF_RECORD_MISC_MMAP_BUILD_ID: the id stands in place of device and inode. */
	if (map->build_id_size) {
		record_writer_u32(&r, map->build_id_size);
		bytes_add(to, map->build_id, BUILD_ID_SIZE);
	} else {
		record_writer_u32(&r, map->maj);
		record_writer_u32(&r, map->min);
		record_writer_u64(&r, map->ino);
		record_writer_u64(&r, map->generation);
	}
	record_writer_u32(&r, map->prot);
	record_writer_u32(&r, map->flags);
	record_writer_text(&r, map->name, map->name_size);
	r.time = map->time;
	record_writer_end(&r);
}

void live_add_line(struct bytes *to, const struct live_line *line)
{
	static const char anon[] = "//anon";
	struct preexisting_map map = { .pid = line->pid,
				       .tid = line->pid,
				       .time = line->time,
				       .start = line->start,
				       .size = line->size,
				       .offset = line->start,
				       .ino = line->offset,
				       .generation = LIVE_LINE_GENERATION,
				       .prot = PROT_READ | PROT_EXEC,
				       .flags = MAP_PRIVATE | MAP_ANONYMOUS };
	struct bytes name = { 0 };

	bytes_add(&name, anon, sizeof(anon));
	bytes_add(&name, line->name, line->name_size);
	to->failed |= name.failed;
	map.name = (const char *)name.v;
	map.name_size = name.count;
	if (!to->failed)
		preexisting_map(to, PERF_RECORD_MISC_USER, &map);
	bytes_release(&name);
}

void preexisting_comm(struct bytes *to, uint32_t pid, uint32_t tid, const char *comm,
		      size_t size)
{
	struct record_writer r = record_writer_begin(to, PERF_RECORD_COMM, 0, pid, tid);

	record_writer_u32(&r, pid);
	record_writer_u32(&r, tid);
	record_writer_text(&r, comm, size);
	record_writer_end(&r);
}

void preexisting_fork(struct bytes *to, uint32_t pid, uint32_t ppid, uint32_t tid,
		      uint32_t ptid)
{
	struct record_writer r = record_writer_begin(
		to, PERF_RECORD_FORK, PERF_RECORD_MISC_FORK_EXEC, pid, tid);

	record_writer_u32(&r, pid);
	record_writer_u32(&r, ppid);
	record_writer_u32(&r, tid);
	record_writer_u32(&r, ptid);
	record_writer_u64(&r, 0);
	record_writer_end(&r);
}
