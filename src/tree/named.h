#ifndef TREE_NAMED_H
#define TREE_NAMED_H

#include "symbol/symbol.h"
#include "trie/trie.h"

/*
 * The named tree: the trie keyed by function. Nodes are in preorder, node 0 is the
 * root; children are ordered by name, then module, then kind (or, in order, as they
 * came).
 */
struct named_node {
	uint32_t function; /* index in symbols.functions; the root's means nothing */
	uint32_t parent; /* the root's own is 0 */
	uint32_t end; /* one past the last node below it */
};

struct named {
	ARRAY(struct named_node) nodes;
	const struct columns *columns; /* what they are */
	/* By column and node; NULL: it has none. Weight and samples are always there. */
	uint64_t *values[COLUMNS_MOST];
	uint64_t *totals; /* by node: the weight of it and of all below */
	unsigned decimals; /* weights are in units of 10^-decimals; set by the caller */
	bool joined; /* no two children of a node are of one function */
};

static inline uint64_t named_value(const struct named *n, uint32_t node, uint32_t column)
{
	return n->values[column] ? n->values[column][node] : 0;
}

static inline uint64_t named_total(const struct named *n, uint32_t node)
{
	return n->totals[node];
}

/* Does a stack end at the node? */
bool named_has_stack(const struct named *n, uint32_t node);

/* Is something in it of another profile, with which this one is compared? */
bool named_is_difference(const struct named *n);

struct named_options {
	const struct columns *columns; /* of the trie; they outlive the tree */
	const struct intern *strings; /* of the symbols' names */
	const struct frames *frames; /* of the trie; NULL: no column is said of frames */
	bool in_order; /* children stay as they came, and only neighbours are joined */
	/* By node of the trie; where it is 1 so it is for all nodes below, and none of them
	 * has values. NULL: none. */
	const uint8_t *left_out;
	size_t threads; /* 0 is 1 */
};

/* 0, or -ENOMEM. The result does not depend on the number of threads. */
int named_make(struct context *ctx, const struct trie *trie,
	       const struct symbols *symbols, const struct named_options *options,
	       struct named *ret);
void named_release(struct named *n);

#endif
