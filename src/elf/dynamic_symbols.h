#ifndef ELF_DYNAMIC_SYMBOLS_H
#define ELF_DYNAMIC_SYMBOLS_H

#include "elf/symtab.h"

/* Appends the functions that @o exports, as the dynamic linker finds them: for files that have no
 * section headers. Nothing where its tables make no sense. 0, or -ENOMEM. */
int dynamic_symbols_read(struct symtab *st, const struct object *o);

#endif
