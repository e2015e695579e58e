#ifndef DIFF_DIFF_H
#define DIFF_DIFF_H

#include <stdio.h>

#include "base/text.h"
#include "tree/tree.h"
#include "weight/weight.h"

/*
 * Two profiles side by side in one tree, and what of their difference is more than noise.
 *
 *	input of A --.                    .-- ladder: which functions are the same
 *	input of A ---+-- difference_add -+-- one tree, columns: weight (B), before (A)
 *	input of B --'                    '-- scale, noise, tests -> rows, pictures
 *
 * Integers are added up until difference_finish(); what comes of it (scales, variances, tests) is
 * only looked at, so it is floating point.
 */
enum diff_side { DIFF_A, DIFF_B, DIFF_SIDES };

/* By what functions of the two sides were found to be the same, most exact first. */
enum diff_match {
	MATCH_EXACT,
	MATCH_DIRECTORY, /* their modules lie in other directories */
	MATCH_VERSION, /* of their modules */
	MATCH_CLONE, /* suffixes of copies and parts */
	MATCH_TEMPLATE, /* arguments of templates, numbers of lambdas */
	MATCH_UNNAMED, /* no symbol: all code of their module */
	MATCH_NUMBER, /* numbers in names of processes */
	MATCH_PROGRAM, /* the program that is compared, whose file was renamed */
	MATCH_NAME, /* one of the sides knows no modules */
	DIFF_MATCHES,
};

struct diff_function {
	uint32_t name, module, file, line; /* texts: string ids of the difference */
	uint8_t kind; /* enum function_kind */
	uint8_t sides; /* a bit for each side that it is on */
	uint8_t inlined; /* and for each that has inlined it somewhere */
	bool unnamed, is_process;
	uint8_t matched_by; /* the last step that joined another one to it, enum diff_match */
	uint32_t class; /* another function that it is the same as, or itself */
	uint32_t input; /* the number, + 1, of the last one that has it */
};

/* A parent's index is below its children's; 0 is the root. */
struct diff_node {
	uint32_t parent, function;
	uint32_t own; /* its values of its own; 0: none, which are all 0 */
};

/* Of the stacks that end at a node. Most nodes are only passed, and have none. */
struct diff_value {
	uint64_t self[DIFF_SIDES], samples[DIFF_SIDES];
};

/* Of the same node, while inputs are added. 0: none. */
struct diff_links {
	uint32_t first, next; /* its first callee; the next one of its caller */
	uint32_t callees; /* where it has more than one, which few nodes have */
};

/* The callees of a node. */
struct diff_callees {
	uint32_t last, count;
	uint32_t latest; /* the callee that the input at hand had before */
	uint32_t noted; /* the last one that is in the table of callees; 0: none */
};

/* The weight of stacks that end at a node in one piece of an input's time. */
struct diff_cell {
	uint32_t node;
	uint16_t input;
	uint8_t block, side;
	uint64_t weight;
};

/* What one input adds to its side. */
struct diff_input {
	const struct tree_source *in;
	uint32_t column; /* that is its side: the weight, or the weight before */
	bool has_samples; /* how many there are is known */
	/* Sorted, with nodes of the named tree; NULL or without a grid: the input has only stacks. */
	const struct time_blocks *blocks;
	uint64_t first, last; /* ns: when what is compared of it begins and ends */
	uint64_t spent; /* ns of that which were asked for; 0: not known */
	uint64_t lost; /* samples that the kernel dropped */
	const char *path, *event; /* event: NULL: not known */
};

enum { DIFF_INPUTS_TOLD = 8 };

/* All inputs of a side. */
struct diff_total {
	uint32_t inputs, blocks; /* blocks: 0: nothing tells how far its parts differ */
	uint32_t pieces; /* of time that an input was cut into */
	bool has_times;
	bool are_files; /* blocks are inputs */
	bool are_counts; /* weights stand for samples, whose number nothing says */
	uint64_t weight, samples, lost;
	double seconds; /* of those inputs that say it */
	uint32_t timeless; /* string id: the first input that does not; 0: all do */
	double squares; /* of the weights of its samples */
	double phi; /* variance of blocks by that of independent samples; at least 1 */
	uint64_t unnamed; /* weight of leaves without a symbol */
	uint32_t event; /* string id */
	/* Of inputs, with ", " between; in sentences only of the first ones, and how many more. */
	struct text paths, brief;
	size_t told; /* bytes of the first ones */
};

