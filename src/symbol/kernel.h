#ifndef SYMBOL_KERNEL_H
#define SYMBOL_KERNEL_H

#include "object/symtab.h"
#include "symbol/symbol.h"

/*
 * Names of the kernel and its modules. Wrong names are worse than none: symbols of
 * another kernel, or of another boot of it, are used only where it can be shown that
 * they fit.
 */
struct kernel;

/* @options outlive it. */
int kernel_new(struct context *ctx, const struct symbol_options *options,
	       struct kernel **ret);
void kernel_free(struct kernel *k); /* NULL is fine */

/* Begins to read kallsyms in a thread, the first time. */
void kernel_expect(struct kernel *k);

struct kernel_names {
	const struct symtab *symbols; /* NULL: none */
	uint64_t shift; /* what to add to a recorded address */
};

/*
 * The symbols for an image of kind _KERNEL or _MODULE. *@file and *@problem are
 * appended to. Any number of threads may ask at once. 0, or -ENOMEM.
 */
int kernel_find(struct kernel *k, const struct images *images,
		const struct intern *strings, uint32_t image, struct kernel_names *ret,
		struct text *file, struct text *problem);

#endif
