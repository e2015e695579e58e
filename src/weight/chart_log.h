#ifndef WEIGHT_CHART_LOG_H
#define WEIGHT_CHART_LOG_H

#include "input/input.h"
#include "weight/deferred.h"

/*
 * What each thread did when, for a chart. A sample says where a thread was at one moment; it is taken
 * to be there until its next sample:
 *
 *	samples      a   a   b   b                   a
 *	runs         |   a   |   b   |   nothing     | a |
 *
 * The last one before a gap of more than 2.5 periods stands for one period. Where switches between
 * threads were recorded they say exactly when a thread had a processor: its first sample stands for
 * the time since it came, the last one for that until it went, and the time between is time that it
 * waited. A processor runs one thread at a time, so a sample of another thread ends a run, too.
 */
enum chart_what {
	CHART_SAMPLED, /* on a processor, in a stack that was sampled */
	CHART_UNSAMPLED, /* on a processor, as switches say; no sample says where */
	CHART_WAITING, /* on none, in the stack that it went with, if that is known */
	CHART_RUNNABLE, /* the same, but it was preempted, and could have gone on */
	CHART_WHATS,
};

/* The end of a run of which only the time of its sample is known: chart_log_end_run() decides. */
#define CHART_OPEN UINT64_MAX

struct chart_log_run {
	uint64_t begin, end;
	uint32_t node; /* of its stack: in the trie it was added to */
	uint32_t thread; /* index */
	uint32_t samples;
	uint8_t what; /* enum chart_what */
	bool unsure; /* the event's period is no time: how long it is, others say; .end limits it */
};

struct chart_log_thread {
	uint32_t pid, tid; /* pid 0: not known */
	uint32_t
		cpu; /* of the idle thread, which each processor has one of; else UINT32_MAX */
	uint32_t comm; /* string id; 0: not known */
	uint16_t input;
	uint8_t state; /* of chart_log.c */
	bool exits; /* it is on its way: it waits for nothing any more */
	bool passed; /* it is asked for: something of it has passed the filters */
	uint32_t run; /* what it is in; index + 1, 0: nothing that is known */
	uint32_t stack; /* that it will go out with */
	uint64_t since; /* on a processor, where switches say so */
	uint64_t sampled, period; /* its last sample */
};

struct chart_log {
	ARRAY(struct chart_log_thread) threads;
	ARRAY(struct chart_log_run) runs; /* in order of time, of all threads */
	struct hash_map by_thread, by_cpu; /* index */
	uint64_t last; /* time, of the input that is being settled */
	size_t ended; /* runs of inputs that have ended */
	struct claim claim;
	size_t allowed; /* runs that the claim is for */
	bool one_axis; /* its inputs have one clock */
	bool refused; /* the budget has been asked in vain: what comes is left out, too */
};

/* Which events of a recording tell who runs. */
struct chart_source {
	bool is_bound;
	bool has_records; /* of switches: those decide, and events say in which stack */
	bool asks; /* filters: who is not sampled is not asked for */
	uint32_t
		column; /* counts switches in which threads go out: a stack of these alone is in the tree */
	int switches; /* index of sched:sched_switch; -1: not recorded, or not all of them */
	const struct event_field *prev, *state, *next;
};

struct weigher;
struct weighing;
struct settlement;

/* Says so where only some switches were recorded. */
void chart_bind(struct context *ctx, struct chart_source *chart,
		const struct recording *rec, const struct intern *strings);

/* What tells who runs does not weigh, where something else does. */
struct event_wish;
void chart_beside(const struct chart_source *chart, const struct recording *rec,
		  struct event_wish *wish);

/* NULL: none. */
static inline bool chart_is_wanted(const struct chart_source *chart)
{
	return chart && chart->is_bound;
}

/* Does it say who runs, so that its stack is wanted, whatever it weighs? */
static inline bool chart_is_switch(const struct chart_source *chart, uint32_t event)
{
	return chart_is_wanted(chart) && (int)event == chart->switches;
}

/* In weight_take(). @passed: its stack is in the tree, or it is that of a switch. 0, or -ENOMEM with a
 * sentence. */
int chart_take(struct weigher *w, const struct weighing *x);
/* As wall_note(). */
int chart_note(struct deferred_queue *q, struct budget *budget, const struct record *r,
	       uint16_t input);

/* No more events of an input come: who waits does so up to its end. What is told of times before @first or
 * behind @last is not asked for. */
void chart_log_end_input(struct chart_log *log, uint64_t first, uint64_t last);
/* As sample_log_merge() and collected_compact() need it. 0, or -ENOMEM. */
int chart_log_merge(struct chart_log *log, struct chart_log *from,
		    const uint32_t *node_map);
void chart_log_remap(struct chart_log *log, const uint32_t *node_map);
void chart_log_release(struct chart_log *log);

extern const struct deferred_kind chart_kind;

#endif
