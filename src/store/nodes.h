#ifndef STORE_NODES_H
#define STORE_NODES_H

#include "store/sink.h"
#include "store/source.h"

/*
 * The nodes of a profile file, in preorder, each with its depth, its frame and a value for each
 * column; the root, depth 0 and frame 0, is the first one. Siblings are in the order of their
 * frames' numbers. A node is told by what is new:
 *
 *	step    0      a child of the one before, of the frame that came here the last time
 *	        1      a child of the one before
 *	        n + 1  a child of the n'th one above: the next sibling of one on the way
 *	frame   of step 1: its number; of a sibling: how many it skips
 *
 * "Here" is: as the first child of a node of the same frame. A program mostly goes on as it did.
 */
struct store_node {
	uint32_t depth, frame;
	const uint64_t *values; /* by column; borrowed */
	/* Of each column that has slices of time: the bits of those that it has something in, and
	 * STORE_SLICES values. NULL where no column has any. */
	const uint32_t *sliced;
	const uint64_t *slices;
};

/* Those of a column that has slices, of the section at hand. */
struct node_slices {
	uint32_t column;
	struct bytes sliced;
	ARRAY(uint64_t) values;
};

struct store_node_writer {
	struct store_sink *sink;
	uint32_t columns;
	uint32_t *follow; /* by frame: the first child that one of its nodes had last */
	struct {
		uint32_t *v;
		size_t count, room;
	} path; /* by depth: the frame of the node that came last there */
	uint32_t depth; /* of the node before */
	uint64_t nodes;
	/* Of the section at hand. */
	uint32_t count;
	uint64_t *values; /* by column and node */
	struct bytes step, low, high, column; /* with room for all that a section has */
	struct node_slices *slices;
	uint32_t sliced; /* columns with slices */
	const struct bytes *heat; /* a section of its own before the end; NULL: none */
};

/* Of sorted tables. 0, or -ENOMEM. */
struct store_tables;
int store_node_writer_init(struct store_node_writer *w, struct store_sink *sink,
			   const struct store_tables *tables);
void store_node_writer_release(struct store_node_writer *w);

/* In preorder, siblings in their order; the root first. Failures are asked for at the end. */
void store_node_add(struct store_node_writer *w, const struct store_node *node);
/* The last block, and how many there were. 0, or why the sink has failed. */
int store_node_end(struct store_node_writer *w);

/*
 * Nodes are read some at a time, so that a loop has one thing to do: steps and frames, then the values of
 * one column after the other.
 */
struct store_node_reader {
	struct store_source *source;
	struct store_unpacker *unpacker;
	uint32_t frame_count, columns;
	/* By frame of the file: the first child that one of its nodes had last; and what it is called
	 * by whoever reads; NULL: as in the file. Each is small, so that those of many files stay in
	 * the cache. */
	uint32_t *first, *to;
	struct {
		uint32_t *v;
		size_t count, room;
	} path;
	uint32_t depth; /* of the last node that was unpacked */
	uint64_t nodes; /* so many were */
	const uint64_t *totals; /* by column: what the sums are to be */
	uint64_t *sums;
	/* Of the section at hand. */
	struct store_section_bytes section;
	uint32_t left;
	struct cursor step, low, high;
	struct store_node_column {
		struct cursor values;
		uint64_t unit;
		uint32_t column;
	} * with_values;
	uint32_t valued; /* how many columns are not all zeros */
	struct reader_slices {
		struct cursor sliced, values;
		uint64_t unit;
		uint32_t column;
	} * with_slices; /* by column with slices */
	uint32_t sliced_columns;
	/* Of those that are unpacked, of which @at is the one at hand. */
	uint32_t at, count, room;
	uint64_t *keys; /* see store_node_key() */
	uint64_t *values; /* by node and column */
	uint8_t *has_value; /* by node: one at least is not 0 */
	/* Slices of the one at hand, by column with slices. */
	uint32_t *sliced;
	uint64_t *slices;
	struct store_node node; /* the one at hand, after store_node_next() */
	/* What the section of heat has, when all nodes are read, for who wants it. */
	bool wants_heat, has_heat;
	struct bytes heat;
};

/* Of nodes that have not been passed yet, whatever file they are of, that with the least key comes first:
 * a deeper one, and of one depth that with the least frame. */
static inline uint64_t store_node_key(uint32_t depth, uint32_t frame)
{
	return (uint64_t)(UINT32_MAX - depth) << 32 | frame;
}

/* Behind the tables, whose map it is: its totals are needed as long as nodes are read. Frames go by the
 * numbers that the map has for them; NULL: by those of the file. @some: how many nodes are
 * unpacked at once, if they have few columns. 0, or -ENOMEM. */
struct store_map;
int store_node_reader_init(struct store_node_reader *r, struct store_source *source,
			   struct store_unpacker *u, const struct store_map *map,
			   uint32_t some);
void store_node_reader_release(struct store_node_reader *r);

/* Unpacks some, of which the first one is at hand: 1, 0 at the end, where all sums are right, or a
 * negative errno with a sentence. */
int store_node_fill(struct context *ctx, struct store_node_reader *r);
/* The slices of the node at hand, once and in turn: 1, or a negative errno. */
int store_node_slices(struct context *ctx, struct store_node_reader *r);

/* The next one: 1 and .node, or as store_node_fill(). */
int store_node_next(struct context *ctx, struct store_node_reader *r);

#endif
