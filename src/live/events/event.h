#ifndef LIVE_EVENTS_EVENT_H
#define LIVE_EVENTS_EVENT_H

#include <linux/perf_event.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/context.h"

struct live_asked;
struct live_probed;

/* What to sample on, in perf's words. */
struct live_event {
	/* What the words say: type, size, config, config1, config2, exclude_*, precise_ip,
	 * pinned, exclusive; and sample_period, or sample_freq with freq, where a term gives
	 * one. exclude_guest is set where no modifier says G, as perf did until 6.12. All else
	 * is zero. */
	struct perf_event_attr attr;
	const char *name; /* as perf names it, "cycles:u"; in the arena */
	bool rated; /* a term gave the period or the frequency */
	bool mode_given; /* a modifier said :u, :k or :h */
	bool precise_most; /* :P: precise_ip is what would be best, less will do */
	int *cpus; /* of its PMU, ascending, where that is not all of them; in the arena */
	size_t cpu_count; /* 0: all */
	enum live_probe { PROBE_NONE, PROBE_ENTRY, PROBE_RETURN } probe; /* uprobes */
	/* What is read with its samples, or with those of the one before it. */
	enum live_group { GROUP_NONE, GROUP_LEADER, GROUP_MEMBER } group;
	bool no_chain;
	const struct live_asked *asked; /* NULL: as the options say */
	const char *filter; /* for PERF_EVENT_IOC_SET_FILTER; NULL: none */
	const char *
		wide_filter; /* in place of it, when there are more threads; NULL: none */
};

struct live_events {
	ARRAY(struct live_event) list;
	const char *root; /* in front of /sys, for tests; NULL: nothing */
	const struct live_probed *probed; /* what "libc" is in the names of probes */
};
void live_events_release(struct live_events *events);

/*
 * Adds the events of @text, one -e: "cycles:u,sched:sched_switch,cpu/event=0x3c/". -EINVAL
 * for words that are no event, with what is close; -ENOENT, -EACCES for a tracepoint that
 * cannot be looked up, with what would help.
 */
int live_events_parse(struct context *ctx, struct arena *arena, const char *text,
		      struct live_events *ret);

#endif
