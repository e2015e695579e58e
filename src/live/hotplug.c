/*
 * An event that stands still, and the list of processors: see the header. The event has no
 * ring, and is never scheduled by a counter; to read it costs one call into its processor.
 */
#include "live/hotplug.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	/* Between an event's time and the clock's: more is looked at twice. */
	SUSPICIOUS_NS = 10000000,
};

static uint64_t time_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int open_standing(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = PERF_ATTR_SIZE_VER0,
		.config = PERF_COUNT_SW_DUMMY,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
			    (unsigned long)PERF_FLAG_FD_CLOEXEC);
}

static bool read_time(const struct hotplug_cpu *c, uint64_t *ret)
{
	uint64_t values[2]; /* the count, the time enabled */

	if (c->fd < 0 || read(c->fd, values, sizeof(values)) != sizeof(values))
		return false;
	*ret = values[1];
	return true;
}

struct hotplug_cpu *hotplug_find(struct hotplug *h, int cpu)
{
	for (size_t i = 0; i < h->cpus.count; i++)
		if (h->cpus.v[i].cpu == cpu)
			return &h->cpus.v[i];
	return NULL;
}

static void begin(struct hotplug_cpu *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = open_standing(c->cpu);
	c->away = c->told = false;
	c->ran = 0;
	read_time(c, &c->ran);
	c->seen = time_now();
}

bool hotplug_know(struct hotplug *h, const int *cpus, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct hotplug_cpu *c = hotplug_find(h, cpus[i]);

		if (c)
			continue;
		c = array_add(&h->cpus);
		if (!c)
			return false;
		*c = (struct hotplug_cpu){ .cpu = cpus[i], .fd = -1, .away = true };
	}
	return true;
}

bool hotplug_watch(struct hotplug *h, const int *cpus, size_t count)
{
	if (!hotplug_know(h, cpus, count))
		return false;
	for (size_t i = 0; i < count; i++) {
		struct hotplug_cpu *c = hotplug_find(h, cpus[i]);

		if (c->away)
			begin(c);
	}
	return true;
}

/* A time that lags may be that of a look which was interrupted; one that stands is not. */
static bool stands_still(struct hotplug_cpu *c)
{
	uint64_t ran, again, now;

	if (!read_time(c, &ran))
		return false;
	now = time_now();
	if (ran - c->ran + SUSPICIOUS_NS < now - c->seen && read_time(c, &again) &&
	    again == ran) {
		c->seen += ran - c->ran;
		c->ran = ran;
		return true;
	}
	c->ran = ran;
	c->seen = now;
	return false;
}

static bool has(const int *list, size_t count, int cpu)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == cpu)
			return true;
	return false;
}

size_t hotplug_look(struct hotplug *h, const int *online, size_t count)
{
	size_t gone = 0;

	for (size_t i = 0; i < h->cpus.count; i++) {
		struct hotplug_cpu *c = &h->cpus.v[i];

		if (c->away)
			continue;
		c->away = stands_still(c) || !has(online, count, c->cpu);
		/* Without an event, since about now. */
		if (c->away && c->fd < 0)
			c->seen = time_now();
		gone += c->away;
	}
	return gone;
}

void hotplug_release(struct hotplug *h)
{
	for (size_t i = 0; i < h->cpus.count; i++)
		if (h->cpus.v[i].fd >= 0)
			close(h->cpus.v[i].fd);
	array_release(&h->cpus);
}
