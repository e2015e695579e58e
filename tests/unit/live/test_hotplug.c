#include "live/hotplug.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

static struct hotplug hotplug;
static int ends[2]; /* what is written to, by processor */
static const int both[] = { 0, 1 };

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Two processors that were seen @before ns ago, whose events are pipes. */
static void watch(uint64_t before)
{
	cr_assert(hotplug_know(&hotplug, both, 2));
	for (int cpu = 0; cpu < 2; cpu++) {
		int fds[2];

		cr_assert_eq(pipe2(fds, O_NONBLOCK), 0);
		hotplug.cpus.v[cpu].fd = fds[0];
		hotplug.cpus.v[cpu].away = false;
		hotplug.cpus.v[cpu].ran = 1000;
		hotplug.cpus.v[cpu].seen = now() - before;
		ends[cpu] = fds[1];
	}
}

static void end(void)
{
	close(ends[0]);
	close(ends[1]);
	hotplug_release(&hotplug);
}

TestSuite(hotplug, .fini = end);

/* The next time that is read from the event of @cpu. */
static void put(int cpu, uint64_t ran)
{
	uint64_t values[2] = { 0, ran };

	cr_assert_eq(write(ends[cpu], values, sizeof(values)), sizeof(values));
}

enum { SECOND = 1000000000 };

Test(hotplug, what_stands_still_was_away_though_it_is_online_again)
{
	uint64_t seen;

	watch(SECOND);
	seen = hotplug.cpus.v[1].seen;
	put(0, 1000 + (uint64_t)60 * SECOND);
	put(1, 1000 + 400);
	put(1, 1000 + 400);
	cr_assert_eq(hotplug_look(&hotplug, both, 2), 1);
	cr_assert_not(hotplug.cpus.v[0].away);
	cr_assert(hotplug.cpus.v[1].away);
	cr_assert_eq(hotplug.cpus.v[1].seen, seen + 400, "since the event stood still");
	cr_assert_eq(hotplug_look(&hotplug, both, 1), 0, "and is not found to go again");
}

Test(hotplug, a_late_look_is_not_an_absence)
{
	watch(SECOND);
	put(0, 1000 + 400);
	put(0, 1000 + 401);
	put(1, 1000 + (uint64_t)60 * SECOND);
	cr_assert_eq(hotplug_look(&hotplug, both, 2), 0);
}

Test(hotplug, what_is_not_listed_is_away_with_or_without_an_event)
{
	watch(0);
	close(hotplug.cpus.v[1].fd);
	hotplug.cpus.v[1].fd = -1;
	put(0, 2000);
	cr_assert_eq(hotplug_look(&hotplug, both, 1), 1);
	cr_assert(hotplug.cpus.v[1].away);
	cr_assert_not(hotplug.cpus.v[0].away);
}

Test(hotplug, one_that_is_back_is_watched_again)
{
	watch(0);
	hotplug.cpus.v[1].away = true;
	cr_assert(hotplug_watch(&hotplug, both, 2));
	cr_assert_not(hotplug.cpus.v[1].away);
	cr_assert_eq(hotplug.cpus.count, 2);
	cr_assert_null(hotplug_find(&hotplug, 2));
}
