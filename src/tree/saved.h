#ifndef TREE_SAVED_H
#define TREE_SAVED_H

#include "base/budget.h"
#include "base/intern.h"
#include "stack/stack.h"
#include "trie/trie.h"
#include "weight/weight.h"

/*
 * A tree that was saved: columns by number, and what their values mean, as
 * Documentation/svg-format.md says.
 */
enum saved_column {
	SAVED_COUNTS = 1,
	SAVED_NAME_START,
	SAVED_NAME_REST,
	SAVED_MODULE,
	SAVED_FUNCTION_NAME,
	SAVED_FUNCTION_MODULE,
	SAVED_FUNCTION_KIND,
	SAVED_FUNCTION_LEVEL,
	SAVED_FUNCTION_CLASS,
	SAVED_FUNCTION_COLOUR,
	SAVED_RUN,
	SAVED_UP,
	SAVED_KNOWN,
	SAVED_CALLEE,
	SAVED_NEW_LOW,
	SAVED_NEW_HIGH,
	SAVED_FILE,
	SAVED_FUNCTION_FILE,
	SAVED_FUNCTION_LINE,
	SAVED_SELF = 32, /* of leaves; of inner nodes: one more */
	SAVED_SAMPLES = 34,
	SAVED_BEFORE = 36,
	SAVED_REPORT = 38, /* of the recording: bytes that input does not look into */
	SAVED_INFERRED = 39, /* numbers of nodes and values */
	SAVED_CALLEES_OF = 40, /* and the length of a list, 2 to SAVED_SHORT_LIST */
	SAVED_DESCRIBED = 49, /* what further columns are */
	SAVED_MEASURES = 50, /* of a difference: input passes over it */
	SAVED_OWN_MEASURES = 51, /* of own values, likewise */
	SAVED_HEAT = 52, /* and the next ones: when it was */
	SAVED_HEAT_CELLS,
	SAVED_HEAT_PAIRS,
	SAVED_HEAT_CODES = SAVED_HEAT + 4, /* 55 had parameters of the codes before */
	SAVED_HEAT_SAMPLES,
	SAVED_HEAT_WEIGHTS,
	SAVED_HEAT_PHASES,
	SAVED_FURTHER =
		64, /* values of the first of these: of leaves; one more: of inner nodes */
	/* Of a chart; input passes over all of it. What a first picture needs is before the runs: a
	 * browser draws it while it unpacks these. */
	SAVED_CHART = SAVED_FURTHER + 2 * COLUMNS_FURTHER, /* 182: threads */
	SAVED_CHART_MARKS, /* where blocks of runs begin */
	SAVED_CHART_LEVELS, /* of spans that are joined, and how many these are */
	SAVED_CHART_TIMES, /* of them, and so are the next two */
	SAVED_CHART_LONGEST,
	SAVED_CHART_COUNTS,
	SAVED_CHART_GAP, /* of runs, and so are the others */
	SAVED_CHART_LENGTH,
	SAVED_CHART_NODE,
	SAVED_CHART_WHAT,
	/* By processor what SAVED_HEAT and the next ones have by node, which begins one behind this. */
	SAVED_PROCESSORS = 194,
	SAVED_COLUMNS = SAVED_PROCESSORS + 1 + SAVED_HEAT_PHASES - SAVED_HEAT,
};

/* Columns of heat that are said of nodes, and likewise of processors. */
enum { SAVED_HEAT_PARTS = SAVED_HEAT_PHASES - SAVED_HEAT };

/* Indexes into lists that are no longer lie in columns of their own, several in a byte. */
enum { SAVED_SHORT_LIST = 8 };

/* What a picture says of times has another form before this one, which nothing reads any more. */
enum { SAVED_TIMES_FORMAT = 3 };

/* Those that a column's values are in: a SUM_HERE column has the first of them alone. */
static inline enum saved_column saved_column_of(uint32_t column)
{
	static const uint8_t roles[COLUMN_ROLES] = {
		[COLUMN_WEIGHT] = SAVED_SELF,
		[COLUMN_SAMPLES] = SAVED_SAMPLES,
		[COLUMN_BEFORE] = SAVED_BEFORE,
		[COLUMN_INFERRED] = SAVED_INFERRED,
	};

	return column < COLUMN_ROLES ? roles[column]
				     : SAVED_FURTHER + 2 * (column - COLUMN_ROLES);
}

/* Where samples are. */
enum saved_samples { SAMPLES_UNKNOWN, SAMPLES_ARE_SELF, SAMPLES_HAVE_COLUMNS };

struct saved_values {
	struct column column; /* texts of further ones are those of @strings */
	uint64_t *of; /* by node; NULL: it has none, or it is said of frames */
	/* Of a column that is said of frames: nodes in their order. */
	struct saved_value {
		uint32_t node;
		uint64_t value;
	} * said;
	uint32_t said_count;
};

/* When it was: by node, then cell. Only where somebody wants it. */
struct saved_heat {
	bool refused; /* for want of memory */
	uint64_t width; /* ns of a cell; 0: it is not said */
	ARRAY(struct heat_cell) pairs;
	struct claim claim; /* of the budget */
};

/* Nodes are in preorder, node 0 is the root; node i + 1's parent is i or one of those
 * above it. */
struct saved_tree {
	struct saved_function *functions; /* 0 is the root's */
	uint32_t *function, *parent; /* by node */
	/* Those with roles first; weights are in units of 10^-decimals. */
	struct saved_values values[COLUMNS_MOST];
	uint32_t columns;
	uint32_t function_count, nodes;
	unsigned decimals;
	uint8_t *report; /* what it says of its recording; NULL: nothing */
	size_t report_size;
	bool wants_heat;
	struct saved_heat heat, processors; /* by node, and by number of the processor */
	struct claim claim; /* of the budget */
};

static inline uint64_t saved_value(const struct saved_tree *t, uint32_t node,
				   uint32_t column)
{
	return t->values[column].of ? t->values[column].of[node] : 0;
}

struct saved_picture; /* of input */

/* What is known of the nodes that have heat. */
struct cursor;
struct saved_nodes {
	uint32_t count;
	const uint64_t *own; /* what the pairs of each weigh */
	const uint32_t *parent; /* NULL: they have none */
};

/* @columns: that of SAVED_HEAT, and the next ones. 0, -ENOMEM, or -EBADMSG. */
int saved_heat_decode(struct cursor *columns, struct budget *budget,
		      const struct saved_nodes *nodes, struct saved_heat *ret);
/* The other way: as they are numbered in the data. 0, or -ENOMEM. */
struct bytes;
struct heat_nodes {
	size_t count;
	const uint32_t *order; /* node of the heat; NULL: they are numbered the same */
	const uint32_t *depth; /* in the tree; NULL: they are in none */
};
int saved_heat_encode(struct bytes *columns, const struct heat *h,
		      const struct heat_nodes *nodes);
void saved_heat_release(struct saved_heat *h);

/* The same by processor: @columns is that of SAVED_PROCESSORS, and the next ones. Of a tree whose heat is known. */
int saved_processors_decode(struct cursor *columns, struct budget *budget,
			    struct saved_tree *t);
int saved_processors_encode(struct bytes *columns, const struct heat *h);

/* The tree of a payload whose format is known. -EBADMSG: *@why says what is wrong; -EFBIG where
 * the budget has too little left for it. @ret: zeroed, but for what it wants. */
int saved_tree_decode(const struct saved_picture *picture, struct intern *strings,
		      struct budget *budget, struct saved_tree *ret, const char **why);
void saved_tree_release(struct saved_tree *t);

#endif
