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
};

struct node_columns; /* of a block */
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
	/* Of the block at hand. */
	uint32_t count;
	uint64_t *values; /* by column and node */
	struct bytes step, low, high, column;
};

/* 0, or -ENOMEM. */
int store_node_writer_init(struct store_node_writer *w, struct store_sink *sink,
			   uint32_t frames, uint32_t columns);
void store_node_writer_release(struct store_node_writer *w);

/* In preorder, siblings in their order; the root first. Failures are asked for at the end. */
void store_node_add(struct store_node_writer *w, const struct store_node *node);
/* The last block, and how many there were. 0, or why the sink has failed. */
int store_node_end(struct store_node_writer *w);

struct store_node_reader {
	struct store_source *source;
	struct store_unpacker *unpacker;
	uint32_t frames, columns;
	uint32_t *follow;
	struct {
		uint32_t *v;
		size_t count, room;
	} path;
	uint64_t nodes;
	const uint64_t *totals; /* by column: what the sums are to be */
	uint64_t *sums, *values;
	/* Of the block at hand. */
	struct store_section_bytes section;
	uint32_t left;
	struct cursor step, low, high;
	struct store_node_column {
		struct cursor values;
		uint64_t unit;
		uint32_t column;
	} * with_values;
	uint32_t valued; /* how many columns are not all zeros */
	bool has_value; /* the last node */
	struct store_node node; /* the last one */
};

/* Behind the tables, whose map it is, as long as nodes are read. 0, or -ENOMEM. */
struct store_map;
int store_node_reader_init(struct store_node_reader *r, struct store_source *source,
			   struct store_unpacker *u, const struct store_map *map);
void store_node_reader_release(struct store_node_reader *r);

/* 1 and .node, 0 at the end, where all sums are right, or a negative errno with a sentence. */
int store_node_next(struct context *ctx, struct store_node_reader *r);

#endif
