#ifndef DWARF_DIE_WALK_H
#define DWARF_DIE_WALK_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/work.h"

/*
 * The DIEs below one, in the order of the file, each at most once: what is below a DIE
 * is passed over unless the walk is told to go into it.
 *
 *	for (depth = die_walk_begin(&w, &unit, &meter); depth > 0;
 *	     depth = die_walk_next(&w, into))
 *		...w.open[depth - 1]...
 *
 * libdw alone would pass over the children of a DIE again to find what follows it,
 * where the compiler wrote no DW_AT_sibling (clang does not): twice for each level.
 */
enum { DIE_DEPTH_MOST = 512 };

struct die_walk {
	Dwarf_Die
		open[DIE_DEPTH_MOST]; /* from a child of where it began to the present */
	size_t depth;
	const uint8_t *past; /* behind the children of the innermost; NULL: not known */
	const uint8_t *at; /* where it was last */
	struct debug_meter *meter;
};

/* The depth, 1 for a child of where it began; 0 at the end, where the file is broken and
 * where it is too much work. All that is used is used inside debug_guarded(). */
size_t die_walk_begin(struct die_walk *w, Dwarf_Die *top, struct debug_meter *meter);
size_t die_walk_next(struct die_walk *w, bool into);

#endif
