#ifndef SYMBOL_ALIAS_H
#define SYMBOL_ALIAS_H

#include "object/symtab.h"
#include "symbol/demangle.h"

/*
 * Which of the symbols that start at one address gives the name: perf's order, in
 * which a name counts as it is shown, demangled.
 */
enum alias_names {
	ALIAS_DEMANGLED,
	ALIAS_RAW, /* the kernel's */
};

struct alias {
	const struct symtab *st;
	enum alias_names names;
	enum demangle_set set;
	struct text a, b;
	/* The last answer, and where it ends: addresses come in ascending order. */
	uint32_t group, chosen;
	uint64_t valid;
};

void alias_init(struct alias *al, const struct symtab *st, enum alias_names names,
		enum demangle_set set);
void alias_release(struct alias *al);

/* Index of the best symbol of the group at @first that covers @address, one at least
 * does. */
uint32_t alias_choose(struct alias *al, uint32_t first, uint64_t address);

/* The name of a symbol, demangled where that is wanted. */
void alias_name(const struct alias *al, const struct symbol *s, struct text *out);

#endif
