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
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/perf_abi.h"
#include "live/rings/evlist.h"

enum {
	RELEASE = 1 << 16, /* bytes after which the kernel gets its room back */
};

/* @group: of its leader; -1: it has none. */
static int open_one(struct perf_event_attr *attr, pid_t pid, int cpu, int group,
		    unsigned long flags)
{
	long fd = syscall(SYS_perf_event_open, attr, pid, cpu, group,
			  flags | PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

/* What is open there of the event before @index. It is looked for from the last one on: both are opened in
 * the same order. */
static int find_leader(struct rings *r, uint32_t index, pid_t tid, int cpu)
{
	for (int turn = 0; turn < 2; turn++, r->leader = 0)
		for (; r->leader < r->opened.count; r->leader++) {
			const struct open_event *o = &r->opened.v[r->leader];

			if (o->event == index - 1 && o->tid == tid && o->cpu == cpu)
				return o->fd;
		}
	return -ENODEV;
}

/* @tid on each processor: -1 for all threads there. */
static int open_on_cpus(struct rings *r, struct live_event *event, uint32_t index,
			const struct live_target *target, pid_t tid)
{
	bool cgroup = target->who == FF_RECORD_CGROUP;
	pid_t pid = cgroup ? target->cgroup : tid;
	unsigned long flags = cgroup ? PERF_FLAG_PID_CGROUP : 0;

	for (size_t i = 0; i < target->cpus.count; i++) {
		int cpu = target->cpus.v[i], fd, group = -1;
		struct open_event *opened;
		/* Without a list it counts on all processors. */
		bool counts = event->cpu_count == 0;

		for (size_t j = 0; j < event->cpu_count && !counts; j++)
			counts = event->cpus[j] == cpu;
		if (!counts)
			continue;
		if (event->group == GROUP_MEMBER)
			group = find_leader(r, index, tid, cpu);
		fd = group < -1 ? group : open_one(&event->attr, pid, cpu, group, flags);
		/* Many threads on many processors. */
		if (fd == -EMFILE && file_raise_limit())
			fd = open_one(&event->attr, pid, cpu, group, flags);
		/* Gone offline since it was listed. */
		if (fd == -ENODEV && tid == -1 && i > 0)
			continue;
		if (fd < 0)
			return fd;
		opened = array_add(&r->opened);
		if (!opened) {
			close(fd);
			return -ENOMEM;
		}
		*opened = (struct open_event){ fd, index, tid, cpu };
		/* It only saves work: what comes is looked at once more. */
		if (event->filter)
			(void)ioctl(fd, PERF_EVENT_IOC_SET_FILTER, event->filter);
	}
	return 0;
}

/* What is open of event @index and of those behind it. */
static void close_event(struct rings *r, uint32_t index)
{
	while (r->opened.count && array_last(&r->opened)->event >= index)
		close(r->opened.v[--r->opened.count].fd);
}

int rings_open_event(struct rings *r, struct live_event *event, uint32_t index,
		     const struct live_target *target, pid_t command)
{
	bool whole = target->who == FF_RECORD_SYSTEM || target->who == FF_RECORD_CGROUP;
	pid_t one = whole ? -1 : command;
	size_t kept = 0;
	int err = 0;

	r->has_probes |= event->probe != PROBE_NONE;
	if (r->threads.count == 0) {
		const pid_t *v = target->threads.count ? target->threads.v : &one;
		size_t count = target->threads.count ? target->threads.count : 1;

		if (!array_reserve(&r->threads, count))
			return -ENOMEM;
		memcpy(r->threads.v, v, count * sizeof(*v));
		r->threads.count = count;
	}
	/* Each thread on each processor. One that has gone is in no list any more, as in
	 * perf's: libperf's tables have no holes. */
	for (size_t i = 0; i < r->threads.count; i++) {
		pid_t tid = r->threads.v[i];
		size_t alive = 0;

		if (err == 0)
			err = open_on_cpus(r, event, index, target, tid);
		if (err != -ESRCH || tid == -1 || target->who == FF_RECORD_COMMAND) {
			r->threads.v[kept++] = tid;
			continue;
		}
		/* Its other events are dead, too. */
		for (size_t j = 0; j < r->opened.count; j++)
			if (r->opened.v[j].tid == tid)
				close(r->opened.v[j].fd);
			else
				r->opened.v[alive++] = r->opened.v[j];
		r->opened.count = alive;
		err = 0;
	}
	r->threads.count = kept;
	if (err == 0 && kept == 0)
		err = -ESRCH;
	/* None of the processors that were asked for is one of the event's. */
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

/* Not what is open of events. All others go at once: somebody may wait for the end of a pipe. */
static void close_others(const struct rings *r, int keep)
{
	unsigned first = 0;

	for (;;) {
		unsigned next = (unsigned)keep >= first ? (unsigned)keep : ~0u;

		for (size_t i = 0; i < r->opened.count; i++) {
			unsigned fd = (unsigned)r->opened.v[i].fd;

			if (fd >= first && fd < next)
				next = fd;
		}
		if (next > first)
			syscall(SYS_close_range, first, next - 1, 0);
		if (next == ~0u)
			return;
		first = next + 1;
	}
}

void rings_release(struct rings *r)
{
	int left[2] = { -1, -1 };
	pid_t pid = -1;
	char none;

	evlist_unmap(r);
	/*
	 * For each probe the kernel waits until nobody runs it any more, 0.1 s, one after another
	 * (uprobe_unregister_sync()). Who has recorded is not to wait that long: a process holds
	 * what is open, too, is nobody's child, and ends when we have closed it, which is when
	 * left[1] is.
	 */
	if (r->has_probes && pipe2(left, O_CLOEXEC) == 0)
		pid = fork();
	if (pid == 0) {
		if (fork() == 0) {
			close_others(r, left[0]);
			while (read(left[0], &none, 1) < 0 && errno == EINTR)
				continue;
		}
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	if (left[0] >= 0)
		close(left[0]);
	close_event(r, 0);
	if (left[1] >= 0)
		close(left[1]);
	array_release(&r->list);
	array_release(&r->opened);
	array_release(&r->threads);
	free(r->straddling);
	*r = (struct rings){ 0 };
}

/* The kernel may overwrite what lies before the tail. */
static void publish_tail(struct ring *ring)
{
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
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

int rings_wait_on(const struct rings *r, int gone)
{
	int cpu = -1;

	for (size_t i = 0; i < r->opened.count; i++) {
		if (cpu >= 0 && r->opened.v[i].cpu == cpu)
			return r->opened.v[i].fd;
		if (r->opened.v[i].fd == gone)
			cpu = r->opened.v[i].cpu;
	}
	return -1;
}

void rings_enable_event(const struct rings *r, uint32_t index)
{
	for (size_t i = 0; i < r->opened.count; i++)
		if (r->opened.v[i].event == index)
			ioctl(r->opened.v[i].fd, PERF_EVENT_IOC_ENABLE, 0);
}

int rings_next(struct rings *r, const uint8_t **ret, uint32_t *size)
{
	/* A pass ends at the heads that are read here, or a busy ring would keep it going. */
	if (!r->passing) {
		r->fullest = 0;
		for (size_t i = 0; i < r->list.count; i++) {
			struct ring *ring = &r->list.v[i];
			unsigned full;

			ring->head =
				__atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
			full = (unsigned)((ring->head - ring->tail) * 100 / r->size);
			if (full > r->fullest)
				r->fullest = full;
		}
		r->next = 0;
		r->passing = true;
	}
	for (; r->next < r->list.count; r->next++) {
		struct ring *ring = &r->list.v[r->next];
		uint64_t left = ring->head - ring->tail;
		size_t offset = ring->tail & (r->size - 1), first = r->size - offset;
		const struct perf_event_header *head =
			(const void *)(ring->data + offset);

		/* The kernel is trusted with sizes only as far as the ring goes: behind one that
		 * cannot be right all up to the head is skipped, because nothing says where the
		 * next record begins. Of 8 bytes each, or the next head might wrap. */
		if (left >= RECORD_HEAD && (head->size < RECORD_HEAD || head->size % 8 ||
					    head->size > left || head->size > r->size)) {
			ring->tail = ring->head;
			left = 0;
		}
		if (left < RECORD_HEAD) {
			publish_tail(ring);
			continue;
		}
		*size = head->size;
		*ret = ring->data + offset;
		if (head->size > first) {
			memcpy(r->straddling, ring->data + offset, first);
			memcpy(r->straddling + first, ring->data, head->size - first);
			*ret = r->straddling;
		}
		/* What was handed out before is not needed any more. */
		if (ring->tail - ring->page->data_tail >= RELEASE)
			publish_tail(ring);
		ring->tail += *size;
		return 1;
	}
	r->passing = false;
	return 0;
}
