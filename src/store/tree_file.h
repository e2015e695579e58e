#ifndef STORE_TREE_FILE_H
#define STORE_TREE_FILE_H

#include <stdio.h>

#include "store/origin.h"
#include "store/tables.h"
#include "tree/tree.h"
#include "weight/weight.h"

/* What of a profile is not in its tree. */
struct store_facts {
	const char *event, *unit; /* of its weights; NULL: not known, samples */
	const struct store_origin *origin; /* sorted */
	const struct intern *strings; /* of the origin's texts */
	bool plain; /* nothing is packed */
	/* Pieces of the weight's time, sorted, with nodes of the named tree; NULL: there are none. And when the
	 * first one began, seconds since 1970; 0: not known. */
	const struct time_blocks *blocks;
	uint64_t recorded;
	const struct heat *
		heat; /* of the weight, by node of the named tree; NULL: it is not said */
	const struct heat *processors; /* likewise by processor */
};

/* A profile file of a named tree. -EINVAL, with a sentence, for one that has an order of its own;
 * -EIO and the like where @out fails. */
int store_write_tree(struct context *ctx, const struct tree_source *in,
		     const struct store_facts *facts, FILE *out);

/*
 * The tree of an open file, as if it had been saved in a picture: of several events one. @event
 * chooses it by its name; NULL: that with the most samples.
 */
struct store_slice {
	uint32_t node, slice;
	uint64_t weight;
};

struct store_tree {
	struct saved_tree tree;
	struct store_origin origin; /* texts are those of @strings */
	/* Of all events, and what is said of their time. */
	ARRAY(struct store_column) columns;
	ARRAY(struct store_period) periods;
	/* What is in which slice of time, in the order of nodes; none where that is not known of all. */
	bool wants_slices; /* set by the caller */
	ARRAY(struct store_slice) slices;
	unsigned __int128 squares; /* of the weights of all samples */
	uint32_t event, unit; /* string ids; 0: not known, samples */
	uint64_t samples; /* 0: not known */
	uint32_t others; /* events that were not taken */
};

/* -EBADMSG, -EFBIG where the budget has too little left, with a sentence; -EINVAL: there is no such
 * event. @ret is zeroed, and to be released: its tree by saved_tree_release(), and the rest. */
int store_read_tree(struct context *ctx, struct file *file, const char *event,
		    struct intern *strings, struct store_tree *ret);
void store_tree_release(struct store_tree *t); /* but for the tree */

#endif
