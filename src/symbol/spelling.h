#ifndef SYMBOL_SPELLING_H
#define SYMBOL_SPELLING_H

#include "elf/elf.h"
#include "symbol/demangle.h"

/* How the symbols of an object become names. */
struct spelling {
	enum demangle_form form;
	bool rust_only; /* the kernel: C, and Rust by its own mangling */
	bool merge_clones; /* f.isra.0 is f */
	bool no_versions; /* f@@LIB_1.0 is f */
};

/* Appends a mangled or plain name; true where it was mangled. */
bool spell(const struct spelling *spelling, const char *name, size_t size,
	   struct text *out);

/* The same for a symbol. "@plt" behind the name of one that stands for a stub stays. */
bool spell_symbol(const struct spelling *spelling, const struct symtab *st,
		  const struct symbol *s, struct text *out);

#endif
