#ifndef ELF_ELF_SYMBOLS_H
#define ELF_ELF_SYMBOLS_H

#include "elf/symtab.h"

/* Adds what .symtab and .dynsym have of functions, data and labels. 0, or -ENOMEM. */
int elf_symbols_read(struct symtab *st, const struct object *o,
		     const struct object *debug);

#endif
