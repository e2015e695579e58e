#ifndef TRIE_TRIE_H
#define TRIE_TRIE_H

#include "base/array.h"
#include "base/budget.h"
#include "trie/column.h"

/*
 * Stacks as one trie. A node id is a stack id; node 0 is the empty stack.
 *
 *	main;a;b 3        0 ---main--- 1 ---a--- 2 ---b--- 3 (3)
 *	main;a   1                     |        (1)
 *	main;c   5                     +---c--- 4 (5)
 *
 * A node is its parent and its frame; children are found by hashing the frames on the way
 * to them. A parent's id is below its children's. Most nodes are no sample's leaf: those
 * that are have their self values beside the nodes.
 *
 *	12 bytes a node + 4 bytes x 1.5 to 3 slots = 18 to 24 bytes; for a leaf 8 more,
 *	and 8 for each column that was ever charged
 */
struct trie_node {
	uint32_t parent, frame;
	uint32_t self; /* row of its self values; 0: never charged */
};

/*
 * Self values: a row for each node that was charged, a value in it for each column that ever was. A
 * column that is charged for the first time makes all rows wider: that happens once each, mostly
 * before there are many.
 *
 *	row    node   weight   samples   followed
 *	0      0      0        0         0
 *	1      17     250      1         0
 *	2      4      500      2         500
 */
struct trie_rows {
	uint64_t *v;
	size_t count, room; /* rows; the first is nobody's: 0 in every column */
	uint32_t width; /* of a row: its node and its values */
	uint8_t at[COLUMNS_MOST]; /* by column: where in a row; 0: never charged */
};

struct trie {
	struct trie_node *nodes;
	uint32_t count, room;
	uint32_t allowed; /* nodes that the budget has given memory for */
	struct budget *budget; /* NULL: no limit */
	struct claim claim;
	struct trie_rows rows;
	uint32_t indexed; /* nodes with ids below have their slots */
	uint32_t *slots; /* node ids, 0: empty */
	size_t mask; /* slots - 1 */
	struct trie_recent *recent;
	/* The way to the stack that was added last: the next one often begins alike. */
	struct trie_step {
		uint32_t frame, node;
		uint64_t hash; /* of all frames up to here */
	} * last_path;
	size_t steps, last_path_room;
};

/* -ENOMEM leaves nothing to release. */
int trie_init(struct trie *t);
void trie_release(struct trie *t);

/* To a file of this process, at its end, and back from *@at, which is behind it then: all stacks and
 * values, with their numbers. @t is what trie_init() makes; on failure it is to be released. 0, -ENOMEM,
 * or what reading or writing says. */
int trie_save(const struct trie *t, int fd);
int trie_load(struct trie *t, int fd, uint64_t *at);

/* Gives back what only those who add stacks need: the next one who does waits until it is
 * made again. */
void trie_drop_index(struct trie *t);

/* From now on nodes ask @budget for what they take until all of the output is written. */
enum {
	TRIE_NODE_MEMORY = 128,
	TRIE_COLUMN_MEMORY = 24, /* more, for each column beyond those with roles */
};
void trie_limit(struct trie *t, struct budget *budget);

/* One node more can be added, whatever is left. */
void trie_allow_one(struct trie *t);

/* The node of a stack, root first. 0; 1 where the budget has nothing left for all of it: *@ret is the
 * node of as many frames as have one; or -ENOMEM. */
int trie_add(struct trie *t, const uint32_t *frames, size_t count, uint32_t *ret);

/*
 * The same in the order of input: joined with the stack of @last only as far as the
 * two are equal; nothing is looked up. @last is the result of the call before, or 0.
 */
int trie_append(struct trie *t, const uint32_t *frames, size_t count, uint32_t last,
		uint32_t *ret);

/* Only of a trie that was appended to: a node's first child follows it. */
static inline bool trie_has_child(const struct trie *t, uint32_t node)
{
	return node + 1 < t->count && t->nodes[node + 1].parent == node;
}

/* Adds to a node's own values; 0 is a value, too. 0, or -ENOMEM (the first time a node or a
 * column is charged). */
int trie_charge(struct trie *t, uint32_t node, uint32_t column, uint64_t value);

/* Was it ever? */
static inline bool trie_is_charged(const struct trie *t, uint32_t column)
{
	return t->rows.at[column] != 0;
}

/* Rows are those from 1 to rows.count - 1. */
static inline uint32_t trie_row_node(const struct trie *t, size_t row)
{
	return (uint32_t)t->rows.v[row * t->rows.width];
}

/* Of a column that was charged. */
static inline uint64_t *trie_value(const struct trie *t, size_t row, uint32_t column)
{
	return &t->rows.v[row * t->rows.width + t->rows.at[column]];
}

static inline uint64_t trie_row_self(const struct trie *t, size_t row, uint32_t column)
{
	return trie_is_charged(t, column) ? *trie_value(t, row, column) : 0;
}

static inline uint64_t trie_self(const struct trie *t, uint32_t node, uint32_t column)
{
	return trie_row_self(t, t->nodes[node].self, column);
}

/* What a node has, which it has no more. */
uint64_t trie_take(struct trie *t, uint32_t node, uint32_t column);

/* Makes all values of a column so many times as large. */
void trie_scale(struct trie *t, uint32_t column, uint64_t factor);

/* No stack was added, and nothing charged. */
static inline bool trie_is_empty(const struct trie *t)
{
	return t->count == 1 && t->nodes[0].self == 0;
}

/* Adds all stacks of @from, whose frame f is @frame_map[f] here: no two are the same.
 * *@node_map: for each node of @from its id here, to be freed by the caller; @node_map may
 * be NULL. */
int trie_merge(struct trie *t, const struct trie *from, const uint32_t *frame_map,
	       uint32_t **node_map);
/* The same where frames may become one, and nodes with them. */
int trie_merge_collapsing(struct trie *t, const struct trie *from,
			  const uint32_t *frame_map, uint32_t **node_map);

/* Recently found stacks, by a key that stands for the whole stack, with a note of the
 * caller's. */
struct trie_memory {
	uint64_t high; /* half of the key; the other half says where it is kept */
	uint32_t node;
	uint32_t note;
};
/* NULL where it is not remembered. */
const struct trie_memory *trie_recall(const struct trie *t, uint64_t low, uint64_t high);
void trie_remember(struct trie *t, uint64_t low, const struct trie_memory *memory);

#endif
