#ifndef WEIGHT_HEAT_H
#define WEIGHT_HEAT_H

#include "base/array.h"
#include "base/budget.h"

/*
 * How much of each stack is in which cell of a recording's time: who draws time has it from here. A
 * cell is 20 ms; where more than HEAT_MOST pairs of a cell and a stack would have to be kept, or a
 * span of time has more cells than that, cells are wider, so that memory does not grow with the
 * recording. Each width is a multiple of the one before:
 *
 *	20 ms    100 ms    1 s    5 s    1 min    1 h    1 d    10 d ...
 *
 * Cells are as narrow as they can be with so many pairs, of all that was read. No part of it has more
 * pairs than all, so neither the order of samples nor the number of workers decides that; stacks that
 * become one later do not make cells narrower.
 */
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
enum { HEAT_MOST = 1 << 20 };
#else
enum { HEAT_MOST = 64 }; /* so that small inputs come to it */
#endif
#define HEAT_WIDTH_LEAST UINT64_C(20000000) /* ns */

struct heat_cell {
	uint64_t weight;
	uint32_t cell;
	uint32_t
		node; /* of the stack: in the trie it was added to; or a processor's number */
	uint64_t samples;
};

/* What keeps it from being drawn. */
enum heat_flaw {
	HEAT_WHOLE,
	HEAT_UNTIMED, /* something has no time */
	HEAT_SEVERAL, /* inputs whose clocks have nothing to do with each other */
	HEAT_REFUSED, /* for want of memory */
	HEAT_COARSE, /* it is known of cells that those of a fixed width would cut */
	HEAT_TOO_LONG, /* more cells of a fixed width than can be counted */
	HEAT_UNPLACED, /* by processor: something is of none, or not as in cells by stack */
};

/* Of processors there is a heat of its own, whose nodes are their numbers, below this. */
enum { HEAT_PROCESSORS = 1 << 16 };

struct heat {
	const uint64_t
		*first; /* of the input: when its first sample was; NULL: not wanted */
	uint64_t origin, width; /* ns; cell 0 begins at the origin */
	bool is_fixed; /* cells stay as wide as they are */
	bool has_origin;
	uint8_t flaw; /* enum heat_flaw: then there are no cells */
	ARRAY(struct heat_cell) cells;
	size_t sorted; /* the first of them: by cell, then node, none twice */
	struct budget *budget;
	struct claim claim;
	size_t allowed; /* cells that the claim is for */
};

/* @width: 0: as narrow as memory has room for. */
struct heat heat_of(const uint64_t *first, uint64_t width, struct budget *budget);

/* A part of a weight for each cell between the two times, in proportion; all of it is at @until where
 * they are the same. 0, or -ENOMEM. */
struct heat_span {
	uint64_t from, until, weight;
	uint64_t samples;
};
int heat_add(struct heat *h, uint32_t node, const struct heat_span *span);

/* Adds to the cell that a time is in, ns from the origin on: @part's own number is of no account. 0, or
 * -ENOMEM. */
int heat_add_cell(struct heat *h, uint64_t at, struct heat_cell part);

/* Adds what another one has. @node_map: for each node its id here, NULL: the same. 0, or -ENOMEM. */
int heat_merge(struct heat *h, struct heat *from, const uint32_t *node_map);

/* Nodes have other ids now, some of them one; HEAT_NOWHERE: what is there goes. 0, or -ENOMEM. */
#define HEAT_NOWHERE UINT32_MAX
int heat_remap(struct heat *h, const uint32_t *node_map);

/* Its cells, as wide as they are. 0, or -ENOMEM: to be released in either case. */
int heat_copy(struct heat *ret, const struct heat *h);

/* Weights are so many times as large. */
void heat_scale(struct heat *h, uint64_t factor);

/* By cell, then node, none twice. 0, or -ENOMEM. */
int heat_finish(struct heat *h);

/*
 * @processors: by processor what @h has by stack. Its cells become as wide as those of @h, or stay wider. What
 * is not the same sum in each of them is dropped: something was taken out of @h by its stack.
 */
void heat_match(struct heat *processors, struct heat *h);

/* Of one that is finished: ns from the first cell with something to the last one. */
uint64_t heat_reach(const struct heat *h);

void heat_drop(struct heat *h, enum heat_flaw why);
void heat_release(struct heat *h);

static inline bool heat_is_wanted(const struct heat *h)
{
	return h && h->first && h->flaw == HEAT_WHOLE;
}

#endif
