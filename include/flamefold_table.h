/*
 * libflamefold: a finished profile as a table, and as a call tree whose heaviest paths come first.
 *
 *	ff_table_new(p, FF_TABLE_FUNCTION, FF_TABLE_BY_SELF, &table);
 *	for (size_t i = 0; ff_table_row(table, i, &row); i++)
 *		...
 *	ff_table_free(table);
 *
 * Both borrow names of the profile, which has to outlive them. 0, or a negative errno;
 * ff_profile_error() then says what went wrong.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef FLAMEFOLD_TABLE_H
#define FLAMEFOLD_TABLE_H

#include <flamefold.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the weights are: they are in units of 10^-decimals of what the event counts, "cycles". */
struct ff_weight_unit {
	const char *name;
	unsigned decimals;
	const char *events; /* NULL: not known */
};
FF_API struct ff_weight_unit ff_profile_weight_unit(const struct ff_profile *p);

/* What is a row. */
enum ff_table_by {
	FF_TABLE_FUNCTION,
	FF_TABLE_MODULE,
	FF_TABLE_COMM,
	FF_TABLE_LINE, /* of the source: with FF_SRCLINE */
};
enum ff_table_order { FF_TABLE_BY_SELF, FF_TABLE_BY_TOTAL };

/* NULL and 0: not known, or it has none. */
struct ff_table_row {
	const char *name;
	const char *module; /* of a function, or of a line */
	const char *function; /* of a line */
	const char *file; /* where a function is declared: with FF_PLACES */
	unsigned line;
	/* What ends there, and what passes: each stack once, however often it comes there. */
	uint64_t self, total;
};

struct ff_table;
FF_API int ff_table_new(struct ff_profile *p, enum ff_table_by by,
			enum ff_table_order order, struct ff_table **ret);
/* Row @i, the largest is 0: 1; or 0 where there are no more. */
FF_API int ff_table_row(const struct ff_table *t, size_t i, struct ff_table_row *ret);
FF_API uint64_t ff_table_total(const struct ff_table *t); /* of the tree */
FF_API void ff_table_free(struct ff_table *t); /* may be NULL */

/* A call tree: from the roots of stacks to who is called, or from where they end to the callers.
 * Node 0 stands for all; siblings are in the order of their totals. */
enum ff_calls_from { FF_CALLS_FROM_ROOT, FF_CALLS_FROM_LEAF };
struct ff_calls_node {
	const char *name;
	const char *module; /* of the first function of that name; "": none */
	unsigned first, next; /* child, sibling; 0: none */
	uint64_t self, total;
};

struct ff_calls;
FF_API int ff_calls_new(struct ff_profile *p, enum ff_calls_from from,
			struct ff_calls **ret);
FF_API void ff_calls_node(const struct ff_calls *c, unsigned node,
			  struct ff_calls_node *ret);
FF_API void ff_calls_free(struct ff_calls *c); /* may be NULL */

#ifdef __cplusplus
}
#endif

#endif
