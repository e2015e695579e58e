/*
 * Events are opened here, because libperf cannot: perf_event_open() is given flags (cgroups,
 * close-on-exec), and threads that have gone are no error as long as one is there. Rings are
 * read here, where they lie, by the protocol of include/uapi/linux/perf_event.h: data_head
 * is read with acquire before records are, data_tail is written with release after them.
 *
 * A record is handed out where it lies; only one that goes on at the ring's beginning is
 * copied. The tail is moved every 64 KiB and when a ring is done, and never over the
 * record that was handed out last, which is borrowed until the next call.
 */
#include "live/rings/rings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "live/rings/evlist.h"

enum {
	RECORD_MOST = 1 << 16,
	RECORD_HEAD = 8,
	RELEASE = 1 << 16, /* bytes after which the kernel gets its room back */
};

static int open_one(struct perf_event_attr *attr, pid_t pid, int cpu, unsigned long flags)
{
	long fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1,
			  flags | PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static int open_somehow(struct perf_event_attr *attr, pid_t pid, int cpu,
			unsigned long flags)
{
	int fd = open_one(attr, pid, cpu, flags);

	/* Many threads on many processors. */
	if (fd == -EMFILE && file_raise_limit())
		fd = open_one(attr, pid, cpu, flags);
	return fd;
}

static int add_opened(struct rings *r, int fd, uint32_t event, pid_t tid, int cpu)
{
	struct open_event *opened = array_add(&r->opened);

	if (!opened) {
		close(fd);
		return -ENOMEM;
	}
	*opened = (struct open_event){ fd, event, tid, cpu };
	return 0;
}

static bool counts_on(const struct live_event *event, int cpu)
{
	for (size_t i = 0; i < event->cpu_count; i++)
		if (event->cpus[i] == cpu)
			return true;
	return event->cpu_count == 0;
}

/* @tid on each processor: -1 for all threads there. */
static int open_on_cpus(struct rings *r, struct live_event *event, uint32_t index,
			const struct live_target *target, pid_t tid)
{
	bool cgroup = target->who == LIVE_CGROUP;
	int err = 0;

	for (size_t i = 0; i < target->cpus.count && err == 0; i++) {
		int cpu = target->cpus.v[i], fd;

		if (!counts_on(event, cpu))
			continue;
		fd = open_somehow(&event->attr, cgroup ? target->cgroup : tid, cpu,
				  cgroup ? PERF_FLAG_PID_CGROUP : 0);
		err = fd < 0 ? fd : add_opened(r, fd, index, tid, cpu);
		/* Gone offline since it was listed. */
		if (err == -ENODEV && tid == -1 && i > 0)
			err = 0;
	}
	return err;
}

/* What is open of event @index and of those behind it. */
static void close_event(struct rings *r, uint32_t index)
{
	while (r->opened.count && array_last(&r->opened)->event >= index)
		close(r->opened.v[--r->opened.count].fd);
}

/* All that is open of it: its events are dead. */
static void close_thread(struct rings *r, pid_t tid)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->opened.count; i++)
		if (r->opened.v[i].tid == tid)
			close(r->opened.v[i].fd);
		else
			r->opened.v[kept++] = r->opened.v[i];
	r->opened.count = kept;
}

static int list_threads(struct rings *r, const struct live_target *target, pid_t command)
{
	bool whole = target->who == LIVE_SYSTEM || target->who == LIVE_CGROUP;
	pid_t one = whole ? -1 : command;
	const pid_t *v = target->threads.count ? target->threads.v : &one;
	size_t count = target->threads.count ? target->threads.count : 1;

	if (!array_reserve(&r->threads, count))
		return -ENOMEM;
	memcpy(r->threads.v, v, count * sizeof(*v));
	r->threads.count = count;
	return 0;
}

/* Those that have gone are in no list any more, as in perf's. */
static int open_threads(struct rings *r, struct live_event *event, uint32_t index,
			const struct live_target *target)
{
	size_t kept = 0;
	int err = 0;

	for (size_t i = 0; i < r->threads.count; i++) {
		pid_t tid = r->threads.v[i];

		if (err == 0)
			err = open_on_cpus(r, event, index, target, tid);
		if (err == -ESRCH && tid != -1 && target->who != LIVE_COMMAND) {
			close_thread(r, tid);
			err = 0;
		} else {
			r->threads.v[kept++] = tid;
		}
	}
	r->threads.count = kept;
	if (err == 0 && kept == 0)
		err = -ESRCH;
	return err;
}

