#ifndef TREE_ENCODE_H
#define TREE_ENCODE_H

#include "base/bytes.h"
#include "tree/saved.h"
#include "tree/view.h"

/* A function of the tree, or what is printed of some. */
struct data_function {
	const char *name;
	uint32_t module; /* string id */
	uint32_t file, line; /* where it is declared; a string id; 0: not known */
	uint32_t of; /* function of in->symbols, or label of the view */
	uint8_t kind; /* enum saved_kind, with its flags */
};

/*
 * The whole tree as the columns that Documentation/svg-format.md describes, before they
 * are packed.
 */
struct tree_data {
	ARRAY(struct data_function)
	functions; /* in their order; functions.v[0] is number 1 */
	struct bytes columns[SAVED_COLUMNS]; /* by enum saved_column */
};

/* @view was made by function, or, with @by_label, is one of labels. */
int tree_data_make(struct context *ctx, const struct tree_source *in,
		   const struct view *view, bool by_label, struct tree_data *ret);
void tree_data_release(struct tree_data *d);

/* Packed data as it goes into the document. */
struct packed_tree {
	uint8_t *bytes;
	size_t size;
	size_t whole; /* before it was packed */
	bool is_zlib; /* else it is as it was */
};

int tree_data_pack(struct context *ctx, const struct tree_data *d, unsigned threads,
		   struct packed_tree *ret);

/* Of enum saved_kind, with flags. */
uint8_t data_kind(const struct function *f);

#endif
