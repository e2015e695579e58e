#ifndef ELF_GO_TABLE_H
#define ELF_GO_TABLE_H

#include <stdbool.h>

#include "elf/symtab.h"

/*
 * Appends the functions of a Go program from the table that its runtime prints stacks by
 * (.gopclntab), which is there in stripped programs, too. Their names take the place of .symtab's.
 * Nothing where there is no such table, or where it makes no sense. 0, or -ENOMEM.
 */
int go_table_read(struct symtab *st, const struct object *o);

/*
 * How far the stack pointer is below where it was when a function was called, instruction by
 * instruction: pairs of numbers (LEB128), what is added to that, and how many quanta of code it holds
 * for.
 */
struct go_frames {
	uint64_t start, end; /* of the function */
	const uint8_t *steps; /* of the table; NULL: it has none */
	size_t size; /* of the table, from there on: they end before, with a 0 */
	unsigned quantum; /* bytes of code */
	bool outermost; /* nobody has called it */
};
/* Not 0: no more of them. */
typedef int go_frames_visit(void *arg, const struct go_frames *f);

/* All functions that the table has, in order of address. 0, what @visit returned, or -ENOMEM. *@size: bytes of
 * the table, 0 where there is none. */
int go_table_frames(const struct object *o, go_frames_visit *visit, void *arg,
		    uint64_t *size);

#endif