int rings_open_event(struct rings *r, struct live_event *event, uint32_t index,
		     const struct live_target *target, pid_t command)
{
	int err = r->threads.count ? 0 : list_threads(r, target, command);

	if (err == 0)
		err = open_threads(r, event, index, target);
	if (err == 0 && (r->opened.count == 0 || array_last(&r->opened)->event != index))
		err = -ENODEV;
	if (err < 0)
		close_event(r, index);
	return err;
}

int rings_map(struct rings *r, const struct live_events *events, size_t size)
{
	if (!r->straddling)
		r->straddling = malloc(RECORD_MOST);
	if (!r->straddling)
		return -ENOMEM;
	r->size = size;
	return evlist_map(r, events);
}

int rings_resize(struct rings *r, const struct live_events *events, size_t size)
{
	size_t before = r->size;
	int err;

	evlist_unmap(r);
	r->passing = false;
	err = rings_map(r, events, size);
	if (err < 0 && rings_map(r, events, before) < 0)
		return -ENOMEM;
	return err;
}

void rings_release(struct rings *r)
{
	evlist_unmap(r);
	close_event(r, 0);
	array_release(&r->list);
	array_release(&r->opened);
	array_release(&r->threads);
	free(r->straddling);
	*r = (struct rings){ 0 };
}

/* The kernel may overwrite what lies before the tail. */
static void give_back(struct ring *ring)
{
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}

static void begin_pass(struct rings *r)
{
	r->fullest = 0;
	for (size_t i = 0; i < r->list.count; i++) {
		struct ring *ring = &r->list.v[i];
		unsigned full;

		ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
		full = (unsigned)((ring->head - ring->tail) * 100 / r->size);
		if (full > r->fullest)
			r->fullest = full;
	}
	r->next = 0;
	r->passing = true;
}

unsigned rings_left(const struct rings *r)
{
	unsigned most = 0;

	for (size_t i = 0; i < r->list.count; i++) {
		const struct perf_event_mmap_page *page = r->list.v[i].page;
		uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
		uint64_t tail = __atomic_load_n(&page->data_tail, __ATOMIC_ACQUIRE);
		unsigned full = (unsigned)((head - tail) * 100 / r->size);

		if (full > most)
			most = full;
	}
	return most;
}

/* @size bytes at the tail, in one piece. */
static const uint8_t *piece(struct rings *r, const struct ring *ring, size_t size)
{
	size_t place = ring->tail & (r->size - 1), first = r->size - place;

	if (size <= first)
		return ring->data + place;
	memcpy(r->straddling, ring->data + place, first);
	memcpy(r->straddling + first, ring->data, size - first);
	return r->straddling;
}

/* The kernel is trusted with sizes only as far as the ring goes. */
static bool take(struct rings *r, struct ring *ring, const uint8_t **ret, uint32_t *size)
{
	uint64_t left = ring->head - ring->tail;
	const struct perf_event_header *head;

	if (left < RECORD_HEAD)
		return false;
	head = (const void *)(ring->data + (ring->tail & (r->size - 1)));
	/* Of 8 bytes each, or the next head might wrap. */
	if (head->size < RECORD_HEAD || head->size % 8 || head->size > left ||
	    head->size > r->size) {
		ring->tail = ring->head;
		return false;
	}
	*size = head->size;
	*ret = piece(r, ring, head->size);
	/* What was handed out before is not needed any more. */
	if (ring->tail - ring->page->data_tail >= RELEASE)
		give_back(ring);
	ring->tail += head->size;
	return true;
}

int rings_next(struct rings *r, const uint8_t **ret, uint32_t *size)
{
	if (!r->passing)
		begin_pass(r);
	for (; r->next < r->list.count; r->next++) {
		struct ring *ring = &r->list.v[r->next];

		if (take(r, ring, ret, size))
			return 1;
		give_back(ring);
	}
	r->passing = false;
	return 0;
}
