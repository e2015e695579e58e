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
	uint64_t *self, *samples; /* by node; one piece of memory, which is self's */
	uint64_t *before; /* NULL but for differential input */
	/* Of the value at a node and below it: where its frame was inferred, not recorded. NULL: nowhere. */
	uint64_t *inferred;
	unsigned decimals; /* values are in units of 10^-decimals; set by the caller */
	bool joined; /* no two children of a node are of one function */
};

struct named_options {
	const struct frames *frames; /* of the trie; NULL: none of them is inferred */
	bool in_order; /* children stay as they came, and only neighbours are joined */
	/* By node of the trie; where it is 1 so it is for all nodes below, and none of them
	 * has values. NULL: none. */
	const uint8_t *left_out;
	size_t threads; /* 0 is 1 */
};

/* 0, or -ENOMEM. The result does not depend on the number of threads. */
int named_make(struct context *ctx, const struct trie *trie,
	       const struct symbols *symbols, const struct intern *strings,
	       const struct named_options *options, struct named *ret);
void named_release(struct named *n);

#endif
