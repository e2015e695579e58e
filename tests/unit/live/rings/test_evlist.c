#include "live/rings/evlist.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Events of the kernel, on threads of this process. */

enum { SIZE = 64 << 10, THREADS_MOST = 2 };

static struct rings rings;
static struct live_events events;
static struct live_target target;
static pid_t threads[THREADS_MOST];
static struct id_list online;

static void add_event(uint64_t config)
{
	struct live_event *event = array_add(&events.list);

	event->name = "event";
	event->attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = PERF_ATTR_SIZE_VER5,
		.config = config,
		.sample_period = 1,
		.watermark = 1,
		.wakeup_watermark = 1,
		.sample_type = PERF_SAMPLE_TID,
		.read_format = PERF_FORMAT_ID,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
}

static void begin(void)
{
	cr_assert_eq(rings_online(&online), 0);
	target = (struct live_target){ .who = FF_RECORD_THREADS, .cgroup = -1 };
	target.cpus.v = online.v;
	target.cpus.count = online.count;
	target.threads.v = threads;
	target.threads.count = 1;
	threads[0] = (pid_t)syscall(SYS_gettid);
}

static void end(void)
{
	rings_release(&rings);
	array_release(&events.list);
	array_release(&online);
}

TestSuite(evlist, .init = begin, .fini = end);

static int open_event(uint32_t index)
{
	return rings_open_event(&rings, &events.list.v[index], index, &target, 0);
}

static void open_all(void)
{
	for (uint32_t i = 0; i < events.list.count; i++) {
		int err = open_event(i);

		if (err == -EACCES || err == -EPERM || err == -ENOSYS)
			cr_skip("no events are permitted here");
		cr_assert_eq(err, 0, "%s", strerror(-err));
	}
}

struct waiting {
	int ready[2], end[2];
	pthread_t thread;
};

static void *wait_for_end(void *arg)
{
	struct waiting *w = arg;
	char byte;

	threads[1] = (pid_t)syscall(SYS_gettid);
	cr_assert_eq(write(w->ready[1], "", 1), 1);
	cr_assert_eq(read(w->end[0], &byte, 1), 0);
	return NULL;
}

static void begin_thread(struct waiting *w)
{
	char byte;

	cr_assert_eq(pipe(w->ready) | pipe(w->end), 0);
	pthread_create(&w->thread, NULL, wait_for_end, w);
	cr_assert_eq(read(w->ready[0], &byte, 1), 1);
	target.threads.count = 2;
}

static void end_thread(struct waiting *w)
{
	close(w->end[1]);
	pthread_join(w->thread, NULL);
	/* It is joined before it is gone. */
	while (syscall(SYS_tgkill, getpid(), threads[1], 0) == 0)
		usleep(100);
}

static void ids_are(uint32_t event, size_t count)
{
	const uint64_t *ids;

	cr_assert_eq(rings_ids(&rings, event, &ids), count);
	for (size_t i = 0; i < count; i++) {
		cr_expect_neq(ids[i], 0);
		for (size_t k = 0; k < i; k++)
			cr_expect_neq(ids[i], ids[k]);
	}
}

Test(evlist, processors_that_are_online_are_listed_in_order)
{
	cr_assert_eq(online.count, (size_t)sysconf(_SC_NPROCESSORS_ONLN));
	for (size_t i = 1; i < online.count; i++)
		cr_expect_gt(online.v[i], online.v[i - 1]);
}

Test(evlist, all_events_and_threads_of_a_processor_share_a_ring)
{
	struct waiting w;

	begin_thread(&w);
	add_event(PERF_COUNT_SW_DUMMY);
	add_event(PERF_COUNT_SW_PAGE_FAULTS);
	open_all();
	cr_assert_eq(rings_map(&rings, &events, SIZE), 0);
	cr_assert_eq(rings.list.count, online.count);
	for (size_t i = 0; i < online.count; i++) {
		cr_expect_eq(rings.list.v[i].cpu, online.v[i]);
		cr_expect_eq(rings.list.v[i].page->data_size, SIZE);
	}
	ids_are(0, 2 * online.count);
	ids_are(1, 2 * online.count);
	end_thread(&w);
}

