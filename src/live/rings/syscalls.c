/*
 * The events on bare system calls, where there is no libperf: what evlist.h wants, by
 * perf_event_open(2). The first event on a processor has a ring mapped, all others there write
 * to the same (PERF_EVENT_IOC_SET_OUTPUT); the kernel refuses that between two processors
 * (perf_event_set_output() in kernel/events/core.c).
 *
 *	event 0    cpu 0  mmap       cpu 1  mmap
 *	event 1    cpu 0  --^        cpu 1  --^       writes to the ring of event 0
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "live/events/proc.h"
#include "live/rings/evlist.h"

enum { CPU_LIST_ROOM = 16 << 10 };

struct evlist {
	uint64_t *
		ids; /* of what is open, in its order; those of an event are one behind another */
	size_t room; /* bytes that each ring takes */
};

int rings_online(struct id_list *ret)
{
	char *text = malloc(CPU_LIST_ROOM);
	long count = sysconf(_SC_NPROCESSORS_CONF);
	ssize_t size;
	int err;

	if (!text)
		return -ENOMEM;
	size = proc_read(AT_FDCWD, "/sys/devices/system/cpu/online", text, CPU_LIST_ROOM);
	/* Without /sys the numbers are taken to have no gaps. */
	if (size <= 0)
		size = snprintf(text, CPU_LIST_ROOM, "0-%ld\n",
				count > 1 ? count - 1 : 0);
	if (text[size - 1] == '\n')
		text[size - 1] = '\0';
	err = id_list_parse(text, ID_CPU_MOST, ret);
	free(text);
	return err == -EINVAL ? -ENODEV : err;
}

int evlist_map(struct rings *r, const struct live_events *events)
{
	struct evlist *e = calloc(1, sizeof(*e));
	int err = 0;

	(void)events;
	if (e)
		e->ids = calloc(r->opened.count, sizeof(*e->ids));
	if (!e || !e->ids) {
		free(e);
		return -ENOMEM;
	}
	e->room = r->size + (size_t)sysconf(_SC_PAGESIZE);
	r->evlist = e;
	for (size_t i = 0; i < r->opened.count && err == 0; i++) {
		const struct open_event *opened = &r->opened.v[i];
		struct ring *ring = NULL;
		void *base;

		/* Events are opened thread by thread, so the processors come in turns:
		 * the ring of one is looked for only as often as there are processors. */
		for (size_t j = r->list.count; j-- > 0 && !ring;)
			if (r->list.v[j].cpu == opened->cpu)
				ring = &r->list.v[j];
		if (ring && ioctl(opened->fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) < 0) {
			err = -errno;
			break;
		}
		if (!ring) {
			base = mmap(NULL, e->room, PROT_READ | PROT_WRITE, MAP_SHARED,
				    opened->fd, 0);
			if (base == MAP_FAILED) {
				err = -errno;
				break;
			}
			ring = array_add(&r->list);
			if (!ring) {
				munmap(base, e->room);
				err = -ENOMEM;
				break;
			}
			*ring = (struct ring){ .page = base,
					       .data = (const uint8_t *)base +
						       (e->room - r->size),
					       .cpu = opened->cpu,
					       .fd = opened->fd };
		}
		if (ioctl(opened->fd, PERF_EVENT_IOC_ID, &e->ids[i]) < 0)
			err = -errno;
	}
	if (err < 0)
		evlist_unmap(r);
	return err;
}

void evlist_unmap(struct rings *r)
{
	if (!r->evlist)
		return;
	for (size_t i = 0; i < r->list.count; i++)
		munmap(r->list.v[i].page, r->evlist->room);
	r->list.count = 0;
	free(r->evlist->ids);
	free(r->evlist);
	r->evlist = NULL;
}

size_t rings_ids(const struct rings *r, uint32_t index, const uint64_t **ret)
{
	size_t first = 0, end;

	while (first < r->opened.count && r->opened.v[first].event < index)
		first++;
	end = first;
	while (end < r->opened.count && r->opened.v[end].event == index)
		end++;
	*ret = r->evlist->ids + first;
	return end - first;
}

static void tell_all(const struct rings *r, unsigned long what)
{
	for (size_t i = 0; i < r->opened.count; i++)
		ioctl(r->opened.v[i].fd, what, 0);
}

void rings_enable(struct rings *r)
{
	tell_all(r, PERF_EVENT_IOC_ENABLE);
}

void rings_disable(struct rings *r)
{
	tell_all(r, PERF_EVENT_IOC_DISABLE);
}
