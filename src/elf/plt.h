#ifndef ELF_PLT_H
#define ELF_PLT_H

#include "elf/symtab.h"

/* Adds a symbol "name@plt" for every entry of the PLT sections whose target is known.
 * After all other symbols. 0, or -ENOMEM. */
int plt_read(struct symtab *st, const struct object *o);

#endif
