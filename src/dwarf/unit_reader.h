#ifndef DWARF_UNIT_READER_H
#define DWARF_UNIT_READER_H

#include "base/intern.h"
#include "dwarf/calls.h"
#include "dwarf/inlines.h"
#include "dwarf/line_program.h"
#include "dwarf/package.h"
#include "dwarf/units.h"

/* What the threads that read an object's units share. Nothing of it changes meanwhile
 * but the work. */
struct unit_source {
	const struct object *o, *debug;
	struct inline_options options;
	struct debug_image image, alternate; /* alternate.bytes is NULL: none */
	struct debug_units units;
	struct debug_package package; /* of the units that are split; zeroed: none */
	struct debug_work work;
};

/* The .dwo file of a unit, or what a package has of it. */
struct unit_split {
	struct object file; /* open while it is read */
	struct debug_image image;
	struct debug_handle handle;
	struct debug_units units;
	struct debug_base base;
	Dwarf_Die cu;
};

/* Where the frames of an address are. */
struct unit_answer {
	size_t first, count;
};

/* One thread's. */
struct unit_reader {
	const struct unit_source *source;
	struct debug_handle handle;
	struct debug_meter meter;
	struct debug_names names;
	struct debug_calls calls;
	struct unit_split split;
	struct line_program lines; /* of the unit */
	struct line_program split_lines; /* of its .dwo file: only files */
	struct Dwarf_CU *unit; /* that is read */
	struct line_program other_lines; /* of another unit: only files */
	struct Dwarf_CU *other; /* that unit; NULL: none yet */
	ARRAY(struct source_line) found_lines; /* by address */
	struct intern files;
	struct hash_map file_ids; /* string ids of the unit's files */
	struct text path;
	ARRAY(struct inline_frame) frames;
	size_t missing_files;
	size_t missing_unit; /* the first unit whose file is missing */
	struct text missing; /* a sentence about it */
	bool crashed; /* libdw: nothing is read any more */
};

/* @source outlives it. 0, -EBADMSG, -ENOMEM, -EFAULT. */
int unit_reader_init(struct unit_reader *r, struct unit_source *source);
void unit_reader_release(struct unit_reader *r); /* a zeroed one is fine */

/*
 * Appends the frames of @count sorted addresses that lie in @unit. 0, or -ENOMEM. Broken
 * parts of a unit are left out; nothing of it counts once the meter is spent.
 */
int unit_reader_read(struct unit_reader *r, size_t unit, const uint64_t *addresses,
		     size_t count, struct unit_answer *answers);

#endif
