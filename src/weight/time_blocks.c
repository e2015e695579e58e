/*
 * Cells of stacks and pieces of time. Sums of integers, squares in 128 bits, so that the number of
 * workers, who meet samples in any order, changes nothing.
 */
#include "weight/time_blocks.h"

#include <errno.h>

#include "base/file.h"

enum {
	SOME = 1024, /* cells, that the budget is asked for at once */
	/* Each with room for another one, and its places in the lists. */
	CELL_MEMORY = 2 * (sizeof(struct block_cell) + 2 * sizeof(uint32_t)),
};
#define WIDTH_LEAST (UINT64_C(1) << 20) /* ns, of a grid that grows: a millisecond */

struct time_grid time_grid_known(uint64_t first, uint64_t last)
{
	return (struct time_grid){
		.origin = first,
		.width = last > first ? (last - first) / TIME_BLOCKS + 1 : 0,
	};
}

struct time_grid time_grid_growing(void)
{
	return (struct time_grid){ .width = WIDTH_LEAST, .grows = true };
}

/* Into the cell of its stack and piece. 1, 0 or -ENOMEM. */
static int add_block_cell(struct time_blocks *b, const struct block_cell *more)
{
	struct block_cell *cell = NULL;
	uint32_t at;

	if (more->node >= b->newest.count) {
		size_t new = more->node + (size_t)1 - b->newest.count;

		if (!array_reserve(&b->newest, new))
			return -ENOMEM;
		memset(b->newest.v + b->newest.count, 0, new * sizeof(*b->newest.v));
		b->newest.count += new;
	}
	/* Samples come mostly in order of time: the one that is sought was added last. */
	for (at = b->newest.v[more->node]; at; at = b->older.v[at - 1])
		if (b->cells.v[at - 1].block == more->block)
			break;
	if (at) {
		cell = &b->cells.v[at - 1];
	} else {
		if (b->cells.count >= b->allowed) {
			if (!claim_add_part(&b->claim, b->budget, BUDGET_STACKS,
					    SOME * CELL_MEMORY))
				return 0;
			b->allowed += SOME;
		}
		if (b->cells.count == UINT32_MAX || !array_reserve(&b->cells, 1) ||
		    !array_reserve(&b->older, 1))
			return -ENOMEM;
		cell = array_add(&b->cells);
		*array_add(&b->older) = b->newest.v[more->node];
		b->newest.v[more->node] = (uint32_t)b->cells.count;
		cell->node = more->node;
		cell->block = more->block;
	}
	cell->weight += more->weight;
	/* Damaged weights may be anything; then there is no telling. */
	if (__builtin_add_overflow(cell->squares, more->squares, &cell->squares))
		cell->squares = ~(unsigned __int128)0;
	return 1;
}

/* Cells anew, in place, with other numbers: those that are one by now are joined. */
static int place_again(struct time_blocks *b)
{
	size_t count = b->cells.count;
	int added = 1;

	b->newest.count = b->older.count = b->cells.count = 0;
	for (size_t i = 0; i < count && added > 0; i++) {
		struct block_cell cell = b->cells.v[i];

		if (cell.node != TIME_BLOCKS_NOWHERE)
			added = add_block_cell(b, &cell);
	}
	return added < 0 ? -ENOMEM : 0;
}

/* The number of a piece where they are twice as long so many times. */
static uint32_t wider_block(uint32_t block, unsigned times)
{
	return times < 32 ? block >> times : 0;
}

/* Pieces are twice as long, as often as it takes. */
static int widen_grid(struct time_blocks *b, unsigned times)
{
	b->grid.width <<= times;
	b->first = wider_block(b->first, times);
	b->last = wider_block(b->last, times);
	for (size_t i = 0; i < b->cells.count; i++)
		b->cells.v[i].block = wider_block(b->cells.v[i].block, times);
	return times ? place_again(b) : 0;
}

int time_blocks_add(struct time_blocks *b, uint64_t time, uint32_t node, uint64_t weight)
{
	struct block_cell cell = { .squares = (unsigned __int128)weight * weight,
				   .weight = weight,
				   .node = node };
	uint64_t block, first, last;
	unsigned times = 0;
	int err = 0, added;

	if (!b->grid.width || b->refused)
		return 0;
	block = time > b->grid.origin ? (time - b->grid.origin) / b->grid.width : 0;
	if (!b->grid.grows) {
		cell.block = block < TIME_BLOCKS ? (uint32_t)block : TIME_BLOCKS - 1;
	} else {
		first = b->cells.count && b->first < block ? b->first : block;
		last = b->cells.count && b->last > block ? b->last : block;
		while ((last >> times) - (first >> times) >= TIME_BLOCKS_MOST ||
		       last >> times > UINT32_MAX)
			times++;
		err = widen_grid(b, times);
		cell.block = (uint32_t)(block >> times);
		b->first = (uint32_t)(first >> times);
		b->last = (uint32_t)(last >> times);
	}
	if (err < 0)
		return err;
	added = add_block_cell(b, &cell);
	b->refused = added == 0;
	return added;
}

