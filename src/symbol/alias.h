#ifndef SYMBOL_ALIAS_H
#define SYMBOL_ALIAS_H

#include "object/symtab.h"
#include "symbol/demangle.h"

/*
 * Which of the symbols that start at one address gives the name: perf's order, in
 * which a name counts as it is shown, demangled.
 */
struct alias {
	const struct symtab *st;
	enum demangle_form form;
	struct text a, b;
	/* The last answer, and where it ends: addresses come in ascending order. */
	uint32_t group, chosen;
	uint64_t valid;
};

/* @form: PERF, or NO for the kernel's names. */
void alias_init(struct alias *al, const struct symtab *st, enum demangle_form form);
void alias_release(struct alias *al);

/* Index of the best symbol of the group at @first that covers @address, one at least
 * does. */
uint32_t alias_choose(struct alias *al, uint32_t first, uint64_t address);

#endif
