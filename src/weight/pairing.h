#ifndef WEIGHT_PAIRING_H
#define WEIGHT_PAIRING_H

#include "input/input.h"
#include "weight/deferred.h"
#include "weight/expression.h"
#include "weight/rule.h"
#include "weight/thread_set.h"

/*
 * A rule (rule.h) and the events of one recording: what each of its samples is to the intervals that
 * are weighed.
 *
 *	t=1  sched_switch  A -> B	A begins to wait	open: A
 *	t=4  sched_waking  A		by B			open: A, woken by B at 4
 *	t=6  sched_switch  C -> A	A runs			A's stack weighs 5
 *
 * A worker asks which steps a sample takes, walks its stack if one of them wants that, and defers a
 * step each, with its key and the fields that the weight is made of; the settlement, in order of
 * time, pairs them. A thread that waits is one small record.
 */
enum {
	PAIR_VALUES = 2, /* fields that the weight is made of, of all roles */
	PAIR_SLOTS = 16, /* fields that the steps of one event ask for */
	PAIR_DEPTH = 8, /* wakers of a chain */
};

/* Where the value of a name comes from. */
struct pair_source {
	const struct event_field *field; /* NULL: it is one of the sample itself */
	const struct event_states *states; /* of prev_state, of a kernel before 4.14 */
	uint8_t number; /* of a register, in the kernel's order */
	uint8_t own; /* enum pair_own, of pair_source.c */
	bool plain; /* a field that is used as it was recorded */
	bool is_text; /* expression_text() */
};

/* What has names. */
struct pair_sources {
	const struct recording *rec;
	const struct intern *strings;
	const struct event *event;
	const struct event_format *format; /* NULL: none was recorded */
};

/* pair_source.c: 0, or a negative errno with a sentence. */
int pair_source_find(struct context *ctx, const struct pair_sources *of, const char *name,
		     struct pair_source *ret);
/* What is no field that is used as it was recorded. */
bool pair_source_load_other(const struct pair_source *source, const struct sample *s,
			    int64_t *ret);
/* False: the sample lacks it. Every event asks for some. */
static inline bool pair_source_load(const struct pair_source *source,
				    const struct sample *s, int64_t *ret)
{
	uint64_t value;

	if (!source->plain)
		return pair_source_load_other(source, s, ret);
	if (!event_field_number(source->field, s, &value))
		return false;
	*ret = (int64_t)value;
	return true;
}

/* What one event is in one role. */
struct bound_step {
	enum pair_role role;
	bool has_stack;
	bool is_of_key; /* a start that happens in another thread than the one of its key */
	struct expression condition,
		keys[RULE_KEYS]; /* without steps: always; the thread */
	/* Of "CONDITION && FIELD": the field's slot, which is asked first; -1: it is none of such. */
	int8_t and_slot;
	/* What is added to the first key: the hash of the second one, where that is the same for
	 * all, and what tells keys of objects, and of who leaves them, from those of intervals. */
	uint64_t key_base;
	/* What an end makes, or a start takes; without steps: nothing. */
	struct expression value, objects[RULE_KEYS];
	struct expression size, to[RULE_KEYS];
	enum pair_line line;
	/* Slots of what the weight is made of, by its value; -1: another role has it; SLOT_OF_VALUE:
	 * it is the step's own. */
	int8_t value_slot[PAIR_VALUES];
	/* Of what wakes: who does, and in which context (common_flags). NULL: not known, or not
	 * asked for. */
	const struct event_field *thread, *context;
};

enum { SLOT_OF_VALUE = -2 };

/* What has interrupted whatever ran: bits of common_flags (include/linux/trace_events.h). */
enum pair_context {
	CONTEXT_TASK,
	CONTEXT_SOFTIRQ,
	CONTEXT_HARDIRQ,
	CONTEXT_NMI,
	PAIR_CONTEXTS
};

struct bound_event {
	uint32_t first, count; /* of the steps */
	uint32_t slot_count;
	struct pair_source slots[PAIR_SLOTS];
	bool is_sampled; /* at a rate, though it is to be seen each time: perf record -F */
	const struct event_field *state; /* NULL: it says nothing of prev_state */
	const struct event_states *states; /* as in pair_source */
};