Test(evlist, an_event_may_be_on_some_processors_only)
{
	int last = online.v[online.count - 1];

	add_event(PERF_COUNT_SW_DUMMY);
	events.list.v[0].cpus = &last;
	events.list.v[0].cpu_count = 1;
	add_event(PERF_COUNT_SW_PAGE_FAULTS);
	open_all();
	cr_assert_eq(rings_map(&rings, &events, SIZE), 0);
	cr_assert_eq(rings.list.count, online.count);
	ids_are(0, 1);
	ids_are(1, online.count);
}

Test(evlist, a_thread_that_goes_before_the_second_event_is_left_out)
{
	struct waiting w;

	begin_thread(&w);
	add_event(PERF_COUNT_SW_DUMMY);
	open_all();
	end_thread(&w);
	add_event(PERF_COUNT_SW_PAGE_FAULTS);
	cr_assert_eq(open_event(1), 0);
	cr_assert_eq(rings_map(&rings, &events, SIZE), 0);
	ids_are(0, online.count);
	ids_are(1, online.count);
}

Test(evlist, where_no_thread_is_left_that_is_the_error)
{
	struct waiting w;

	add_event(PERF_COUNT_SW_DUMMY);
	open_all();
	rings_release(&rings);
	begin_thread(&w);
	end_thread(&w);
	threads[0] = threads[1];
	target.threads.count = 1;
	cr_assert_eq(open_event(0), -ESRCH);
	cr_assert_eq(rings.opened.count, 0);
}

/* As often as it is tried, smaller each time, and by --adapt. */
Test(evlist, what_could_not_be_mapped_leaves_nothing_behind)
{
	add_event(PERF_COUNT_SW_DUMMY);
	add_event(PERF_COUNT_SW_PAGE_FAULTS);
	open_all();
	cr_assert_eq(rings_map(&rings, &events, 3 * SIZE), -EINVAL, "no power of two");
	cr_assert_eq(rings.list.count, 0);
	cr_assert_eq(rings_map(&rings, &events, SIZE), 0);
	cr_assert_eq(rings_resize(&rings, &events, 3 * SIZE), -EINVAL);
	cr_assert_eq(rings.size, SIZE);
	cr_assert_eq(rings_resize(&rings, &events, 2 * SIZE), 0);
	cr_assert_eq(rings.list.count, online.count);
	cr_assert_eq(rings.list.v[0].page->data_size, 2 * SIZE);
	ids_are(0, online.count);
	ids_are(1, online.count);
}

/* Where rings have gone that were to be made larger, and the time of the run comes to its end. */
Test(evlist, events_without_rings_can_be_stopped)
{
	add_event(PERF_COUNT_SW_DUMMY);
	open_all();
	rings_disable(&rings);
	cr_expect_eq(rings_left(&rings), 0);
}

Test(evlist, no_program_that_is_started_has_the_descriptors)
{
	add_event(PERF_COUNT_SW_DUMMY);
	open_all();
	cr_assert_eq(rings_map(&rings, &events, SIZE), 0);
	for (size_t i = 0; i < rings.opened.count; i++)
		cr_expect(fcntl(rings.opened.v[i].fd, F_GETFD) & FD_CLOEXEC);
}

static void touch_pages(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 64 * page;
	volatile char *room = mmap(NULL, size, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; i < size; i += page)
		room[i] = 1;
	munmap((void *)room, size);
}

static size_t count_records(void)
{
	const uint8_t *bytes;
	uint32_t size;
	size_t count = 0;

	while (rings_next(&rings, &bytes, &size) > 0)
		count++;
	return count;
}

Test(evlist, whoever_waits_for_a_ring_hears_of_its_second_event)
{
	struct pollfd *fds = calloc(online.count, sizeof(*fds));

	add_event(PERF_COUNT_SW_DUMMY);
	add_event(PERF_COUNT_SW_PAGE_FAULTS);
	open_all();
	cr_assert_eq(rings_map(&rings, &events, SIZE), 0);
	for (size_t i = 0; i < online.count; i++)
		fds[i] = (struct pollfd){ .fd = rings.list.v[i].fd, .events = POLLIN };
	touch_pages();
	cr_assert_eq(count_records(), 0, "they are off at first");
	rings_enable(&rings);
	touch_pages();
	rings_disable(&rings);
	cr_assert_gt(poll(fds, online.count, 10000), 0);
	cr_assert_gt(count_records(), 0);
	touch_pages();
	cr_assert_eq(count_records(), 0, "they are off again");
	free(fds);
}
