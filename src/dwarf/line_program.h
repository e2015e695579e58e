#ifndef DWARF_LINE_PROGRAM_H
#define DWARF_LINE_PROGRAM_H

#include "base/array.h"
#include "base/cursor.h"
#include "base/text.h"
#include "dwarf/image.h"
#include "dwarf/work.h"

/*
 * Source lines: a unit's line program, run once beside the addresses that are asked for.
 * Nothing of it is kept but their lines. (libdw would decode it whole, with 80 bytes a
 * line and every path written out, and a few bytes can ask for more memory than there
 * is.)
 *
 *	program     1000: a.c:3   1008: a.c:4   1010: b.h:7     1020: end
 *	addresses        1004                       1011  1012
 */
struct source_line {
	uint32_t file; /* its number in the program's table */
	uint32_t line; /* 0: not known */
};

struct line_file {
	const char *name; /* in the image */
	uint32_t directory;
};

struct line_program {
	const struct debug_image *image;
	ARRAY(const char *) directories; /* before version 5: [0] is that of the unit */
	ARRAY(struct line_file) files; /* before version 5: [0] is none */
	struct cursor code; /* instructions */
	uint64_t tables; /* bytes before them */
	struct line_head {
		uint16_t version;
		uint8_t offset_size, address_size;
		uint8_t instruction, operations; /* shortest one; of an instruction */
		int8_t line_base;
		uint8_t line_range, opcode_base;
		const uint8_t *operands; /* of standard opcode i + 1 */
	} head;
};

/*
 * Reads the head of the program at @offset of .debug_line; @directory is that of the
 * unit (NULL: not known), @address_size its. A zeroed program, or one that was read
 * before. False where there is none or it is broken.
 */
bool line_program_read(struct line_program *p, const struct debug_image *image,
		       uint64_t offset, const char *directory, uint8_t address_size);
void line_program_release(struct line_program *p);

/* The work of reading it, in steps. */
uint64_t line_program_steps(const struct line_program *p);

/* Fills @lines for @count sorted addresses; those of unknown lines are left as they are. */
void line_program_run(struct line_program *p, const uint64_t *addresses, size_t count,
		      struct source_line *lines, struct debug_meter *meter);

/* Appends the path of a file; false, and nothing is appended, where there is none of that
 * number. */
bool line_program_path(const struct line_program *p, uint32_t file, struct text *out);

#endif