/* Slots of the weight: times, then the fields it is made of. */
enum { WEIGHT_T, WEIGHT_T_WAKE, WEIGHT_T_RUN, WEIGHT_VALUES };

/* A name in the weight. */
struct pair_value {
	enum pair_role role;
	struct slice field;
};

/* A weight of several. */
struct bound_part {
	struct expression weight; /* of the time between intervals: none */
	uint32_t name; /* string id; 0: none */
	uint32_t column; /* that it adds to, too; COLUMN_WEIGHT: none */
};

/* That of the time between intervals. */
enum { PART_BETWEEN = RULE_PARTS, PAIR_PARTS };

struct pairing {
	struct pair_rule rule;
	const struct recording *rec;
	bool is_bound, has_wakes;
	bool has_states; /* all that begins an interval tells the thread's state */
	ARRAY(struct bound_step) steps; /* by event, then in the order of the rule */
	ARRAY(struct bound_event) events; /* by index of event */
	struct expression weight;
	struct bound_part parts[PAIR_PARTS];
	struct pair_value values[PAIR_VALUES];
	uint32_t value_count;
	/* String ids: "--" between two stacks, and who wakes where no thread does. */
	uint32_t wakes, contexts[PAIR_CONTEXTS];
	uint32_t no_sample; /* "[no sample]" */
	/* Of a live run, which is of whole processors: whose starts and samples count. */
	struct thread_set threads;
};

/* Can a rule be understood, whatever was recorded, and of what kind is it (pair_kind_of())? 0, or a
 * negative errno with a sentence. */
int pairing_check(struct context *ctx, const char *rule, unsigned *kind);

/*
 * Which events and fields there are, as the rule asks for them. 0, or a negative errno with a
 * sentence: -EINVAL for an expression that is none, -ENODATA where no event of a step, or no field
 * that it asks for, was recorded.
 */
int pairing_bind(struct context *ctx, struct pairing *p, const char *rule,
		 const struct recording *rec, struct intern *strings);
void pairing_release(struct pairing *p); /* a zeroed one is fine */

/* What intervals came to. Every event of a pairing is in one of these. */
struct pair_counts {
	uint64_t starts, wakes, ends, cancels, samples;
	uint64_t stacks; /* that were walked for these */
	uint64_t paired;
	uint64_t unopened; /* ends without a start */
	uint64_t restarted; /* starts of what was open: the end before was not seen */
	uint64_t cancelled, still_open;
	uint64_t unsure; /* of these: not counted, for an end may have been lost */
	uint64_t broken; /* records were lost meanwhile */
	uint64_t not_waited; /* marks of what was not open */
	uint64_t woken_again; /* marks behind the first one */
	uint64_t without_waker; /* intervals without a mark, where there are marks */
	uint64_t stale; /* chains that end at a waker who had not waited itself */
	uint64_t negative; /* weights below 0, which are 0 */
	uint64_t
		inner; /* starts and ends inside of what was open, which count with that */
	uint64_t objects; /* that ends have made */
	uint64_t moves; /* of what goes on under another key, and ends of a part */
	uint64_t releases,
		released; /* those of objects, and those of them that were known */
	uint64_t reused; /* objects that were released unseen: their address came again */
	uint64_t
		skipped; /* events of these that came and were not recorded, as a rate has it */
};
void pair_counts_add(struct pair_counts *to, const struct pair_counts *from);

/* The steps of a pairing that a sample takes. */
enum { PAIR_MATCHES = RULE_STEPS_MOST };
struct pair_match {
	uint8_t steps[PAIR_MATCHES]; /* of its event */
	uint8_t count;
	bool passed; /* all filters of samples, but those of time */
	bool unread; /* its fields are not all there */
	bool has_stack; /* one wants it */
	bool has_others; /* one that wants it is not its thread's own: no filter of samples asks */
	int64_t slots[PAIR_SLOTS]; /* of its event, where it takes a step */
};

