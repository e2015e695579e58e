/*
 * An event that stands still, and the list of processors: see the header. The event has no
 * ring, and is never scheduled by a counter; to read it costs one call into its processor.
 * Its time lags behind CLOCK_MONOTONIC where one of the two reads was interrupted; so a time
 * that lags is read once more, and only one that stands still counts.
 */
#include "live/hotplug.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "live/run.h"

enum {
	/* Between an event's time and the clock's: more is looked at twice. */
	SUSPICIOUS_NS = 10000000,
};

/* How long its event was enabled, ns; false where it has none, or none any more. */
static bool read_enabled_time(const struct hotplug_cpu *c, uint64_t *ret)
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
		struct perf_event_attr attr = {
			.type = PERF_TYPE_SOFTWARE,
			.size = PERF_ATTR_SIZE_VER0,
			.config = PERF_COUNT_SW_DUMMY,
			.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
			.exclude_kernel = 1,
			.exclude_hv = 1,
		};

		if (!c->away)
			continue;
		if (c->fd >= 0)
			close(c->fd);
		/* -1 where no more files may be open: then the list alone tells. */
		c->fd = (int)syscall(SYS_perf_event_open, &attr, -1, c->cpu, -1,
				     (unsigned long)PERF_FLAG_FD_CLOEXEC);
		c->away = c->told = false;
		c->ran = 0;
		read_enabled_time(c, &c->ran);
		c->seen = run_now();
	}
	return true;
}

/*
 * A time that lags may be that of a look which was interrupted; one that stands is not.
 *
 *	clock    c->seen --------------------> now
 *	event    c->ran ----> ran, again       more than SUSPICIOUS_NS less has passed
 */
size_t hotplug_look(struct hotplug *h, const int *online, size_t count)
{
	size_t gone = 0;

	for (size_t i = 0; i < h->cpus.count; i++) {
		struct hotplug_cpu *c = &h->cpus.v[i];
		bool listed = false, stands = false;
		uint64_t ran, again, now;

		if (c->away)
			continue;
		for (size_t j = 0; j < count && !listed; j++)
			listed = online[j] == c->cpu;
		if (read_enabled_time(c, &ran)) {
			now = run_now();
			stands = ran - c->ran + SUSPICIOUS_NS < now - c->seen &&
				 read_enabled_time(c, &again) && again == ran;
			/* So long it ran after the last look, and then no more. */
			c->seen = stands ? c->seen + (ran - c->ran) : now;
			c->ran = ran;
		}
		c->away = stands || !listed;
		/* Without an event, since about now. */
		if (c->away && c->fd < 0)
			c->seen = run_now();
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
