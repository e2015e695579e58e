#ifndef TESTS_TIMELINE_H
#define TESTS_TIMELINE_H

#include <criterion/criterion.h>
#include <string.h>

#include "process/process.h"

/*
 * A timeline for tests, written as it happens:
 *
 *	struct timeline t;
 *
 *	timeline_begin(&t);
 *	map(&t, 5, 1, 0x1000, 0x1000, 0, "/bin/x");	time 5, pid 1
 * *	...questions...
 *	timeline_end(&t);
 */
struct timeline {
	struct context ctx;
	struct intern strings;
	struct images images;
	struct recording rec;
	struct processes *ps;
	uint64_t position;
};

static inline void timeline_begin(struct timeline *t)
{
	memset(t, 0, sizeof(*t));
	t->rec.format = "test";
	t->rec.comm_exec = true;
	cr_assert_eq(intern_init(&t->strings), 0);
	cr_assert_eq(images_init(&t->images, &t->strings), 0);
	cr_assert_eq(processes_new(&t->ctx, &t->rec, &t->images, PROCESSES_WHOLE, &t->ps),
		     0);
}

/* In place of timeline_begin(). */
static inline void grow(struct timeline *t)
{
	timeline_begin(t);
	processes_free(t->ps);
	cr_assert_eq(
		processes_new(&t->ctx, &t->rec, &t->images, PROCESSES_GROWING, &t->ps),
		0);
}

static inline void timeline_end(struct timeline *t)
{
	processes_free(t->ps);
	images_release(&t->images);
	intern_release(&t->strings);
}

static inline uint32_t name_id(struct timeline *t, const char *name)
{
	uint32_t id = 0;

	cr_assert_eq(intern_add(&t->strings, name, strlen(name), &id), 0);
	return id;
}

static inline void apply(struct timeline *t, struct record rec)
{
	rec.position = t->position += 8;
	cr_assert_eq(processes_apply(t->ps, &rec), 0);
}

static inline void map_any(struct timeline *t, uint64_t time, uint32_t pid,
			   uint64_t start, uint64_t size, uint64_t offset,
			   const char *name, bool executable)
{
	apply(t, (struct record){ .time = time,
				  .type = PERF_RECORD_MMAP,
				  .mode = MODE_USER,
				  .pid = pid,
				  .tid = pid,
				  .start = start,
				  .size = size,
				  .offset = offset,
				  .name = name_id(t, name),
				  .executable = executable });
}

static inline void map(struct timeline *t, uint64_t time, uint32_t pid, uint64_t start,
		       uint64_t size, uint64_t offset, const char *name)
{
	map_any(t, time, pid, start, size, offset, name, true);
}

static inline void kernel_map(struct timeline *t, uint64_t start, uint64_t size,
			      uint64_t offset, const char *name)
{
	apply(t, (struct record){ .type = PERF_RECORD_MMAP,
				  .mode = MODE_KERNEL,
				  .pid = UINT32_MAX,
				  .start = start,
				  .size = size,
				  .offset = offset,
				  .name = name_id(t, name),
				  .executable = true });
}

enum { NO_EXEC, EXEC };

static inline void comm(struct timeline *t, uint64_t time, uint32_t pid, uint32_t tid,
			const char *name, int exec)
{
	apply(t, (struct record){ .time = time,
				  .type = PERF_RECORD_COMM,
				  .pid = pid,
				  .tid = tid,
				  .name = name_id(t, name),
				  .exec = exec == EXEC });
}

static inline void fork_process(struct timeline *t, uint64_t time, uint32_t parent,
				uint32_t child)
{
	apply(t, (struct record){ .time = time,
				  .type = PERF_RECORD_FORK,
				  .pid = child,
				  .tid = child,
				  .ppid = parent,
				  .ptid = parent });
}

static inline void fork_thread(struct timeline *t, uint64_t time, uint32_t pid,
			       uint32_t parent_tid, uint32_t tid)
{
	apply(t, (struct record){ .time = time,
				  .type = PERF_RECORD_FORK,
				  .pid = pid,
				  .tid = tid,
				  .ppid = pid,
				  .ptid = parent_tid });
}

static inline void exit_thread(struct timeline *t, uint64_t time, uint32_t pid,
			       uint32_t tid)
{
	apply(t, (struct record){ .time = time,
				  .type = PERF_RECORD_EXIT,
				  .pid = pid,
				  .tid = tid,
				  .ppid = pid,
				  .ptid = pid });
}

static inline void exit_process(struct timeline *t, uint64_t time, uint32_t pid)
{
	apply(t, (struct record){ .time = time,
				  .type = PERF_RECORD_EXIT,
				  .pid = pid,
				  .tid = pid,
				  .ppid = 1,
				  .ptid = 1 });
}

static inline bool location_of(struct timeline *t, uint64_t time, uint32_t pid,
			       uint64_t ip, struct location *ret)
{
	struct space space;

	processes_space(t->ps, pid, time, &space);
	cr_assert_leq(space.from, time);
	cr_assert_gt(space.until, time);
	return processes_locate(t->ps, &space, ip, ret);
}

static inline bool kernel_location_of(struct timeline *t, uint64_t time, uint64_t ip,
				      struct location *ret)
{
	struct space space;

	processes_kernel_space(t->ps, time, &space);
	return processes_locate_kernel(t->ps, &space, ip, ret);
}

/* The path of the image at @ip, "" where there is none. */
static inline const char *path_at(struct timeline *t, uint64_t time, uint32_t pid,
				  uint64_t ip)
{
	struct location p;

	if (!location_of(t, time, pid, ip, &p))
		return "";
	return intern_text(&t->strings, t->images.list.v[p.image].path);
}

/* The address in the image at @ip; UINT64_MAX where there is none. */
static inline uint64_t address_at(struct timeline *t, uint64_t time, uint32_t pid,
				  uint64_t ip)
{
	struct location p;

	return location_of(t, time, pid, ip, &p) ? p.address : UINT64_MAX;
}

static inline const char *comm_at(struct timeline *t, uint64_t time, uint32_t pid,
				  uint32_t tid)
{
	struct comm c;

	processes_comm(t->ps, pid, tid, time, &c);
	cr_assert_leq(c.from, time);
	cr_assert_gt(c.until, time);
	return intern_text(&t->strings, c.name);
}

#endif
