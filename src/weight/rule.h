#ifndef WEIGHT_RULE_H
#define WEIGHT_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/context.h"
#include "weight/wall.h"

/*
 * What a mode weighs, as text: clauses with ';' between them.
 *
 *	start EVENTS [key EXPRESSION[, EXPRESSION]] [value EXPRESSION] [if EXPRESSION]
 *				opens an interval
 *	wake EVENTS ...		marks one that is open, once
 *	end EVENTS ...		closes it: it weighs something now
 *	cancel EVENTS ...	it is not counted
 *	forget EVENTS ...	likewise, and what woke the thread before is not known any more: it
 *				is gone, and another one can get its number
 *	release EVENTS ...	the object of its key is gone
 *	leave EVENTS ...	all objects are whose key begins as its key does
 *	move EVENTS key ... to EXPRESSION[, EXPRESSION]
 *				what is open under its key is so under another one from now on
 *	sample EVENTS [if EXPRESSION]	weighs something by itself; beside start and end, where it may
 *				have a key, it weighs the time since the last one, or the last
 *				interval: so that all time between intervals is shared by samples
 *	weight EXPRESSION	of t (ns from start to end), t.wake (to the mark), t.run (from the
 *				mark) and fields: start.F, wake.F, end.F; of a sample: F;
 *				start.value, end.value: what their clauses say behind "value"
 *	weight EXPRESSION as NAME	the same, of several: an interval weighs each of them
 *	between NAME		what samples weigh beside start and end
 *	names root | leaf | none	where these are frames of the stack
 *	stack start | end | wakeup | offwake | chain
 *	first			a start while an interval is open does not begin it anew
 *	nested			nor does it, but it has an end of its own: of calls inside of
 *				calls only the outermost one counts
 *	open drop | count | report	intervals that no end came for: not counted; up to the
 *				last event; only these are counted
 *	unit WORD, title TEXT
 *	ratio [NAME[%] =] COLUMN/COLUMN		what the colour says
 *	or			what follows is another rule, for recordings without the events of
 *				this one
 *
 * A start with "fifo" or "lifo" behind it waits in line where one is open under its key: an end closes
 * the one that began first, or last. Where ends may be missing "lifo" is right: then who began first is never
 * closed, and all others are by their own ends. What they weigh in all is the same by both.
 *
 * Behind "size" a start says how much it is of, and an end how much of that has ended, in "size EXPRESSION
 * to EXPRESSION[, EXPRESSION]": while there is a rest, it is that which is open, under this other key.
 *
 * An end may say "object EXPRESSION[, EXPRESSION]": what it weighs is not counted then, but held by an
 * object under this key, until that is released. It weighs on the stack of the end then, or where
 * it is never released: by "open". A start may say the same of an object that its call takes: that is
 * released when the call ends, unless it has failed, which is that it weighs nothing though fields of
 * its start that the weight is made of are not 0.
 *
 * One with no event pairs nothing: samples weigh what they are.
 *
 * EVENTS are names with ',' between them, of which those that were recorded count, with at least
 * one there; they may be patterns. With '|' between such lists the first list counts that has one;
 * behind the last one "| nothing" says that none has to be there, as long as another clause of its
 * kind has one.
 * Clauses of one event are asked in their order. The key is the thread where none is given.
 */
enum pair_role {
	ROLE_START,
	ROLE_WAKE,
	ROLE_END,
	ROLE_CANCEL,
	ROLE_FORGET,
	ROLE_RELEASE,
	ROLE_LEAVE,
	ROLE_MOVE,
	ROLE_SAMPLE,
	PAIR_ROLES,
};

/* Whose call chain has the weight. */
enum pair_stack {
	PAIR_STACK_START,
	PAIR_STACK_END,
	PAIR_STACK_WAKEUP, /* of the end, with the name of the start's process on top */
	PAIR_STACK_OFFWAKE, /* of the start, then that of the mark, reversed, behind "--" */
	PAIR_STACK_CHAIN, /* likewise, then that of who had woken the waker, and so on */
	PAIR_STACKS,
};

/* Where names of weights are in a stack. */
enum pair_names { PAIR_NAMES_ROOT, PAIR_NAMES_LEAF, PAIR_NAMES_NONE, PAIR_NAMESES };

/* Which one of several that are open under a key an end is of: the only one, for there are not several. */
enum pair_line { PAIR_LINE_NONE, PAIR_LINE_FIFO, PAIR_LINE_LIFO };

enum pair_open { PAIR_OPEN_DROP, PAIR_OPEN_COUNT, PAIR_OPEN_REPORT, PAIR_OPENS };

