#include <errno.h>
#include <stdio.h>

#include "input/perf.h"

/* include/uapi/linux/perf_event.h: enum perf_hw_id, perf_sw_ids. */
static const char *const hardware[] = {
	"cycles",
	"instructions",
	"cache-references",
	"cache-misses",
	"branches",
	"branch-misses",
	"bus-cycles",
	"stalled-cycles-frontend",
	"stalled-cycles-backend",
	"ref-cycles",
};
static const char *const software[] = {
	"cpu-clock",	    "task-clock",   "page-faults",  "context-switches",
	"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy",	    "bpf-output",   "cgroup-switches",
};

enum { TYPE_HARDWARE, TYPE_SOFTWARE };

static const char *known_name(const struct event *event)
{
	if (event->type == TYPE_HARDWARE &&
	    event->config < sizeof(hardware) / sizeof(*hardware))
		return hardware[event->config];
	if (event->type == TYPE_SOFTWARE &&
	    event->config < sizeof(software) / sizeof(*software))
		return software[event->config];
	return NULL;
}

int event_type_name(struct input *in, uint64_t config, const char *text, size_t size)
{
	for (size_t i = 0; i < in->rec.events.count; i++) {
		struct event *e = &in->rec.events.v[i];

		if (e->config == config && !e->name &&
		    intern_add(in->strings, text, strnlen(text, size), &e->name) < 0)
			return -ENOMEM;
	}
	return 0;
}

int event_name(struct input *in, struct event *event)
{
	const char *name = known_name(event);
	char made[64];

	if (!name) {
		snprintf(made, sizeof(made), "type %u, config %#llx", event->type,
			 (unsigned long long)event->config);
		name = made;
	}
	return intern_add(in->strings, name, strlen(name), &event->name);
}
