#ifndef TESTS_WRITE_TREE_H
#define TESTS_WRITE_TREE_H

#include "write/write.h"

/* A named tree from stacks, in the order in which they are added. */
struct tree {
	struct named named;
	struct columns columns;
	struct symbols symbols;
	struct intern strings;
	struct tree_source in;
	const struct write_facts *facts;
	struct context ctx;
	char warnings[4096]; /* what was said, a line each */
};

void tree_init(struct tree *t);
void tree_release(struct tree *t);

/* "a;b". A frame "name@k" is a kernel function, "name@j" one of JIT code, "name@2"
 * one of another module; all are called name. */
void tree_add(struct tree *t, const char *stack, uint64_t self);
void tree_add_before(struct tree *t, const char *stack, uint64_t before, uint64_t self);
/* Totals of what was added until now. */
void tree_sum_up(struct tree *t);

/* Values by node, all 0 at first. */
uint64_t *tree_column(struct tree *t, uint32_t column);

/* What a writer wrote, to be freed; its result in *@err. */
char *tree_fold(struct tree *t, int *err);
char *tree_draw(struct tree *t, const struct ff_graph_options *options, int *err);

#endif
