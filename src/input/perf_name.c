/*
 * What perf calls an event whose name was not recorded, made of type, config and flags
 * as its tools/perf/util/ evsel.c (evsel__name()) and parse-events.c do it: "cycles:u",
 * "LLC-load-misses", "cpu_core/config=0x1/". The numbers are those of
 * include/uapi/linux/perf_event.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/hw_breakpoint.h>

#include "base/text.h"
#include "input/perf.h"

/* enum perf_hw_id, perf_sw_ids. */
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
/* perf_hw_cache_id, _op_id; a number that counts all, and one that counts misses. */
static const char *const caches[] = {
	"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node",
};
static const char *const operations[][2] = {
	{ "loads", "load-misses" },
	{ "stores", "store-misses" },
	{ "prefetches", "prefetch-misses" },
};
#define COUNT(table) (sizeof(table) / sizeof(*(table)))

/* The name of a number that is not of one machine's counters alone. False: it has none. */
static bool add_generic_name(struct text *t, const struct event *e, uint64_t config)
{
	/* "cache | operation << 8 | result << 16" */
	uint64_t cache = config & 0xff, operation = config >> 8 & 0xff;
	uint64_t result = config >> 16;

	switch (e->type) {
	case PERF_TYPE_HARDWARE:
		if (config >= COUNT(hardware))
			return false;
		text_string(t, hardware[config]);
		return true;
	case PERF_TYPE_SOFTWARE:
		if (config >= COUNT(software))
			return false;
		text_string(t, software[config]);
		return true;
	case PERF_TYPE_HW_CACHE:
		if (cache >= COUNT(caches) || operation >= COUNT(operations) ||
		    result > 1)
			return false;
		text_printf(t, "%s-%s", caches[cache], operations[operation][result]);
		return true;
	case PERF_TYPE_RAW:
		text_printf(t, "raw 0x%" PRIx64, config);
		return true;
	case PERF_TYPE_BREAKPOINT:
		text_printf(t, "mem:0x%" PRIx64 ":%s%s%s", e->address,
			    e->breakpoint & HW_BREAKPOINT_R ? "r" : "",
			    e->breakpoint & HW_BREAKPOINT_W ? "w" : "",
			    e->breakpoint & HW_BREAKPOINT_X ? "x" : "");
		return true;
	}
	return false;
}

/* What was left out, as perf has it behind a colon; "H" it has in more cases. */
static void add_modifiers(struct text *t, const struct event *e)
{
	unsigned precise = e->flags >> PERF_ATTR_PRECISE_IP_SHIFT & 3;
	bool parted = e->flags & (PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_KERNEL |
				  PERF_ATTR_EXCLUDE_HV);

	if (parted || precise || e->flags & PERF_ATTR_EXCLUDE_HOST)
		text_char(t, ':');
	if (parted && !(e->flags & PERF_ATTR_EXCLUDE_KERNEL))
		text_char(t, 'k');
	if (parted && !(e->flags & PERF_ATTR_EXCLUDE_USER))
		text_char(t, 'u');
	if (parted && !(e->flags & PERF_ATTR_EXCLUDE_HV))
		text_char(t, 'h');
	text_printf(t, "%.*s", (int)precise, "ppp");
	if (e->flags & PERF_ATTR_EXCLUDE_HOST)
		text_char(t, 'G');
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

/*
 * Where there are several kinds of processors, the upper half of a config says which
 * counters are meant. Without their name those of all count the same.
 */
int event_name(struct input *in, struct event *event)
{
	const struct event_format *format = recording_format(&in->rec, event);
	bool extended =
		event->type == PERF_TYPE_HARDWARE || event->type == PERF_TYPE_HW_CACHE;
	uint64_t config = extended ? (uint32_t)event->config : event->config;
	uint64_t type = extended ? event->config >> 32 : event->type;
	struct text name = { 0 }, generic = { 0 };
	const char *counters = "";
	int err;

	if (format && format->name) {
		event->name = format->name;
		return 0;
	}
	/* Of a kind of counters the header has the name. Lower numbers are no counters
	 * of their own. */
	for (size_t i = 0; i < in->counters.count && type >= PERF_TYPE_RAW; i++)
		if (in->counters.v[i].type == type) {
			counters = intern_text(in->strings, in->counters.v[i].name);
			break;
		}
	if (add_generic_name(&generic, event, config)) {
		text_printf(&name, extended && *counters ? "%s/%s/" : "%s%s",
			    extended ? counters : "", generic.size ? generic.bytes : "");
		add_modifiers(&name, event);
	} else if (*counters && event->type >= PERF_TYPE_MAX) {
		text_printf(&name, "%s/config=%#" PRIx64 "/", counters, config);
	} else {
		text_printf(&name, "type %u, config %#" PRIx64, event->type,
			    event->config);
	}
	err = name.failed || generic.failed
		      ? -ENOMEM
		      : intern_add(in->strings, name.bytes, name.size, &event->name);
	text_release(&name);
	text_release(&generic);
	return err;
}
