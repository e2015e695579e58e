#ifndef ELF_GO_TABLE_H
#define ELF_GO_TABLE_H

#include "elf/symtab.h"

/*
 * Appends the functions of a Go program from the table that its runtime prints stacks by
 * (.gopclntab), which is there in stripped programs, too. Their names take the place of .symtab's.
 * Nothing where there is no such table, or where it makes no sense. 0, or -ENOMEM.
 */
int go_table_read(struct symtab *st, const struct object *o);

#endif
