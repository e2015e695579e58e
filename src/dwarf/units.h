#ifndef DWARF_UNITS_H
#define DWARF_UNITS_H

#include "base/array.h"
#include "base/span.h"
#include "dwarf/handle.h"
#include "dwarf/unit_root.h"
#include "dwarf/work.h"
#include "elf/elf.h"

/*
 * The units of an image, and which of them an address belongs to: exactly one. Compilers
 * other than gcc write no .debug_aranges, so the index is made of what the units say
 * themselves. A function that was compiled into several units and kept once is claimed
 * by each of them, because GNU ld relocates the debug information of the dropped copies
 * to the one that it kept: the first one in the file was it.
 *
 *	unit 0   |--f--|        |--main--|
 *	unit 1   |--f--| |--g--|
 *	spans    |  0  | |  1  ||   0    |
 */
struct debug_unit {
	uint64_t start; /* offset in .debug_info */
	struct unit_head head;
	/* Of a skeleton, whose rest is in a .dwo file: where the parts of .debug_addr and,
	 * before DWARF 5, of .debug_ranges begin that belong to it. */
	bool skeleton;
	uint64_t addresses, ranges;
};

struct debug_units {
	ARRAY(struct debug_unit) list;
	struct spans spans; /* their ids: indexes in list */
};

/*
 * Only units that libdw can read are listed: it knows none behind one that it does not
 * know. 0; -ETIME where it is more work than allowed; -ENOMEM.
 */
int debug_units_read(struct debug_units *u, const struct debug_image *image,
		     struct debug_meter *meter);

/* Fills the spans. @o: the object that runs. The same errors. */
int debug_units_index(struct debug_units *u, const struct debug_image *image,
		      const struct debug_handle *h, const struct object *o,
		      struct debug_meter *meter);

void debug_units_release(struct debug_units *u);

/* Of a skeleton; they end where those of another one begin. */
struct debug_bytes debug_unit_addresses(const struct debug_units *u, size_t unit,
					const struct debug_image *image);
struct debug_bytes debug_unit_ranges(const struct debug_units *u, size_t unit,
				     const struct debug_image *image);

/* libdw reads the table of abbreviations again for each unit, up to the one that it needs.
 * The work for those at @offset up to the one with @code; for all where there is none. */
uint64_t debug_abbreviations(const struct debug_image *image, uint64_t offset,
			     uint64_t code);

#endif