int time_blocks_add_known(struct time_blocks *b, const struct block_cell *cell)
{
	int added = b->refused ? 0 : add_block_cell(b, cell);

	b->refused |= added == 0;
	return added;
}

int time_blocks_merge(struct time_blocks *b, struct time_blocks *from,
		      const uint32_t *node_map)
{
	struct time_blocks mine = *b;
	unsigned times[2] = { 0 };
	int added = 1;

	if (!b->grid.width && !b->refused) {
		/* Most often: nothing is copied. */
		*b = *from;
		*from = mine;
		return node_map ? time_blocks_remap(b, node_map) : 0;
	}
	if (!from->grid.width)
		return 0;
	b->refused |= from->refused || from->grid.grows != b->grid.grows ||
		      from->grid.origin != b->grid.origin ||
		      (!b->grid.grows && from->grid.width != b->grid.width);
	if (b->refused)
		return 0;
	claim_join(&b->claim, &from->claim);
	b->allowed += from->allowed;
	from->allowed = 0;
	if (from->cells.count && b->cells.count) {
		uint64_t width = b->grid.width > from->grid.width ? b->grid.width
								  : from->grid.width;
		uint64_t first, last, others;

		for (times[0] = 0; b->grid.width << times[0] < width;)
			times[0]++;
		for (times[1] = 0; from->grid.width << times[1] < width;)
			times[1]++;
		first = wider_block(b->first, times[0]);
		others = wider_block(from->first, times[1]);
		first = others < first ? others : first;
		last = wider_block(b->last, times[0]);
		others = wider_block(from->last, times[1]);
		last = others > last ? others : last;
		for (; b->grid.grows && last - first >= TIME_BLOCKS_MOST;
		     first >>= 1, last >>= 1) {
			times[0]++;
			times[1]++;
		}
		if (widen_grid(b, times[0]) < 0)
			return -ENOMEM;
		b->first = (uint32_t)first;
		b->last = (uint32_t)last;
	} else if (from->cells.count) {
		b->grid = from->grid;
		b->first = from->first;
		b->last = from->last;
	}
	for (size_t i = 0; i < from->cells.count && added > 0; i++) {
		struct block_cell cell = from->cells.v[i];

		cell.block = wider_block(cell.block, times[1]);
		cell.node = node_map ? node_map[cell.node] : cell.node;
		added = add_block_cell(b, &cell);
	}
	b->refused = added == 0;
	return added < 0 ? added : 0;
}

int time_blocks_remap(struct time_blocks *b, const uint32_t *node_map)
{
	for (size_t i = 0; i < b->cells.count; i++)
		b->cells.v[i].node = node_map[b->cells.v[i].node];
	return place_again(b);
}

/* Cells of a node are together as a list already: in their order they need room just once. */
int time_blocks_sort(struct time_blocks *b, uint64_t factor)
{
	size_t count = b->cells.count, start = 0;
	struct block_cell *sorted = count ? malloc(count * sizeof(*sorted)) : NULL;

	if (count && !sorted)
		return -ENOMEM;
	for (size_t node = 0; node < b->newest.count; node++) {
		size_t end = start, first;

		for (uint32_t at = b->newest.v[node]; at; at = b->older.v[at - 1])
			end++;
		first = end;
		/* From the back, as those that were added last are mostly the latest. */
		for (uint32_t at = b->newest.v[node]; at; at = b->older.v[at - 1]) {
			struct block_cell cell = b->cells.v[at - 1];
			size_t k = first--;

			for (; k < end && sorted[k].block < cell.block; k++)
				sorted[k - 1] = sorted[k];
			cell.weight *= factor;
			cell.squares *= (unsigned __int128)factor * factor;
			sorted[k - 1] = cell;
		}
		start = end;
	}
	free(b->cells.v);
	b->cells.v = sorted;
	b->cells.room = count;
	/* Lists are of no use any more. */
	array_release(&b->newest);
	array_release(&b->older);
	return 0;
}

int time_blocks_save(const struct time_blocks *b, int fd)
{
	return file_write(fd, &b->cells.count, sizeof(b->cells.count)) &&
			       file_write(fd, b->cells.v,
					  b->cells.count * sizeof(*b->cells.v))
		       ? 0
		       : -errno;
}

int time_blocks_load(struct time_blocks *b, int fd, uint64_t *at)
{
	size_t count;
	bool whole = file_read_next(fd, &count, sizeof(count), at);

	if (whole &&
	    (!array_reserve(&b->cells, count) || !array_reserve(&b->older, count)))
		return -ENOMEM;
	whole = whole && file_read_next(fd, b->cells.v, count * sizeof(*b->cells.v), at);
	if (!whole)
		return errno ? -errno : -EIO;
	b->cells.count = count;
	/* There was room for them when they were added. */
	b->allowed = count;
	return place_again(b);
}

void time_blocks_clear(struct time_blocks *b)
{
	array_release(&b->cells);
	array_release(&b->newest);
	array_release(&b->older);
	claim_release(&b->claim);
	b->allowed = 0;
}

void time_blocks_release(struct time_blocks *b)
{
	time_blocks_clear(b);
	*b = (struct time_blocks){ 0 };
}
