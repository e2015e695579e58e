#ifndef DWARF_PACKAGE_H
#define DWARF_PACKAGE_H

#include "base/keyed.h"
#include "dwarf/image.h"
#include "dwarf/work.h"
#include "elf/elf.h"

/*
 * A .dwp file: what many .dwo files held, one after another, and an index that says which part of
 * each section belongs to which unit (DWARF 5, 7.3.5; before that GNU's, which is version 2).
 *
 *	.debug_cu_index     id of a unit -> row;  row -> where its part of each section is
 *	.debug_info         |  a.dwo   |    b.dwo    | c.dwo |
 *	.debug_abbrev       | a.dwo | b.dwo | c.dwo |
 *	.debug_str_offsets  | a.dwo |  b.dwo  | c.dwo |
 *	.debug_str          of all, each string once
 *
 * A unit is cut out as the image of the .dwo file that it was, with those strings that it refers
 * to: so whoever reads it need not know where it comes from.
 */
struct debug_package {
	struct object file;
	bool swapped;
	unsigned version; /* of the index: 2 or 5 */
	/* Of the file; .size is 0: there is none. */
	struct debug_extent sections[DEBUG_SECTIONS];
	uint8_t *index; /* .debug_cu_index */
	size_t index_size;
	uint32_t columns, rows;
	uint64_t offsets; /* in the index: of the first row's parts */
	int column_of[DEBUG_SECTIONS]; /* -1: none */
	struct keyed *by_id; /* the rows, by id of their unit */
	size_t count;
	uint8_t *strings; /* .debug_str, with a zero behind it */
	uint64_t strings_size;
	struct claim claim;
};

/*
 * Takes over the open @file, also where it fails. -EBADMSG, -EFBIG, -EOPNOTSUPP with a sentence that
 * lacks the file's name; -ENOMEM.
 */
int debug_package_open(struct context *ctx, struct object *file,
		       struct debug_package *ret);
void debug_package_release(struct debug_package *p); /* a zeroed one is fine */

/* The row of the unit with that id; false where there is none, as in a zeroed package. */
bool debug_package_find(const struct debug_package *p, uint64_t id, uint32_t *row);

/* Which unit is read, and what of it. */
struct package_unit {
	uint32_t row;
	bool lines; /* also .debug_line */
	struct debug_split_parts given; /* addresses and ranges; the strings are found */
};

/* debug_image_read_split() of a row; @m counts what its strings cost, -ETIME where that is too much.
 * Any number of threads at the same time. */
int debug_package_read(struct context *ctx, const struct debug_package *p,
		       const struct package_unit *unit, struct debug_meter *m,
		       struct debug_image *ret);

#endif
