#ifndef SYMBOL_KALLSYMS_H
#define SYMBOL_KALLSYMS_H

#include "base/arena.h"
#include "base/hash.h"
#include "object/symtab.h"

/*
 * /proc/kallsyms, or a copy of one:
 *
 *	ffffffff81000000 T _text
 *	ffffffffc0a31000 t nft_do_chain	[nf_tables]
 */
struct kallsyms_module {
	const char *name; /* without brackets; "" is the kernel itself */
	size_t size;
	struct symtab symbols;
};

struct kallsyms {
	char *text;
	ARRAY(struct kallsyms_module) modules; /* the first is the kernel */
	struct hash_set by_name;
	bool hidden; /* all addresses are 0: not for this user's eyes */
};

/* A negative errno with a sentence. */
int kallsyms_read(struct context *ctx, const char *path, struct kallsyms *ret);
void kallsyms_release(struct kallsyms *k); /* a zeroed one is fine */

/* NULL where no line names it. "" is the kernel. */
const struct kallsyms_module *kallsyms_module(const struct kallsyms *k, const char *name,
					      size_t size);

#endif
