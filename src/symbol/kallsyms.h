#ifndef SYMBOL_KALLSYMS_H
#define SYMBOL_KALLSYMS_H

#include "base/arena.h"
#include "base/budget.h"
#include "base/hash.h"
#include "elf/elf.h"

/*
 * /proc/kallsyms, or a copy of one:
 *
 *	ffffffff81000000 T _text
 *	ffffffffc0a31000 t nft_do_chain	[nf_tables]
 */
struct kallsyms_module {
	const char *name; /* without brackets; "" is the kernel itself */
	size_t size;
	uint64_t start; /* where it was loaded to; 0: not known */
	uint64_t code; /* its first function; UINT64_MAX: it has none */
	struct symtab symbols;
};

struct kallsyms {
	char *text;
	ARRAY(struct kallsyms_module) modules; /* the first is the kernel */
	struct hash_set by_name;
	struct claim claim; /* of the reader's budget */
	bool hidden; /* all addresses are 0: not for this user's eyes */
	bool placed; /* .start of modules is known: what has none was not loaded */
};

/* A negative errno with a sentence. -EDQUOT: the budget of @ctx has too little left. */
int kallsyms_read(struct context *ctx, const char *path, struct kallsyms *ret);

/*
 * Where its modules were loaded to, from the /proc/modules that goes with it or a copy of
 * that. What cannot be read, or hides its addresses, says nothing. 0, or -ENOMEM.
 */
int kallsyms_read_modules(struct kallsyms *k, const char *path);
void kallsyms_release(struct kallsyms *k); /* a zeroed one is fine */

/* NULL where no line names it. "" is the kernel. */
const struct kallsyms_module *kallsyms_module(const struct kallsyms *k, const char *name,
					      size_t size);

#endif
