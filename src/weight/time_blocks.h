#ifndef WEIGHT_TIME_BLOCKS_H
#define WEIGHT_TIME_BLOCKS_H

#include "base/array.h"
#include "base/budget.h"

/*
 * How much of each stack is in which piece of a recording's time, for who wants to know how far these
 * differ: a cell a stack and piece, so no more than some twenty a stack, however many samples there are.
 *
 *	known     0 . . . . . . . . . . . . . . . . . . 19     of a file, whose times were read before
 *	growing   | | | | |        -> twice as long, again and again, as a pipe's time goes on
 */
enum { TIME_BLOCKS = 20, TIME_BLOCKS_MOST = 32 };

/* A time is in piece (time - origin) / width. */
struct time_grid {
	uint64_t origin, width; /* ns; width 0: there are none */
	bool grows; /* TIME_BLOCKS_MOST lie between the first and the last one that is used */
};

struct block_cell {
	unsigned __int128 squares; /* of the weights of its samples */
	uint64_t weight;
	uint32_t node; /* of the stack: in the trie it was added to */
	uint32_t block;
};

struct time_blocks {
	struct time_grid grid;
	ARRAY(struct block_cell) cells;
	/* Cells of one stack are a list, as they are few: by node the one that was added last, and by cell
	 * the one before it; both + 1, 0: none. */
	ARRAY(uint32_t) newest, older;
	uint32_t first, last; /* blocks, of a grid that grows */
	struct budget *budget;
	struct claim claim;
	size_t allowed; /* cells that the claim is for */
	bool refused; /* the budget has been asked in vain, or inputs differ: they tell nothing */
};

/* From when to when; none where that is nothing. */
struct time_grid time_grid_known(uint64_t first, uint64_t last);
struct time_grid time_grid_growing(void);

/* Of one more sample. 1; 0: there are none, or no memory that is allowed; or -ENOMEM. */
int time_blocks_add(struct time_blocks *b, uint64_t time, uint32_t node, uint64_t weight);

/* What is known to be in a piece of a grid. As time_blocks_add(). */
int time_blocks_add_known(struct time_blocks *b, const struct block_cell *cell);

/* Adds what another one has. @node_map: for each node its id here, NULL: the same. 0, or -ENOMEM. */
int time_blocks_merge(struct time_blocks *b, struct time_blocks *from,
		      const uint32_t *node_map);

/* Nodes have other ids now, some of them one; TIME_BLOCKS_NOWHERE: what is there goes. 0, or -ENOMEM. */
#define TIME_BLOCKS_NOWHERE UINT32_MAX
int time_blocks_remap(struct time_blocks *b, const uint32_t *node_map);
/* When all is in: cells in the order of nodes and blocks, their weights multiplied; no more are added.
 * 0, or -ENOMEM. */
int time_blocks_sort(struct time_blocks *b, uint64_t factor);

/* Cells, with what they are of, to the end of a file of this process, and back from *@at, which is behind
 * them then, to where there are none. 0, -ENOMEM, or what reading or writing says. */
int time_blocks_save(const struct time_blocks *b, int fd);
int time_blocks_load(struct time_blocks *b, int fd, uint64_t *at);

/* All cells go, and what they have claimed. Pieces are as long as they were. */
void time_blocks_clear(struct time_blocks *b);

void time_blocks_release(struct time_blocks *b);

#endif
