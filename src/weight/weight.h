#ifndef WEIGHT_WEIGHT_H
#define WEIGHT_WEIGHT_H

#include "base/budget.h"
#include "filter/filter.h"
#include "stack/stack.h"
#include "trie/trie.h"
#include "weight/chart_log.h"
#include "weight/deferred.h"
#include "weight/heat.h"
#include "weight/pairing.h"
#include "weight/time_blocks.h"
#include "weight/wall.h"

/*
 * What a sample adds, and to which stack: here its period, or 1. Every weight that
 * is read ends in the tree or in one of the counters of what was lost:
 *
 *	read = kept + sum of lost
 */
enum lost {
	LOST_EVENT, /* of an event that was not asked for */
	LOST_FILTER,
	LOST_DAMAGED, /* a record that could not be understood; counts 1 */
	LOST_TRUNCATED, /* the stack does not reach its root, and such were not wanted */
	LOST_REASONS,
};

struct weight_sum {
	uint64_t read, kept, lost[LOST_REASONS];
	uint64_t samples_read, samples_kept;
	uint64_t cut; /* of what is kept: on stacks that no memory was left for */
	uint64_t before; /* of the other profile of differential text */
	uint64_t further; /* of columns with units of their own; they are not in read */
	bool overflow; /* 64 bits cannot hold one of these: none is of use */
};

/* No sample counts so many: 2^62 ns are 146 years. One that says so is damaged. */
#define WEIGHT_IMPOSSIBLE (1ull << 62)

/* All else in a sum is a part of what is counted here. */
static inline void weight_sum_count(struct weight_sum *sum, uint64_t weight,
				    uint64_t samples)
{
	sum->overflow |= __builtin_add_overflow(sum->read, weight, &sum->read);
	sum->overflow |=
		__builtin_add_overflow(sum->samples_read, samples, &sum->samples_read);
}

/* Of samples, each of which counts 1. */
static inline void weight_sum_damaged(struct weight_sum *sum, uint64_t samples)
{
	weight_sum_count(sum, samples, samples);
	sum->lost[LOST_DAMAGED] += samples;
}

static inline void weight_sum_before(struct weight_sum *sum, uint64_t weight)
{
	sum->overflow |= __builtin_add_overflow(sum->before, weight, &sum->before);
}

static inline void weight_sum_further(struct weight_sum *sum, uint64_t weight)
{
	sum->overflow |= __builtin_add_overflow(sum->further, weight, &sum->further);
}

void weight_sum_add(struct weight_sum *to, const struct weight_sum *from);
bool weight_sum_conserved(const struct weight_sum *sum);

/* What was added up before it came here: a line of folded text, a stack of a picture. */
struct weight_summed {
	uint64_t weight, before;
	uint64_t samples; /* 0: it counts as one, of which the tree knows nothing */
	bool has_before, cut;
};
/* 0, or -ENOMEM. */
int weight_charge_summed(struct weight_sum *sum, struct trie *trie, uint32_t node,
			 const struct weight_summed *summed);

/* What ends at @node is lost after all, by a filter. */
void weight_filter_out(struct weight_sum *sum, struct trie *trie, uint32_t node);

struct weight_options {
	bool count_samples; /* a sample weighs 1 */
	bool as_printed; /* as perf script prints periods: tracepoints have none */
};

uint64_t weight_of(const struct weight_options *options, const struct event *event,
		   const struct sample *s);

/* A sample that is kept for those who ask for samples. */
struct kept_sample {
	uint64_t time, position, weight;
	uint32_t node; /* of its stack: in the trie it was added to */
	uint32_t pid, tid, cpu;
	uint32_t comm; /* string id */
	uint16_t event, input;
};

/* The weight of one whose counter was not settled, or had stood still. */
#define WEIGHT_UNKNOWN UINT64_MAX

struct sample_log {
	ARRAY(struct kept_sample) list;
	struct claim claim;
	size_t allowed; /* samples that the claim is for */
	bool refused; /* the budget has been asked in vain: what comes is left out, too */
};

/* False: the budget has nothing left for one more. */
bool sample_log_allows(struct sample_log *log, struct budget *budget);

