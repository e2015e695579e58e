#ifndef SYMBOL_ALIAS_H
#define SYMBOL_ALIAS_H

#include "base/hash.h"
#include "elf/elf.h"
#include "symbol/demangle.h"

/* Several symbols at one address, one of which was asked for, with the last answer. */
struct alias_group {
	uint32_t first, count, chosen;
	uint32_t longest; /* of those behind the ones that are compared */
	uint32_t ranks; /* of the first one */
	uint64_t address;
};

/* What is compared of a symbol, once it was. */
struct alias_rank {
	uint32_t underscores, size;
	bool known, syscall;
};

/*
 * Which of the symbols that start at one address gives the name: perf's order, in
 * which a name counts as it is shown, demangled.
 */
struct alias {
	const struct symtab *st;
	enum demangle_form form;
	struct text name;
	bool failed; /* an answer was any, for want of memory */
	struct hash_map by_first; /* index in groups */
	ARRAY(struct alias_group) groups;
	ARRAY(struct alias_rank) ranks;
};

/* @form: PERF, or NO for the kernel's names. */
void alias_init(struct alias *al, const struct symtab *st, enum demangle_form form);
void alias_release(struct alias *al);

/* Index of the best symbol of the group at @first that covers @address, one at least
 * does. Quickest where addresses of a group ascend. */
uint32_t alias_choose(struct alias *al, uint32_t first, uint64_t address);

#endif
