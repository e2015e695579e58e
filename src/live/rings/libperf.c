/*
 * The events as libperf's lists, which are perf's own: processors and threads are its maps, each
 * event is a perf_evsel whose table of descriptors (processor, thread) is filled with what
 * rings.c has opened, as perf's util/evsel.c does; perf_evlist__mmap() maps a ring a processor,
 * lets the others write to it and asks for ids.
 *
 *	perf_evlist
 *	  perf_evsel 0     cpu 0  cpu 1           perf_mmap    base, mask, fd
 *	    thread 10      fd     fd       --->     cpu 0      a ring of ours lies there
 *	    thread 11      fd     fd                cpu 1
 *	  perf_evsel 1 ...
 *
 * The tables have no holes: a thread that has gone is in no list, a processor that has gone is not
 * among those of the event. A list is made anew for each mapping, because ids and what is
 * polled are appended to what an earlier one left (Linux 6.1, mmap_per_evsel()).
 *
 * This file alone sees libperf's internal headers: those they need shadow <linux/...>.
 */
#include <errno.h>
#include <internal/cpumap.h>
#include <internal/evlist.h>
#include <internal/evsel.h>
#include <internal/mmap.h>
#include <internal/xyarray.h>
#include <perf/cpumap.h>
#include <perf/evlist.h>
#include <perf/evsel.h>
#include <perf/mmap.h>
#include <perf/threadmap.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "live/rings/evlist.h"

struct evlist {
	struct perf_evlist *list;
};

/* It keeps the size of a page, and where its messages go: to nobody, the library prints nothing. */
static void init_libperf(void)
{
	libperf_init(NULL);
}

int rings_online(struct id_list *ret)
{
	struct perf_cpu_map *cpus = perf_cpu_map__new(NULL);
	int count = perf_cpu_map__nr(cpus), err = cpus ? 0 : -ENOMEM;

	for (int i = 0; i < count && err == 0; i++) {
		int *item = array_add(ret);

		if (item)
			*item = perf_cpu_map__cpu(cpus, i).cpu;
		else
			err = -ENOMEM;
	}
	perf_cpu_map__put(cpus);
	return err;
}

/*
 * The lists, filled: events, then the threads and processors of all. What is open of an
 * event is listed by thread, those of the first one, a processor each, then those of the
 * second; libperf's table is by processor and thread (perf_evsel__alloc_fd()).
 */
static int fill_evlist(struct rings *r, const struct live_events *events)
{
	struct perf_evlist *list = r->evlist->list;
	struct perf_thread_map *threads;

	for (size_t first = 0, end; first < r->opened.count; first = end) {
		const struct open_event *opened = &r->opened.v[first];
		struct perf_event_attr attr = events->list.v[opened->event].attr;
		struct perf_evsel *evsel = perf_evsel__new(&attr);
		struct text names = { 0 };
		size_t cpus;

		if (!evsel)
			return -ENOMEM;
		perf_evlist__add(list, evsel);
		for (end = first;
		     end < r->opened.count && r->opened.v[end].event == opened->event;)
			end++;
		cpus = (end - first) / r->threads.count;
		/* A map is made of a text, "0,2,3", or of an open FILE; not of numbers. */
		for (size_t i = 0; i < cpus; i++)
			text_printf(&names, "%s%d", i ? "," : "", opened[i].cpu);
		if (!names.failed)
			evsel->own_cpus = perf_cpu_map__new(names.bytes);
		text_release(&names);
		if (!evsel->own_cpus ||
		    perf_evsel__alloc_fd(evsel, perf_cpu_map__nr(evsel->own_cpus),
					 (int)r->threads.count))
			return -ENOMEM;
		for (size_t i = 0; i < end - first; i++) {
			struct perf_cpu cpu = { opened[i].cpu };
			int at = perf_cpu_map__idx(evsel->own_cpus, cpu);
			int *fd = xyarray__entry(evsel->fd, (size_t)at, i / cpus);

			*fd = opened[i].fd;
		}
	}
	threads = perf_thread_map__new_array((int)r->threads.count, r->threads.v);
	if (!threads)
		return -ENOMEM;
	/* Each event has processors of its own, so the ones of all only have to be there. */
	perf_evlist__set_maps(list, perf_evlist__first(list)->own_cpus, threads);
	perf_thread_map__put(threads);
	return 0;
}

int evlist_map(struct rings *r, const struct live_events *events)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct perf_mmap *map = NULL;
	int err;

	pthread_once(&once, init_libperf);
	r->evlist = calloc(1, sizeof(*r->evlist));
	if (r->evlist)
		r->evlist->list = perf_evlist__new();
	err = r->evlist && r->evlist->list ? fill_evlist(r, events) : -ENOMEM;
	if (err == 0)
		err = perf_evlist__mmap(r->evlist->list, (int)(r->size / page));
	/* libperf has both: -errno, and -1 with errno. */
	if (err == -1)
		err = -errno;
	while (err == 0 &&
	       (map = perf_evlist__next_mmap(r->evlist->list, map, false)) != NULL) {
		struct ring *ring = array_add(&r->list);

		if (!ring) {
			err = -ENOMEM;
			break;
		}
		*ring = (struct ring){ .page = map->base,
				       .data = (const uint8_t *)map->base + page,
				       .cpu = map->cpu.cpu,
				       .fd = map->fd };
	}
	if (err < 0)
		evlist_unmap(r);
	return err;
}

void evlist_unmap(struct rings *r)
{
	struct perf_evsel *evsel;

	if (r->evlist && r->evlist->list) {
		/* What perf_evlist__delete() leaves behind; and it would close what is open. */
		perf_evlist__for_each_evsel(r->evlist->list, evsel)
		{
			perf_evsel__free_fd(evsel);
			perf_evsel__free_id(evsel);
			perf_cpu_map__put(evsel->cpus);
			perf_cpu_map__put(evsel->own_cpus);
			perf_thread_map__put(evsel->threads);
			evsel->cpus = evsel->own_cpus = NULL;
			evsel->threads = NULL;
		}
		perf_evlist__delete(r->evlist->list);
	}
	free(r->evlist);
	r->evlist = NULL;
	r->list.count = 0;
}

size_t rings_ids(const struct rings *r, uint32_t index, const uint64_t **ret)
{
	struct perf_evsel *evsel;

	perf_evlist__for_each_evsel(r->evlist->list, evsel)
	{
		if ((uint32_t)evsel->idx != index)
			continue;
		*ret = (const uint64_t *)evsel->id;
		return evsel->ids;
	}
	return 0;
}

/* There is no list where rings could not be mapped again. */
void rings_enable(struct rings *r)
{
	if (r->evlist)
		perf_evlist__enable(r->evlist->list);
}

void rings_disable(struct rings *r)
{
	if (r->evlist)
		perf_evlist__disable(r->evlist->list);
}