/* Is the thread of the sample one of those that count? */
static inline bool pairing_counts(const struct pairing *p, const struct sample *s)
{
	return thread_set_has(&p->threads, s->tid) &&
	       (!p->threads.but || s->pid != p->threads.but);
}

void pairing_match(const struct pairing *p, const struct sample *s,
		   struct pair_match *ret);

/* prev_state of sched_switch, as it is since 4.14, for filters; 0: it has none. */
int64_t pairing_state(const struct pairing *p, const struct sample *s);

struct event_choice;
struct weigher;
struct weighing;

/* Only the events of the rule count. 0, or -ENOMEM with a sentence. */
int pairing_choose(struct context *ctx, const struct pairing *p,
		   const struct recording *rec, const struct intern *strings,
		   struct event_choice *choice);

/* 1: samples are in the tree; 0: they are deferred, or lost; or -ENOMEM with a sentence. */
int pairing_take(struct weigher *w, const struct weighing *x);

/*
 * What a step was when it was taken, and what is open (deferred_event.fields). There is one for each
 * event, so it is a key and no more where the rule asks for no more (pair_kinds).
 *
 *	what      enum pair_role, of one who wakes enum pair_context, and of a start enum pair_line.
 *		  What is open is a start; a
 *		  closed one is an end: only what woke the thread, or the weight that an object is
 *		  to have, is still of use; or, beside samples, a sample: the thread runs.
 *	behind    what a chain has behind the stack; beside samples the stack of the last one
 *
 * Where an end makes an object there are two: the end, under the key of its start, and behind it the
 * object under its own, which takes the weight over from the end.
 */
enum {
	PAIR_ROLE_BITS = 15,
	PAIR_CONTEXT_SHIFT = 4,
	PAIR_CONTEXT_BITS = 3,
	PAIR_LINE_SHIFT = 6,
	PAIR_OBJECT = PAIR_ROLES, /* which is no step of a rule */
};

struct pair_event {
	uint64_t key;
	struct pair_more {
		/* When; 0: it was not. Of an object: pair_leave_key(); of what makes one: the key
		 * of the object that it takes, or 0; of a move, and of an end of a part, the key under
		 * which what is left goes on. */
		uint64_t woken;
		/* Of what is closed, and of an object, the first one is its weight. An object
		 * that is not made yet has the key of its start in the second one. */
		int64_t values[PAIR_VALUES];
		union {
			uint32_t thread; /* of what wakes: who does */
			uint32_t size; /* where several can be open under a key */
		};
		/* How many calls are inside of one that is open; or how many wait behind it, under
		 * keys of their own, which count on from this one's place (pair_line.c). */
		uint16_t inner, place;
	} more[];
};

/* Behind pair_more, where samples share the time between intervals. */
struct pair_between {
	uint64_t owed; /* ns of it that no sample has yet */
	uint32_t
		sampled; /* 0: behind is the stack of an interval, for there was no sample */
	uint32_t lost; /* of the last sample, as deferred_event.lost */
};

/* Two numbers are one. Two pairs of them are different, but by a chance that nobody chooses. */
static inline uint64_t pair_key(int64_t a, int64_t b)
{
	return (uint64_t)a + hash_u64((uint64_t)b);
}

/* Added to the keys of objects. */
#define PAIR_KEY_OF_OBJECT 0x9e3779b97f4a7c15ull

/* By what the keys of the objects begin with that are left. */
static inline uint64_t pair_leave_key(int64_t first)
{
	return pair_key(first, INT64_MIN) + 2 * PAIR_KEY_OF_OBJECT;
}

/* pair_settle.c */
enum { PAIR_KINDS = 3 };
extern const struct deferred_kind pair_kinds[PAIR_KINDS];

static inline unsigned pair_kind_of(const struct pair_rule *rule)
{
	return rule->has_more + rule->has_between;
}

/* No more events come: what becomes of intervals that are open. @last: when the last event was.
 * 0, or -ENOMEM. */
int pairing_end(struct settlement *to, uint64_t last);

#endif
