#ifndef WEIGHT_WALL_H
#define WEIGHT_WALL_H

#include "input/input.h"
#include "weight/deferred.h"

/*
 * What the user waited: CPU time that is shared out among all that ran at the same moment. A set of
 * threads S, most often a process, has a level n(t): how many of them run. While one runs alone its
 * time is the user's; while 128 run each has a 128th part; while none runs the time is that of who
 * ran next, for all waited for it.
 *
 *	t      0         4         8        12
 *	A      |=========|=========|        .         A's samples: 4 + 2
 *	B      .         |=========|        |===|     B's: 2 + 4 (from 12 to 16)
 *	n      1         2         0        1
 *	                           |--------|         of what B waited for: 4
 *	                                              6 + 6 + 4 = 16: all of the time
 *
 * W(t) is the integral of dt/n(t). A sample of a thread stands for what it ran since its sample
 * before: it weighs by how much W grew meanwhile, while it ran.
 *
 * Who runs is told by PERF_RECORD_SWITCH, or else by sched:sched_switch, whose call chains tell also
 * what a thread waits in. Without both it is guessed: a processor runs what it was sampled in, until it
 * was not for two periods.
 */
enum wall_weight {
	WALL_NONE,
	WALL_EXACT,
	WALL_INSTANT, /* as perf report --latency: by the level at the sample */
};

enum wall_scope {
	WALL_PROCESS,
	WALL_CGROUP,
	WALL_SELECTED, /* all that filters of samples let pass */
	WALL_SYSTEM, /* all that was recorded */
	WALL_SCOPES,
};

enum wall_source { WALL_RECORDS, WALL_SWITCHES, WALL_GUESS };

struct wall {
	enum wall_weight weight; /* WALL_NONE: there is nothing else here */
	enum wall_scope scope;
	uint32_t cpu; /* the column of CPU time */
	/* Of a recording: */
	bool is_bound;
	const struct recording *rec;
	enum wall_source source;
	uint32_t processors; /* 0: not known */
	int switches, wakings; /* indexes of events; -1: not recorded */
	const struct event_field *prev, *state, *next, *woken;
	uint32_t waiting, runqueue, unsampled; /* string ids of frames */
};

/* What became of all that. */
struct wall_counts {
	uint64_t switches; /* in and out */
	uint64_t samples;
	uint64_t cpu_time; /* of the column */
	uint64_t gap_time; /* ns in which nothing ran */
	uint64_t
		repairs; /* of who ran without having begun, or began twice: a record was lost */
	uint64_t
		broken; /* runs and gaps that do not count: a record was lost meanwhile */
	uint64_t unplaced; /* ns of processes of which no stack is known */
};
void wall_counts_add(struct wall_counts *to, const struct wall_counts *from);

struct settlement;
struct weigher;
struct weighing;

/* Events, fields and names. 0, or a negative errno with a sentence: what samples needs times. */
int wall_bind(struct context *ctx, struct wall *wall, const struct recording *rec,
	      struct intern *strings);
/* Events that tell who runs, and are no samples of what does. */
struct event_wish;
void wall_beside(const struct wall *wall, struct event_wish *wish);

/* Of whom a record that is no sample tells. 1: it is queued; 0: it tells nothing of them; or there is no
 * memory left for it, which is as if it had been lost; -ENOMEM. */
int wall_note(struct deferred_queue *q, struct budget *budget, const struct record *r,
	      uint16_t input);

/* In weight_begin() and weight_take(). */
void wall_begin(const struct weigher *w, const struct sample *s, bool passed,
		struct weighing *ret);
int wall_take(struct weigher *w, const struct weighing *x);

/* No more events come: what ran without a sample behind it is charged. 0, or -ENOMEM. */
int wall_end(struct settlement *to);

/* What is queued. */
enum wall_what {
	WALL_NOTHING,
	WALL_BORN, /* a thread was forked */
	WALL_STARTS, /* likewise, and runs: its first record says so */
	WALL_EXEC, /* a process is one thread, which runs */
	WALL_EXIT,
	WALL_IN,
	WALL_OUT,
	WALL_STACK, /* what a thread waits in that goes out */
	WALL_WOKEN,
	WALL_TICK, /* a sample of a clock: its period is ns */
	WALL_SAMPLE,
};

enum wall_state { WALL_BLOCKED, WALL_RUNNABLE, WALL_DEAD };

struct wall_event {
	uint32_t tid, pid; /* pid 0: not known */
	uint64_t period; /* of samples; WALL_OUT, WALL_STACK: enum wall_state */
	uint64_t group; /* of samples: cgroup, or cpu and time-out; then the scope's id */
};

static inline struct wall_event *wall_event_of(const struct deferred_event *e)
{
	return (struct wall_event *)(void *)(uintptr_t)e->fields;
}

/* What is known of a thread, or of a set of threads, from one event to the next: what is open of
 * wall_state_kind. Parts of weights are kept in units of 2^-WALL_FRACTION ns, so that all that is shared
 * out adds up. */
enum { WALL_FRACTION = 16 };

struct wall_thread {
	uint64_t scope, mark; /* W when it was taken into account last */
	uint64_t owed; /* since the sample before */
	uint64_t since,
		ran; /* when it was taken into account last; ns since the sample before */
	uint64_t left, woken; /* when it went out, and was woken then; 0: it was not */
	uint32_t tid, pid;
	uint32_t before, next; /* tids of its process; 0: none */
	bool runs, runnable;
};

struct wall_set {
	uint64_t integral, rest; /* W, and what its last step has left */
	uint64_t last; /* time up to which W is known */
	uint64_t pool, pool_ran; /* of threads that are gone and never had a sample */
	uint64_t waited; /* ns of gaps from before any stack was known */
	uint32_t running, threads; /* of those that are known */
	bool has_first; /* one of these was the first one of its process */
	int32_t level; /* WALL_INSTANT: as perf counts it */
};

/* deferred_event.node of a thread: what it waits in; .behind: its last sample. Of a set: one of its
 * stacks. */
struct wall_kept {
	uint64_t key;
	union {
		struct wall_thread thread;
		struct wall_set set;
		uint32_t first; /* tid of the first thread of a process */
		struct {
			uint64_t scope, until, rest;
		} processor; /* WALL_GUESS */
	};
};

/* Of what is kept (deferred_event.what). */
enum wall_kept_what { KEPT_THREAD, KEPT_SET, KEPT_PROCESSOR, KEPT_THREADS };

static inline struct wall_kept *wall_kept_of(const struct deferred_event *e)
{
	return (struct wall_kept *)(void *)(uintptr_t)e->fields;
}

static inline uint64_t wall_key(enum wall_kept_what what, uint64_t id)
{
	return id + hash_u64((uint64_t)what + 1);
}

extern const struct deferred_kind wall_kind, wall_state_kind;

/* wall_survey.c: before a batch of events is settled. As deferred_kind.begin. */
int wall_survey(struct deferred_queue *q, struct settlement *to);
/* wall_settle.c: a thread runs from a time on, before any event was settled. 0, or -ENOMEM. */
int wall_start_thread(struct settlement *to, const struct deferred_event *of,
		      uint64_t time);

#endif
