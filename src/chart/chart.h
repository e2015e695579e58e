#ifndef CHART_CHART_H
#define CHART_CHART_H

#include "base/context.h"
#include "tree/tree.h"
#include "weight/weight.h"

/*
 * What threads did when, by functions:
 *
 *	log      runs of all threads in order of time, of stacks of the trie
 *	chart    threads in their order, each with its runs, of stacks of the named tree
 *	spans    what is drawn: a frame at a depth from when to when
 *
 *	runs     | a;b | a;c |  waiting in a;c  |
 *	spans    | a         |         a        |
 *	         | b   | c   |         c        |
 *
 * Times are ns from the first moment of the thread's input: those of several inputs are of several
 * clocks. Where they are of one, it is the first moment of all.
 */
struct chart_run {
	uint64_t begin, end;
	uint32_t node; /* of the named tree */
	uint32_t samples;
	uint8_t what; /* enum chart_what */
};

/* What a node is that no run has: of a stack that a filter has left out. */
#define CHART_NOWHERE UINT32_MAX

struct chart_thread {
	uint32_t pid, tid, input;
	uint32_t cpu; /* of an idle thread; else UINT32_MAX */
	uint32_t comm; /* string id; 0: not known */
	uint64_t ran; /* ns on a processor */
	size_t first, end; /* its runs */
};

struct chart {
	/* Those of a process one after the other, most processor time first; processes likewise. Idle
	 * threads are the last. */
	ARRAY(struct chart_thread) threads;
	ARRAY(struct chart_run)
	runs; /* of each thread in order, none overlaps the next */
	uint64_t length; /* the end of the last run of all */
	uint64_t
		cell; /* ns; within cells of this order is by name: chart_coarsen(). 0: nowhere */
	size_t inputs;
};

/* @node_of: by node of the trie its node in the named tree, or CHART_NOWHERE. 0, or -ENOMEM. */
int chart_make(const struct chart_log *log, const uint32_t *node_of, struct chart *ret);
void chart_release(struct chart *c);

/*
 * The same with at most @most runs, if that can be. Time is cut into cells of one length, and within
 * a cell runs of one stack become one, in the order of their stacks:
 *
 *	a b a b a a b     ->     a a a a b b b
 *
 * So frames have as much time as they had, in that cell and as a whole; only what came first in a cell
 * is not known any more. The smallest cells of 2^n ns are taken that are enough. 0, or -ENOMEM.
 */
int chart_coarsen(const struct chart *c, size_t most, struct chart *ret);

/* A frame from when to when. */
struct chart_span {
	uint64_t begin, end; /* end: of one that is closed */
	uint64_t samples; /* likewise */
	uint32_t node; /* of the named tree; 0: what @what says, and no function */
	uint8_t what; /* enum chart_what */
};

/* Over the spans of one thread, as they begin and end. A span is closed before what comes later is
 * opened, and those above it before it is. */
struct chart_walk {
	const struct chart *chart;
	const struct named *tree;
	const struct symbols *symbols;
	/* By node: those with one number are one, and a callee with its caller's is none. NULL: each is
	 * for itself. May be set once the walk has started. */
	const uint32_t *numbers;
	size_t run, end; /* the next one; of the thread's */
	ARRAY(struct chart_span) open; /* by depth */
	ARRAY(uint32_t)
	path; /* nodes of the run that is about to be opened, leaf first */
	size_t keep, wanted; /* depth to close down to, and to open up to */
	uint64_t at; /* time of what comes next */
};

enum chart_step { CHART_END, CHART_OPENS, CHART_CLOSES };

void chart_walk_start(struct chart_walk *w, const struct chart *chart,
		      const struct tree_source *in, const struct chart_thread *thread);
/* enum chart_step, with its span, whose depth is w->open.count then; or -ENOMEM. */
int chart_next(struct chart_walk *w, struct chart_span *ret);
void chart_walk_release(struct chart_walk *w);

/*
 * A span, or neighbours at one depth that are all narrower than what can be seen:
 *
 *	spans     | a | b |   c   |b|a|   |a|         d         |
 *	joined    |       c, 5 spans      |a|         d         |       where the gap is wide
 */
struct chart_joined {
	struct chart_span longest; /* of them; the first of those */
	uint64_t begin, end, sum; /* sum: of their lengths, ns */
	uint64_t samples, count;
	uint32_t depth;
};

struct chart_join {
	const struct tree_source *in;
	const uint32_t *numbers; /* as of struct chart_walk */
	uint64_t
		least; /* ns: what is shorter is joined, and across gaps that are shorter */
	uint64_t block; /* ns: none of two blocks of time are joined. 0: all may be */
	bool outermost; /* only what nothing has called */
};

/* All spans of a thread, those of a depth in order of time. Adds to @ret, an ARRAY. 0, or -ENOMEM. */
struct chart_joined_list {
	struct chart_joined *v;
	size_t count, room;
};
int chart_join_thread(const struct chart *c, const struct chart_thread *thread,
		      const struct chart_join *how, struct chart_joined_list *ret);

/* What stands in place of a function: "[waiting]". */
const char *chart_what_name(enum chart_what what);

/* "name-TID", "swapper/CPU"; and of another input than the first one, where there are several, which. */
struct text;
void chart_thread_name(const struct chart *c, const struct chart_thread *t,
		       const struct intern *strings, struct text *to);
/* Another number for each process of all inputs. */
uint64_t chart_process(const struct chart_thread *t);

#endif
