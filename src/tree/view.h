#ifndef TREE_VIEW_H
#define TREE_VIEW_H

#include "tree/label.h"
#include "tree/named.h"

struct chart; /* of chart/ */

/* What is written, and how it is spelled. */
struct tree_source {
	const struct named *tree;
	const struct symbols *symbols;
	const struct intern *strings;
	const struct images
		*images; /* of functions that are kept by their address; NULL: none */
	bool mark_kernel, mark_jit; /* _[k], _[j] */
	bool inlined_unmarked; /* no _[i]: whoever writes tells them apart by their kind */
	bool in_order; /* siblings stay as they came: a flame chart */
	const struct chart
		*chart; /* what is written in place of the graph; NULL: nothing */
	unsigned threads; /* 0: one */
};

/*
 * A writer's own tree: the named tree keyed by what is printed, or by function. Node 0 is
 * the root; a parent's index is below its children's.
 */
struct view_node {
	uint32_t label; /* the root's is the empty one */
	uint32_t function; /* in in->symbols; where several share a label, the first */
	uint32_t parent; /* the root's own is 0 */
	uint32_t first, next; /* child, sibling; 0: none */
	uint32_t source; /* in a view of lines: the first one of its own */
	uint64_t self, total;
};

/* What a node is to be seen as. */
struct view_weight {
	uint64_t self, total;
};

/* A column but the weight, which is in the nodes. */
struct view_column {
	ARRAY(uint64_t) of; /* by node; empty: the view has it not */
};

/* Something of the named tree in a view of lines: the stacks that end at a node, or all that is
 * below it. */
struct view_source {
	uint32_t rank, node;
};

/* The end of the nodes at a depth, and of their sources. */
struct view_level {
	uint32_t nodes, sources;
};

/* What is open of a view of lines: see view_begin_lines(). */
struct view_lines {
	const struct tree_source *in;
	uint32_t *labels; /* by function */
	bool gaps; /* some of them are VIEW_GAP */
	ARRAY(struct view_source) sources; /* of what is below nodes, node by node */
	ARRAY(struct view_level) levels; /* by depth */
};

struct view {
	struct labels labels;
	ARRAY(struct view_node) nodes;
	const struct columns *columns; /* what they are */
	struct view_column values[COLUMNS_MOST]; /* by column */
	uint32_t other[COLUMNS_MOST], others; /* but the weight: those that make stacks */
	unsigned decimals; /* of weights */
	ARRAY(struct view_weight)
	given; /* in place of the nodes' own; empty: these count */
	bool borrows; /* all but the weights that were given is another view's */
	struct view_lines lines;
};

/* The label of a node that is not drawn: its value is its parent's own. */
#define VIEW_GAP UINT32_MAX

enum view_flag {
	VIEW_REVERSED = 1, /* every stack is turned round before stacks are merged */
	VIEW_CHAIN = 2, /* frames behind a ";--;" are wakers': _[w]. Others end in "--" */
	VIEW_BY_FUNCTION = 4, /* functions of one label stay apart */
	/* All columns; else those that make stacks, and, but with VIEW_REVERSED and VIEW_CHAIN, those
	 * that are said of frames. */
	VIEW_COLUMNS = 8,
};

/*
 * Siblings are in the order in which flamegraph.pl meets them: of the stacks sorted
 * bytewise. With in->in_order as they came, equal neighbours merged.
 */
int view_make(struct context *ctx, const struct tree_source *in, unsigned flags,
	      struct view *ret);
void view_release(struct view *v);

/* By node of @in's tree its node in a view by function of it, which need not have all of them: that of the
 * nearest one above it that is there. 0, or -ENOMEM. */
int view_places(const struct tree_source *in, uint32_t **ret);

/* The same, which may be given other weights. All else is @from's, which outlives it. */
struct view view_borrow(const struct view *from);

/* What is printed behind names of a kind, enum function_kind: "_[k]", or "". */
const char *view_mark(const struct tree_source *in, uint8_t kind);

static inline bool view_has(const struct view *v, uint32_t column)
{
	return column == COLUMN_WEIGHT || v->values[column].of.count > 0;
}

/* A node's own weight, and with all that is below it. */
static inline uint64_t view_self(const struct view *v, uint32_t node)
{
	return v->given.count ? v->given.v[node].self : v->nodes.v[node].self;
}

static inline uint64_t view_total(const struct view *v, uint32_t node)
{
	return v->given.count ? v->given.v[node].total : v->nodes.v[node].total;
}

static inline uint64_t view_value(const struct view *v, uint32_t node, uint32_t column)
{
	if (column == COLUMN_WEIGHT)
		return view_self(v, node);
	return view_has(v, column) ? v->values[column].of.v[node] : 0;
}

/* Does a stack end at the node? */
static inline bool view_has_stack(const struct view *v, uint32_t node)
{
	bool has = view_self(v, node) > 0;

	for (uint32_t i = 0; !has && i < v->others; i++)
		has = view_value(v, node, v->other[i]) > 0;
	return has;
}

/* The column that counts the weight of the other profile of a difference, or COLUMNS_MOST. */
uint32_t view_weight_before(const struct view *v);

/*
 * From node to node in preorder. A node's own value lies to the left of its children:
 *
 *	| c |   d   |
 *	|     b         |   e   |
 *	  ^ own value of b
 */
struct view_walk {
	uint32_t node, depth; /* a zeroed walk is at the root */
	uint64_t start; /* what lies to the left of the node */
};

enum view_step { VIEW_INTO, VIEW_OVER /* nothing below the node */ };

/* False at the end. */
bool view_next(const struct view *v, struct view_walk *w, enum view_step step);

/*
 * A view for one walk, which comes to stacks as lines of text are sorted, bytewise. To this
 * end a node may be two, the second one without an own value. Of columns there are those
 * that make stacks.
 *
 * The view is its root, and grows as the walk goes: view_open() makes the children of the
 * node where it is, and drops what it has left. @in outlives the view.
 */
int view_begin_lines(struct context *ctx, const struct tree_source *in, struct view *ret);
/* 0, or -ENOMEM. */
int view_open(struct view *v, const struct view_walk *w);

#endif
