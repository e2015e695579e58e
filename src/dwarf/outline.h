#ifndef DWARF_OUTLINE_H
#define DWARF_OUTLINE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "dwarf/work.h"

/*
 * The outer scopes of a unit: namespaces, and what lies right in them. A DIE does not
 * know its parent; with this the way from the unit down to any DIE is short.
 *
 *	namespace std            0
 *	  class vector           1, in 0
 *	  namespace __detail     2, in 0
 *	    struct _Node         3, in 2
 *	main                     4
 */
#define SCOPE_NONE UINT32_MAX

struct scope {
	const uint8_t *die; /* as Dwarf_Die.addr */
	uint32_t parent; /* SCOPE_NONE: the unit */
};

struct outline {
	struct Dwarf_CU *cu; /* NULL: empty */
	ARRAY(struct scope) scopes; /* in the order of the file */
};

/* Empty it, for a walk over @cu that adds what it passes. */
void outline_begin(struct outline *o, struct Dwarf_CU *cu);
void outline_release(struct outline *o);

/* A DIE with a tag that outline_has(). 0, or -ENOMEM. */
int outline_add(struct outline *o, const Dwarf_Die *die, uint32_t parent);
bool outline_has(int tag);
/* True for the tags of those scopes whose content is in the outline, too. */
bool outline_goes_into(int tag);

/* By a walk of its own; inside debug_guarded(). 0, or -ENOMEM; where it is too much work
 * it is not whole. */
int outline_read(struct outline *o, Dwarf_Die *cu, struct debug_meter *meter);

/*
 * The scopes around a DIE of the unit, outermost first, without the unit; the DIE itself
 * is not among them. Fewer than there are where they are more than @most.
 */
size_t outline_path(const struct outline *o, const Dwarf_Die *die, Dwarf_Die *path,
		    size_t most, struct debug_meter *meter);

#endif