enum diff_normalize {
	DIFF_SHARE,
	DIFF_TIME,
	DIFF_NONE,
	DIFF_PER,
	DIFF_ANCHOR,
	DIFF_ROBUST,
	DIFF_NORMALIZES,
};

struct diff_options {
	enum diff_normalize normalize;
	double per[DIFF_SIDES]; /* units of work */
	const char *anchor; /* name of a function */
	double level; /* a false discovery rate; 0: 0.05 */
	double fewest; /* samples of both sides that a node is tested from; 0: 5 */
	bool force; /* show what has changed though one side lacks names */
};

/* Of a node, by what both sides have there and below: A's scaled, all of it in parts of the
 * whole, which is B's weight (or A's, scaled, where B has none). */
struct diff_measure {
	double a, b, delta;
	double error; /* standard error of delta */
	double q; /* 1 where it was not tested */
	double critical; /* of the 95 % interval: delta +- critical * error */
};

/* Of what a node has by itself, where there are enough samples of it to be tested. */
struct diff_own {
	uint32_t node;
	double p;
	struct diff_measure measure;
};

/* A path with enough samples to be tested, as those have that call it: a few of millions of nodes. */
struct diff_test {
	uint32_t node;
	uint32_t caller; /* a test; the root's own is 0 */
	double q;
};

/* Which of 64 nodes were tested, and how many of those before them. */
struct diff_tested {
	uint64_t nodes;
	uint32_t before;
};

/* What measures are made of, by node of the named tree. */
struct noise {
	/* Variances of what one side has there and below, and by itself, in its own weight; NULL: it has no
	 * blocks. */
	double *variance[DIFF_SIDES], *own_variance[DIFF_SIDES];
	double freedom[DIFF_SIDES]; /* degrees of it */
	double *inclusive[DIFF_SIDES]; /* weight there and below */
	double *samples; /* of both sides, there and below */
	double *critical; /* NULL: all have the usual one */
	double usual;
	/* What a part of A's whole is of all. Shares are divided by their own whole, so that the sides
	 * can be swapped and the difference is the same to its last digit, with another sign. */
	double to;
	/* Of one sample, in parts of the whole: the weight of an average one. */
	double unit[DIFF_SIDES];
};

enum diff_kind { DIFF_CHANGED, DIFF_NEW, DIFF_GONE, DIFF_MOVED };

struct diff_row {
	uint32_t node;
	enum diff_kind kind;
	uint32_t from; /* of DIFF_MOVED: where most of it was; else 0 */
};

enum { LATE_PARTS = 4 }; /* of B's time: the last one tells what went away */

struct difference {
	struct intern strings;
	ARRAY(struct diff_function) functions;
	struct hash_set functions_by_key;
	ARRAY(struct diff_node) nodes;
	ARRAY(struct diff_value)
	values; /* the first one is 0, and of all nodes without */
	ARRAY(struct diff_links) links; /* by node */
	ARRAY(struct diff_callees) callees; /* the first one is nobody's */
	/* By parent << 32 | function, of those with many: up to the last one that is noted. */
	struct hash_map children;
	ARRAY(struct diff_cell) cells;
	struct diff_total total[DIFF_SIDES];
	unsigned decimals;
	uint64_t inputs;
	bool exact; /* functions are the same only where name, module and kind are */
	bool strip_hex; /* names' addresses, 0x12ab, are 0x... */

