#include "live/rings/lost.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

static struct lost lost;
static struct live_target target = { .cgroup = -1 };
static struct live_events events;
static struct rings rings;

/* Two processors, and an event that counts what is lost. */
static void begin(void)
{
	for (int cpu = 0; cpu < 2; cpu++) {
		int *item = array_add(&target.cpus);

		*item = cpu;
	}
	array_add(&events.list)->attr.read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
	cr_assert(lost_init(&lost, &target));
}

static void end(void)
{
	for (size_t i = 0; i < rings.opened.count; i++)
		close(rings.opened.v[i].fd);
	array_release(&rings.opened);
	array_release(&events.list);
	array_release(&target.cpus);
	lost_release(&lost);
}

TestSuite(lost, .init = begin, .fini = end);

/* An event on @cpu, from which is read that it has lost so many. */
static void open_event(int cpu, uint64_t id, uint64_t count)
{
	uint64_t values[] = { 1234, id, count };
	struct open_event *e = array_add(&rings.opened);
	int ends[2];

	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(write(ends[1], values, sizeof(values)), (ssize_t)sizeof(values));
	close(ends[1]);
	*e = (struct open_event){ .fd = ends[0], .event = 0, .tid = -1, .cpu = cpu };
}

static void tell(uint32_t cpu, uint64_t count)
{
	struct lost_record record = { .head = { .type = PERF_RECORD_LOST,
						.size = sizeof(record) },
				      .lost = count,
				      .trailer = { .cpu = cpu } };

	lost_take(&lost, (const uint8_t *)&record, sizeof(record));
}

Test(lost, what_was_told_is_not_told_again)
{
	struct lost_record rest;

	tell(0, 5);
	tell(1, 7);
	open_event(0, 11, 3);
	open_event(0, 12, 2);
	open_event(1, 13, 17);
	lost_count(&lost, &rings, &events);
	cr_assert(lost_remainder(&lost, 99, &rest));
	cr_assert_eq(rest.head.type, PERF_RECORD_LOST);
	cr_assert_eq(rest.head.size, sizeof(rest));
	cr_assert(rest.lost == 10 && rest.event == 13);
	cr_assert(rest.trailer.cpu == 1 && rest.trailer.time == 99 &&
		  rest.trailer.id == 13);
	cr_assert_not(lost_remainder(&lost, 99, &rest));
	cr_assert_eq(lost.told, 22);
	cr_assert_eq(lost.cpus.v[1].told, 17);
}

Test(lost, an_older_kernel_has_records_alone)
{
	struct lost_record rest;

	events.list.v[0].attr.read_format = PERF_FORMAT_ID;
	tell(0, 5);
	open_event(0, 11, 30);
	lost_count(&lost, &rings, &events);
	cr_assert_not(lost_remainder(&lost, 99, &rest));
	cr_assert_eq(lost.told, 5);
}

Test(lost, a_short_record_tells_nothing)
{
	uint8_t record[40] = { PERF_RECORD_LOST };

	lost_take(&lost, record, sizeof(record));
	cr_assert_eq(lost.told, 0);
}
