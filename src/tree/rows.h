#ifndef TREE_ROWS_H
#define TREE_ROWS_H

#include "tree/view.h"

/*
 * A table of a tree: what is a row is said by a key. Each stack counts for a row once, however often
 * it comes there, so that no total is more than all.
 */
enum rows_by {
	ROWS_FUNCTION, /* by what is printed, and its module */
	ROWS_MODULE,
	ROWS_COMM, /* the processes at the roots of stacks */
	ROWS_LINE, /* of names that end in ":file:line" */
};

enum rows_order { ROWS_BY_SELF, ROWS_BY_TOTAL };

struct row {
	/* Ids of struct rows' texts; 0: there is none. In a table of lines the name is that of
	 * the file and the line, and the function the first one that was met there. */
	uint32_t name, module, function;
	/* Where it is declared: of the sources' strings; 0: not known. */
	uint32_t file, line;
	uint64_t self, total;
};

struct rows {
	struct intern texts;
	ARRAY(struct row) list; /* largest first */
	uint64_t total; /* of the tree */
	unsigned decimals;
};

/* Does any function of the tree say of which kind its code is? Else all of it is text, as folded text
 * is, and no frame can be told to be a process's. */
bool tree_has_code(const struct tree_source *in);

/* Is the function a process frame where it stands at a stack's root? With tree_has_code(). */
static inline bool function_is_process(const struct function *f)
{
	return f->kind == FUNCTION_LABEL && !f->module;
}

/* 0, or a negative errno with its sentence. */
int rows_make(struct context *ctx, const struct tree_source *in, enum rows_by by,
	      enum rows_order order, struct rows *ret);
void rows_release(struct rows *r);

#endif
