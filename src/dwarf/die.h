#ifndef DWARF_DIE_H
#define DWARF_DIE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cursor.h"
#include "dwarf/image.h"

/*
 * What addresses in a unit are relative to. The unit of a .dwo file has this from the
 * skeleton that stands for it in the object.
 */
struct debug_base {
	const struct debug_image *image; /* with the unit */
	uint64_t low; /* DW_AT_low_pc of the unit, 0 where it has none */
	uint64_t addresses; /* where its part of .debug_addr begins */
	uint64_t lists; /* likewise of .debug_rnglists: the offsets in its head */
	unsigned version;
	uint8_t address_size, offset_size;
};

/* Of a unit in the object itself, or of a skeleton. */
void debug_base_of(struct debug_base *ret, const struct debug_image *image,
		   Dwarf_Die *cu);

/* Of a unit in a .dwo file, whose image has only its own part of the addresses. */
void debug_base_of_split(struct debug_base *ret, const struct debug_image *image,
			 Dwarf_Die *cu, const struct debug_base *skeleton);

/* The value of any attribute; 0 where there is none. */
uint64_t die_constant(Dwarf_Die *die, unsigned attribute);

/* The attributes that say where a function is and what it stands for, read in one pass.
 * .form is 0 where there is none. */
enum die_attribute {
	DIE_LOW,
	DIE_HIGH,
	DIE_RANGES,
	DIE_ORIGIN, /* DW_AT_abstract_origin, else DW_AT_specification */
	DIE_LINKAGE_NAME,
	DIE_NAME,
	DIE_CALL_FILE,
	DIE_CALL_LINE,
	DIE_DECL_FILE,
	DIE_DECL_LINE,
	DIE_ATTRIBUTES
};

struct die_facts {
	Dwarf_Attribute v[DIE_ATTRIBUTES];
	uint32_t count; /* of all its attributes */
	const uint8_t *last; /* where the last of them is */
	uint64_t bytes; /* of the DIE up to there */
};

/* What it has cost to read, where that is more than a step. */
static inline uint64_t die_read_steps(const struct die_facts *f)
{
	return f->count / 16 + f->bytes / 64;
}

void die_read(Dwarf_Die *die, struct die_facts *ret);

static inline bool die_has(const struct die_facts *f, enum die_attribute a)
{
	return f->v[a].form != 0;
}

/* A constant; 0 where there is none. */
uint64_t die_number(struct die_facts *f, enum die_attribute a);

/*
 * The addresses of a DIE, one range after another:
 *
 *	die_ranges_begin(&r, &base, &facts);
 *	while (die_ranges_next(&r, &low, &high))
 *
 * What linkers leave of a function that they dropped is passed over: ranges that begin
 * below all code, end before they begin, or are empty.
 */
struct die_ranges {
	const struct debug_base *base;
	uint64_t low; /* base of the offsets that follow, or a single range */
	uint64_t high;
	struct cursor list;
	enum { RANGES_NONE, RANGES_ONE, RANGES_PAIRS, RANGES_CODED } kind;
	uint64_t steps; /* entries read so far */
};

void die_ranges_begin(struct die_ranges *r, const struct debug_base *base,
		      struct die_facts *f);
/* The list at @offset of .debug_ranges or, since DWARF 5, of .debug_rnglists. */
void die_ranges_at(struct die_ranges *r, const struct debug_base *base, uint64_t offset);
bool die_ranges_next(struct die_ranges *r, uint64_t *low, uint64_t *high);

#endif
