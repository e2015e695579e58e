#ifndef DWARF_UNIT_ROOT_H
#define DWARF_UNIT_ROOT_H

#include "dwarf/die.h"

/*
 * The first DIE of a unit, as far as it says which addresses the unit has. An index asks
 * it of every unit of a file, and libdw would make a thousand bytes of state for each: only
 * the units that are hit are libdw's.
 */
struct unit_head {
	uint64_t die, end; /* offsets in .debug_info */
	uint64_t declared; /* offset in .debug_abbrev, behind the code of that DIE's */
	uint16_t version;
	uint8_t type; /* DW_UT_* */
	uint8_t address_size, offset_size;
};

/* What a unit covers, one range after another. False where it does not say so in the plain
 * forms of a whole unit: then libdw has to be asked. */
bool unit_root_ranges(const struct debug_image *image, const struct unit_head *head,
		      struct debug_base *base, struct die_ranges *ret);

#endif