/* Appends what another one has, and its claim goes over; @node_map: for each node its id here, NULL: the same. 0, or
 * -ENOMEM. */
int sample_log_merge(struct sample_log *log, struct sample_log *from,
		     const uint32_t *node_map);
void sample_log_release(struct sample_log *log);

/*
 * Which events count. By default those of the family of the first event that has samples:
 * "cpu_core/cycles/" and "cpu_atom/cycles/" are one, and so are all that one pattern stands
 * for which the recorder was given, "syscalls:sys_enter_*". Of the latter each has a frame of
 * its name at the root of its stacks.
 */
enum { EVENT_LEFT_OUT, EVENT_WANTED, EVENT_BESIDE };
struct event_choice {
	ARRAY(uint8_t) wanted; /* by index of event: one of these */
	ARRAY(uint8_t) column; /* likewise: the one that it adds to */
	struct event_labels labels; /* likewise; of a pattern's events, else empty */
	char *pattern; /* NULL: there was none */
};

/* What is asked for. */
struct event_wish {
	const char *name; /* exact, "all", a pattern, or NULL for the default */
	const char *
		words; /* of the recorder's command line, in which patterns are; or NULL */
	const struct weight_options *weights;
	/* Indexes of events that tell of those that count, and do not count themselves. */
	int beside[2];
	uint32_t beside_count;
	/* Events beside those that weigh, as event_is_called() knows them, and their columns. With no
	 * name the first one is the weight's. */
	struct event_column {
		struct slice name;
		uint32_t column;
	} columns[2];
	size_t column_count;
};

/* "cycles" are "cycles:u" and "cpu_core/cycles/", too; patterns and whole names are themselves. */
bool event_is_called(const struct event *e, const struct intern *strings,
		     struct slice name);

/* -EINVAL where no event has the name, or a pattern's events count different things. */
int event_choice_make(struct context *ctx, struct event_choice *choice,
		      const struct recording *rec, const struct intern *strings,
		      const struct event_wish *wish);

/*
 * As trie_add(). What the budget has nothing left for ends at the last frame that is there, and
 * where none is it is below "[memory limit]": 1 then; 0, or -ENOMEM.
 */
int weight_add_stack(struct trie *t, struct frames *f, const struct stack *stack,
		     uint32_t *ret);

/* Samples that groups of counters were split into, by event. */
struct sample_split {
	ARRAY(uint64_t) by_event;
};

/* Says which of the samples that groups were split into (@split, by event) are left out. */
void event_choice_report_split(struct context *ctx, const struct event_choice *choice,
			       const struct recording *rec, const struct intern *strings,
			       const struct sample_split *split);

/*
 * stackcollapse-perf.pl looks for period and event behind a colon. perf script prints none
 * before those of a tracepoint, nor where there is no time: then each sample weighs 1, and no
 * choice of events leaves it out.
 */
static inline bool event_is_anonymous(const struct event *e)
{
	return e->type == PERF_TYPE_TRACEPOINT || !(e->sample_type & PERF_SAMPLE_TIME);
}

/* It never has samples of its own. */
static inline bool event_is_dummy(const struct event *e)
{
	return e->type == PERF_TYPE_SOFTWARE && e->config == PERF_COUNT_SW_DUMMY;
}

/* One of many, which of switches tells neither who runs nor for how long it has not. */
static inline bool event_is_sampled(const struct event *e)
{
	return e->frequency || e->period > 1;
}

