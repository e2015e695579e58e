#ifndef DWARF_IMAGE_H
#define DWARF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/context.h"
#include "elf/elf.h"

/*
 * The part of an object's debug information that names functions and lines: in memory,
 * unpacked, as an ELF file of its own.
 *
 *	| header | .debug_info | 0 | .debug_abbrev | 0 | ... | section names | sections |
 *
 * libdw reads this in place of the file. Then location lists and macros, which are
 * half of the bytes, are not read; sizes are checked before memory is taken; handles
 * of several threads share the bytes; and the zeros behind each section end what would
 * be read past its end.
 */
enum debug_section {
	DEBUG_INFO,
	DEBUG_TYPES,
	DEBUG_ABBREV,
	DEBUG_STR,
	DEBUG_STR_OFFSETS,
	DEBUG_LINE_STR,
	DEBUG_RANGES,
	DEBUG_RNGLISTS,
	DEBUG_ADDR,
	DEBUG_LINE,
	DEBUG_SECTIONS
};

struct debug_bytes {
	const uint8_t *p;
	size_t size;
};

struct debug_image {
	uint8_t *bytes;
	size_t size;
	struct debug_bytes sections[DEBUG_SECTIONS]; /* .size is 0: there is none */
	bool swapped; /* in the byte order that is not this machine's */
	/* Below it is no code: linkers leave what they dropped at 0 or 1, or a little above.
	 * To be set by who knows the object that runs. */
	uint64_t first_code;
	struct claim claim; /* of the object's budget */
};

/* A part of a file. */
struct debug_extent {
	uint64_t offset, size;
};

/*
 * What is not in the file with a unit's DIEs: addresses and, before DWARF 5, ranges stand in the
 * file that refers to it, what of those belongs to the unit; of a package also the strings.
 */
struct debug_split_parts {
	struct debug_bytes addresses, ranges;
	struct debug_bytes strings, string_offsets;
};

/* What an image may take. */
#define DEBUG_IMAGE_MOST ((uint64_t)2 << 30) /* bytes, unpacked */
enum { DEBUG_IMAGE_RATIO = 64 }; /* unpacked to packed, above the first MiB */

/*
 * The image of @o; it needs @o no longer. With @lines also .debug_line, which is much.
 * -ENODATA where there is no debug information that can be used, -EFBIG where it is
 * more than an image may take or the object's budget has left, -EBADMSG where it cannot be unpacked: each with a
 * sentence that lacks the file's name. -ENOMEM.
 */
int debug_image_read(struct context *ctx, const struct object *o, bool lines,
		     struct debug_image *ret);

/* The same of a .dwo file, whose strings are its own. */
int debug_image_read_split(struct context *ctx, const struct object *o, bool lines,
			   const struct debug_split_parts *given,
			   struct debug_image *ret);

/* The same of parts of a file (debug_package.h), which have been found to lie in it. */
int debug_image_cut(struct context *ctx, const struct object *o,
		    const struct debug_extent parts[DEBUG_SECTIONS],
		    const struct debug_split_parts *given, struct debug_image *ret);

/* The lowest address of a section with code, at least 1. */
uint64_t debug_first_code(const struct object *o);

void debug_image_release(struct debug_image *image); /* a zeroed one is fine */

#endif