/* A part of the text, which outlives it. */
struct slice {
	const char *text; /* NULL: it is not there */
	size_t size;
};

enum {
	RULE_STEPS_MOST = 24,
	RULE_KEYS = 2,
	RULE_PARTS = 3, /* weights with names */
};

/* A weight of several. */
struct pair_part {
	struct slice weight, name;
};

struct pair_step {
	enum pair_role role;
	struct slice events, condition, keys[RULE_KEYS];
	struct slice value,
		objects[RULE_KEYS]; /* of what an end makes, or a start takes */
	struct slice size,
		to[RULE_KEYS]; /* where what is left goes on, or what is moved */
	enum pair_line line;
	bool is_optional; /* "| nothing" */
};

struct pair_rule {
	struct pair_step steps[RULE_STEPS_MOST];
	size_t count;
	struct slice weight, unit, title, ratio;
	struct pair_part parts[RULE_PARTS]; /* in place of the weight */
	size_t part_count;
	struct slice between; /* .text NULL: it has no name */
	enum pair_names names;
	enum pair_stack stack;
	enum pair_open open;
	bool first, nested;
	bool has_objects;
	bool has_lines; /* several can be open under a key, or go from one to another */
	bool of_samples; /* these alone: there are no intervals */
	bool has_between; /* samples share the time between intervals */
	bool has_more; /* who wakes counts, or the weight is made of more than t */
	const char *otherwise; /* the text behind "or"; NULL: there is none */
	const char *at; /* of one that is refused: the clause */
};

/* Up to "or". 0, or -EINVAL with a sentence. */
int rule_parse(struct context *ctx, const char *text, struct pair_rule *ret);

/* The context's sentence is about this place of a text, of whose line it tells if there are several.
 * @err. */
int rule_refused_at(struct context *ctx, const char *text, const char *at, int err);

struct slice rule_trimmed(struct slice s); /* without white space around it */

/* What does not happen ends nothing, so it need not be there. */
static inline bool rule_role_may_lack(enum pair_role role)
{
	return role == ROLE_CANCEL || role == ROLE_FORGET || role == ROLE_LEAVE ||
	       role == ROLE_MOVE;
}

/* Is the stack drawn that an event has in this role? */
bool rule_uses_stack(const struct pair_rule *rule, enum pair_role role);

/* An event to record for a rule. */
struct rule_event {
	char *name; /* or a pattern */
	bool has_stack; /* a step draws it */
	/* It is there twice: with a stack, for those steps that draw it, which are of few of them,
	 * and without, of all others that this one's filter lets pass. */
	bool is_apart;
	uint32_t steps; /* bits of those that it is in */
	char *filter; /* in the kernel's words: all others are of no use; "": none are */
	bool rated; /* it is sampled, beside intervals, and all steps have some of it */
	/* Fields that say which threads it is about; NULL: it is about its sample's. */
	const char *threads[2];
	uint8_t registers; /* RULE_ARGUMENT << 0 to 5, RULE_RETURN: what is asked of a uprobe */
};
enum { RULE_ARGUMENT = 1, RULE_ARGUMENTS = 6, RULE_RETURN = 1 << RULE_ARGUMENTS };

struct rule_events {
	ARRAY(struct rule_event) list;
	bool scheduler; /* what threads wait for */
	/* They may happen in other threads than the one that they are about, so it takes those
	 * of whole processors. */
	bool everywhere;
};

/* Whom to ask whether an event is known here: 1, 0 with a sentence, or a negative errno. */
struct event_asker {
	int (*is_there)(void *arg, const char *name);
	void *arg;
	bool no_stacks; /* nobody wants any */
};

/* rule_events.c: adds them to a zeroed one. 0, or a negative errno with a sentence: -ENOENT where no
 * event of a step is known. */
int rule_events_find(struct context *ctx, const struct pair_rule *rule,
		     const struct event_asker *asker, struct rule_events *ret);
/* rule_filter.c: what one of these steps has a use for; to be freed. -ENOMEM. */
int rule_filter(const struct pair_rule *rule, uint32_t steps, char **ret);
/* Is it of those threads alone that block? */
bool rule_condition_selects(struct slice condition);
void rule_events_release(struct rule_events *events);

/* What people draw, by name. */
struct mode {
	const char *name, *title;
	const char *question; /* that it answers */
	const char *rule; /* "": samples weigh what they say, or by who else runs */
	const char *colors; /* a palette of flamegraph.pl, or "ratio" */
};
extern const struct mode modes[]; /* ends with one without a name */

/* NULL: there is none. */
const struct mode *mode_find(const char *name);
/* How a sample of it weighs by who else runs, if so. */
enum wall_weight mode_wall(const struct mode *mode);

#endif