/* It counts ns. */
static inline bool event_is_clock(const struct event *e)
{
	return e->type == PERF_TYPE_SOFTWARE && (e->config == PERF_COUNT_SW_CPU_CLOCK ||
						 e->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* Events that came after the choice was made do not count. */
static inline bool event_is_wanted(const struct event_choice *choice, size_t event)
{
	return event < choice->wanted.count && choice->wanted.v[event] == EVENT_WANTED;
}

/* Does it weigh, or add to a column beside the weight? */
static inline uint32_t event_column(const struct event_choice *choice, size_t event)
{
	return event < choice->column.count ? choice->column.v[event] : COLUMN_WEIGHT;
}

/* Says what was left out, once an input. @remedy: how to have it. */
void event_choice_report_left_out(struct context *ctx, const struct event_choice *choice,
				  const struct recording *rec,
				  const struct intern *strings, const char *remedy);
void event_choice_release(struct event_choice *choice);

/* What weights are added to: parts of what one has collected. */
struct weight_target {
	struct trie *trie;
	struct weight_sum *sum;
	struct sample_log *log;
	struct deferred_queue *deferred; /* by enum deferred_which */
	struct frames *frames; /* of the trie */
	struct pair_counts *pairs;
	struct wall_counts *wall;
	struct time_blocks *blocks; /* NULL, or without a grid: there are none */
	struct chart_log *chart;
	struct heat *heat; /* NULL, or without a first sample: it is not wanted */
	struct heat
		*processors; /* likewise: the same weight by the processor it ran on */
};

/* What a worker weighs its samples with. All of it outlives the weigher. */
struct weigher {
	struct context *ctx; /* with the budget */
	const struct weight_options *options;
	const struct event_choice *events;
	const struct pairing
		*pairing; /* bound, or not: then samples are weighed as they are */
	const struct wall *wall; /* likewise; one of the two at most */
	const struct chart_source *chart; /* likewise; then neither of them is */
	const struct filters *filters; /* of time, where there is a pairing */
	const struct recording *rec;
	const struct input *in;
	struct weight_target target;
	uint16_t input; /* its number */
	bool keep_samples;
};

/* A weight on its way into the tree. */
struct charge {
	uint64_t weight;
	uint32_t node; /* of its stack */
	uint8_t lost; /* enum lost + 1; 0: it counts */
	bool followed; /* by frame pointers: COLUMN_FOLLOWED */
	bool cut; /* no memory was left for all of its stack */
	bool is_rest; /* of an interval whose other parts are charged, too: it is no further sample */
	uint8_t column; /* COLUMN_WEIGHT, or a further one that it adds to */
	uint32_t times; /* samples that it stands for; 0: one */
	uint64_t from,
		until; /* when it came to be; 0: not known. A sample has one time */
	uint32_t processor; /* its number + 1; 0: not recorded, or it ran on none */
};

enum weigh_how { WEIGH_ITSELF, WEIGH_PAIRED, WEIGH_BY_WALL };

/* A sample as it is weighed: weight_begin() says what it weighs and why it is lost, if it is; only
 * else somebody has to find its stack, and may find that it is lost all the same. */
struct weighing {
	const struct sample *sample;
	struct charge charge;
	enum weigh_how how;
	bool needs_stack; /* it weighs something in the tree */
	struct pair_match match; /* where there is a pairing */
	uint32_t comm; /* of a sample that is kept, or is in a chart: string id */
};

/* @passed: all filters; where there is a pairing, all but those of time, which it asks itself. */
void weight_begin(const struct weigher *w, const struct sample *s, bool passed,
		  struct weighing *ret);
/* 1: the sample is in the tree; 0: it is lost, or deferred; or -ENOMEM with a sentence. */
int weight_take(struct weigher *w, const struct weighing *x);

/* What is deferred: counters that were read with a sample (counters.c), what is paired
 * (pairing.c), who runs, with what is known of that (wall.c), and moments of a chart
 * (chart_log.c). */
enum deferred_which {
	DEFERRED_COUNTERS,
	DEFERRED_PAIRS,
	DEFERRED_WALL,
	DEFERRED_WALL_STATE,
	DEFERRED_CHART,
	DEFERRED_KINDS
};
extern const struct deferred_kind *const deferred_kinds[DEFERRED_KINDS];

/* What deferred events come to. */
struct settlement {
	struct weight_target target;
	const struct weight_options *options;
	const struct event_choice *events;
	const struct pairing *pairing;
	const struct wall *wall;
	const struct chart_source *chart;
	const struct filters *filters; /* of intervals */
	struct sample_split *split;
	uint64_t factor; /* of the target's unit: 1, or a power of 10 */
};

#endif
