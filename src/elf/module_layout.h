#ifndef ELF_MODULE_LAYOUT_H
#define ELF_MODULE_LAYOUT_H

#include "elf/section.h"

/*
 * Where the kernel puts the sections of a module. A module is not linked; when it is
 * loaded, the sections that are to be executed come first, in the order of the section
 * table, each at the next address that its alignment allows (layout_sections() of
 * kernel/module). What only starts the module has a place of its own, which is gone
 * afterwards.
 *
 *	start    | .text | .text.unlikely | .exit.text |
 *	elsewhere  .init.text
 */
struct module_layout {
	uint64_t size; /* of what was placed so far */
	bool unsure; /* the kernel adds sections of its own that nobody here knows the size of */
};

/*
 * To be asked for all sections, in order. *@ret is the distance of its first byte from the
 * start of the module; false where it has no code, or where it lies is not known.
 */
bool module_layout_add(struct module_layout *l, const struct object *o,
		       const struct section *s, uint64_t *ret);

#endif
