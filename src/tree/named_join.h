#ifndef TREE_NAMED_JOIN_H
#define TREE_NAMED_JOIN_H

#include "tree/named.h"

enum {
	RANK_DROPPED = -1, /* a function that is left out */
	RANK_RUN = -2, /* not one function: others were inlined there */
	ELSEWHERE = -1, /* a node of another branch */
};

/* What is joined. */
struct join_input {
	const struct trie *trie;
	const struct symbols *symbols;
	const uint8_t *left_out; /* by node of the trie; NULL: none */
	const uint32_t
		*rank; /* of functions in the order of their names, or RANK_DROPPED */
	const uint32_t *of_frame; /* by frame: the rank of its function, or RANK_RUN */
	size_t most; /* nodes of the tree: what is not known yet is how many become one */
	bool in_order; /* only neighbours become one, and children stay as they came */
};

/* A node of the tree to be. A parent's id is below its children's. */
struct joined {
	uint32_t parent;
	uint32_t rank; /* of its function; once it is placed: its id in preorder */
	uint32_t child; /* the one added last, or asked for; 0: none */
	uint32_t sibling; /* the next one of the same parent */
};

/*
 * Nodes that many are below: few, and in all branches. What is below them is one branch's
 * each:
 *
 *	trunk     0 -- 1 -- 2		in the trunk of two branches: 0 main, 1 run, 2 loop
 *	branch 0  |    |    3 -- 4	below loop: read
 *	branch 1  3    4 -- 5		below main: exit; below run: start
 */
struct named_trunk {
	struct joined *nodes; /* .parent and .rank of them; 0 is the root */
	uint32_t count;
};

/* What one thread joins. */
struct branch {
	const struct join_input *input;
	const struct named_trunk *trunk;
	uint32_t part, parts;
	uint32_t *node; /* by trie node: its joined node, or ELSEWHERE */
	struct joined *nodes; /* the trunk's first */
	uint32_t count, own; /* all of them; the first that is not the trunk's */
	struct hash_map wide; /* children of nodes with many, by parent and rank */
	bool failed; /* no memory */
};

/* Nodes of the trie become nodes of that part. 0, or -ENOMEM; branch_release() is due in
 * any case. */
int branch_join(struct branch *b, const struct join_input *input,
		const struct named_trunk *trunk, uint32_t part, uint32_t parts);
void branch_release(struct branch *b);

/* For so many parts: 1 makes it the root alone. 0, or -ENOMEM. */
int trunk_find(struct named_trunk *t, const struct join_input *input, uint32_t parts);
void trunk_release(struct named_trunk *t);

#endif
