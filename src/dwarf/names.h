#ifndef DWARF_NAMES_H
#define DWARF_NAMES_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/text.h"
#include "dwarf/outline.h"
#include "dwarf/units.h"

/*
 * Names of functions by their DIEs. The linkage name, which says most, where there is
 * one; else the name with the scopes that it is in. Most DIEs only refer to the one that
 * has the name:
 *
 *	inlined_subroutine --abstract origin--> subprogram --specification--> subprogram
 *	                                                     in class A, "f", "_ZN1A1fEv"
 */
struct debug_name {
	const char *text; /* "": it has none */
	bool mangled; /* a linkage name */
	/* Where it is declared, with debug_names.declared: a number in the file table of a
	 * unit, which may be closed before the next one is begun, and a line. unit NULL: not
	 * known. */
	struct Dwarf_CU *unit;
	uint32_t file, line;
};

enum { FOREIGN_OUTLINES = 8 };

struct debug_names {
	struct arena texts;
	struct hash_map by_die;
	ARRAY(struct debug_name) list; /* [0] is "" */
	struct outline outline; /* of the unit that is read now */
	struct outline foreign[FOREIGN_OUTLINES]; /* of others, the last ones asked for */
	size_t next_foreign;
	struct text text;
	struct debug_meter *meter;
	bool declared; /* to be set: places are wanted, too */
	/* Where the DIEs lie: the units that are read, and others that they refer to. */
	const struct debug_image *images[2];
	struct hash_map units; /* those whose abbreviations were counted as work */
};

int debug_names_init(struct debug_names *n, struct debug_meter *meter);
void debug_names_release(struct debug_names *n); /* a zeroed one is fine */

/* Before another unit, of images[0], is read. Names stay; their DIEs are forgotten, so that
 * the work a unit makes does not depend on those before it. 0, -ETIME where it is too
 * much, -ENOMEM. */
int debug_names_begin(struct debug_names *n, Dwarf_Die *unit);

/* Index in the list; inside debug_guarded(). The same errors. */
int debug_names_find(struct debug_names *n, const Dwarf_Die *function, uint32_t *ret);

#endif
