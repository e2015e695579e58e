#ifndef TRIE_COLUMN_H
#define TRIE_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What is counted of stacks, as data. Trie, named tree, views and the codec go by what a column's
 * description says, never by which column it is. A column's number is its index in a profile's list,
 * which begins with those that somebody asks for by their role:
 */
enum column_role {
	COLUMN_WEIGHT,
	COLUMN_SAMPLES,
	COLUMN_BEFORE, /* the weight in the other profile of a difference */
	COLUMN_FOLLOWED, /* of stacks whose user part the kernel followed by frame pointers */
	COLUMN_LINES, /* samples of inputs that are stacks, and say nothing of samples */
	COLUMN_INFERRED, /* where a frame was inferred, not recorded */
	COLUMN_ROLES,
};

enum column_side { SIDE_THIS, SIDE_BEFORE };

/* How values of stacks become those of a tree. */
enum column_sum {
	/* A stack's own: a node's total is its own value and the totals below it. */
	SUM_BELOW,
	/* Said of a frame: of the weight at the node and below, where it holds. Few nodes have any. */
	SUM_HERE,
	/* For those who judge stacks, or take some away: it is in no tree. */
	SUM_NOWHERE,
};

struct column {
	const char *name;
	const char *unit; /* NULL: the weight's, with its decimals */
	enum column_side side;
	unsigned
		decimals; /* values are in units of 10^-decimals; only with a unit of its own */
	enum column_sum sum;
	/* A stack is there where it has a value in this one alone. */
	bool makes_stacks;
	/* Of enum frame_flag: where a frame has it, all of the weight there and below counts. 0: none. */
	uint32_t frame_flag;
};

/* Is it the weight in the other profile of a difference? */
static inline bool column_weighs_before(const struct column *c)
{
	return c->side == SIDE_BEFORE && c->sum == SUM_BELOW && !c->unit;
}

enum {
	COLUMNS_FURTHER = 59, /* without a role: a picture has numbers for so many */
	COLUMNS_MOST = COLUMN_ROLES + COLUMNS_FURTHER,
};

/*
 * What one column has for each one of another, at a node and below: frames are coloured by it.
 *
 *	CPI			cycles / instructions
 *	parallelism		processor time / time
 *	on-CPU, a share		time on a processor / time
 */
struct column_ratio {
	const char *name; /* NULL: there is none */
	uint32_t of, by; /* columns */
	unsigned
		least; /* samples: what fewer of them say is chance; 0: each value is exact */
	bool is_share; /* what it is of is a part of what it is by */
};

struct columns {
	struct column v[COLUMNS_MOST];
	uint32_t count;
	struct column_ratio ratio; /* texts are the caller's, too */
};

/* Those with roles alone. */
void columns_init(struct columns *c);

/* Texts are the caller's, as long as the list is used. 0, or -ENOSPC. */
int columns_add(struct columns *c, const struct column *column, uint32_t *ret);

/* By its name; NULL: there is none. */
const struct column *columns_find(const struct columns *c, const char *name);

#endif
