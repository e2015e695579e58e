/*
 * Cells of stacks and pieces of time. Sums of integers, squares in 128 bits, so that the number of
 * workers, who meet samples in any order, changes nothing.
 */
#include "weight/time_blocks.h"

#include <errno.h>

enum {
	SOME = 1024, /* cells, that the budget is asked for at once */
	/* Each with room for another one, and its place under its key. */
	CELL_MEMORY = 2 * (sizeof(struct block_cell) + sizeof(struct hash_entry)),
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
	uint64_t place = (uint64_t)more->node << 32 | more->block;
	const uint32_t *known = hash_map_get(&b->by_place, place);
	struct block_cell *cell;

	if (known) {
		cell = &b->cells.v[*known];
	} else {
		if (b->cells.count >= b->allowed) {
			if (!claim_add_part(&b->claim, b->budget, BUDGET_STACKS,
					    SOME * CELL_MEMORY))
				return 0;
			b->allowed += SOME;
		}
		cell = array_add(&b->cells);
		if (!cell ||
		    !hash_map_set(&b->by_place, place, (uint32_t)b->cells.count - 1))
			return -ENOMEM;
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

	hash_map_release(&b->by_place);
	b->cells.count = 0;
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

static int cells_by_place(const void *left, const void *right)
{
	const struct block_cell *a = left, *b = right;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return a->block < b->block ? -1 : a->block > b->block;
}

void time_blocks_sort(struct time_blocks *b, uint64_t factor)
{
	for (size_t i = 0; i < b->cells.count; i++) {
		b->cells.v[i].weight *= factor;
		b->cells.v[i].squares *= (unsigned __int128)factor * factor;
	}
	/* Places are of no use any more. */
	hash_map_release(&b->by_place);
	if (b->cells.count)
		qsort(b->cells.v, b->cells.count, sizeof(*b->cells.v), cells_by_place);
}

void time_blocks_release(struct time_blocks *b)
{
	array_release(&b->cells);
	hash_map_release(&b->by_place);
	claim_release(&b->claim);
	*b = (struct time_blocks){ 0 };
}