	/* difference_finish() */
	struct diff_options options;
	uint64_t matched[DIFF_MATCHES]; /* functions of both sides */
	uint64_t alone[DIFF_SIDES]; /* functions of one side only */
	double scale; /* A's weights are multiplied by it */
	bool of_shares; /* noise is that of shares, not of weights */
	double scale_error; /* of its logarithm */
	uint64_t scale_nodes; /* that say what it is */
	bool fell_back; /* to shares: nothing says another scale */
	double distance; /* 0: the same; 1: nothing in common */
	/* Parts of either side: without a symbol, of idle processors, of stacks without their
	 * root. */
	double unnamed[DIFF_SIDES], idle[DIFF_SIDES], rootless[DIFF_SIDES];
	/* Parts of both sides that are new or gone; without what is inlined. */
	double lone, lone_outlined;
	bool uncoloured; /* the sides' parts without a symbol differ too much */
	double whole; /* what measures are parts of */
	double reach; /* standard errors of a change that is found 8 times in 10 */
	double detectable; /* the largest of all nodes that were tested */
	uint64_t significant; /* of the tests */
	struct columns columns;
	struct symbols symbols;
	uint8_t *inlined; /* by function of these, bits as above; NULL: nothing is */
	struct named named;
	struct tree_source tree; /* of these */
	struct noise noise;
	ARRAY(struct diff_test) tests; /* in the order of nodes */
	struct diff_tested *is_tested; /* by node / 64 */
	ARRAY(struct diff_own) owns; /* those that were tested, by node */
	uint64_t owns_significant;
	/* By node: what it has in the last quarter of B's time, in parts as measures are; NULL: B is not
	 * cut by time. */
	double *late;
	ARRAY(struct diff_row) rows; /* largest first */
};

/* 0, or -ENOMEM. */
int difference_init(struct difference *d);
void difference_release(struct difference *d); /* a zeroed one is fine */

/* 0, -ENOMEM, -EOVERFLOW, or -E2BIG: too many inputs. What is passed in is not used afterwards. */
int difference_add(struct difference *d, enum diff_side side,
		   const struct diff_input *input);

/* 0, or a negative errno with a sentence: -EINVAL where the scale that was asked for cannot be. */
int difference_finish(struct context *ctx, struct difference *d,
		      const struct diff_options *options);

/* What it has by itself. */
static inline const struct diff_value *difference_value(const struct difference *d,
							uint32_t node)
{
	return &d->values.v[d->nodes.v[node].own];
}

/* Its number in d->tests, or DIFF_UNTESTED. */
#define DIFF_UNTESTED UINT32_MAX
static inline uint32_t difference_test_of(const struct difference *d, uint32_t node)
{
	const struct diff_tested *of = &d->is_tested[node / 64];
	uint64_t bit = UINT64_C(1) << node % 64;

	return of->nodes & bit ? of->before + (uint32_t)__builtin_popcountll(of->nodes &
									     (bit - 1))
			       : DIFF_UNTESTED;
}

/* 1 where it was not tested. */
static inline double difference_q(const struct difference *d, uint32_t node)
{
	uint32_t test = difference_test_of(d, node);

	return test == DIFF_UNTESTED ? 1 : d->tests.v[test].q;
}

static inline bool difference_is_significant(const struct difference *d, uint32_t node)
{
	return difference_q(d, node) <= d->options.level;
}

/* Of what both sides have there and below. */
struct diff_measure difference_measure(const struct difference *d, uint32_t node);

/* It has grown, but was what it had been when B ended: a phase, not a regression. */
bool difference_went_away(const struct difference *d, uint32_t node);

/* What is known of its own value; NULL: it was not tested. */
const struct diff_measure *difference_own(const struct difference *d, uint32_t node);

/* How many standard errors one change among all has to be, to be found 8 times in 10, where so many
 * degrees of freedom tell the error. */
double difference_reach(const struct difference *d, double freedom);

/* A change there that would have been found 8 times in 10, among all that are tested. */
double difference_detectable(const struct difference *d, uint32_t node);

/* A's weights in the tree are multiplied from now on, and rounded down to whole numbers, as
 * difffolded.pl -n does it, for who draws the tree as text. */
void difference_scale_before(struct difference *d);

/* How many paths have grown by more than @points, which noise does not explain, nor that their cost
 * moved there from another caller, and which did not go away again. 0, or -ENOMEM. */
int difference_regressions(const struct difference *d, double points, uint64_t *ret);

/* What was compared, and how, a sentence each: 1, or 0 where there are no more; -ENOMEM. */
int difference_sentence(const struct difference *d, unsigned i, struct text *ret);
const char *difference_normalize_name(enum diff_normalize n);
const char *difference_kind_name(enum diff_kind k);

/* A function's part of either side with all that it calls, by its outermost frames: recursion counts
 * once. */
void difference_parts_of(const struct difference *d, const char *name,
			 double ret[DIFF_SIDES]);

/* The rows, @most of them. 0, or -EIO and the like. */
int difference_write_table(struct context *ctx, const struct difference *d, size_t most,
			   FILE *out);
int difference_write_json(struct context *ctx, const struct difference *d, size_t most,
			  FILE *out);

#endif
