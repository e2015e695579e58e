#ifndef TESTS_INFO_WRITER_H
#define TESTS_INFO_WRITER_H

#include <dwarf.h>
#include <stddef.h>
#include <stdint.h>

#include "unit/elf/elf_image.h"

/*
 * Debug information for tests, entry by entry:
 *
 *	info_begin(&d);
 *	info_abbreviation(&d, 1, DW_TAG_compile_unit, DW_CHILDREN_yes,
 *			   DW_AT_name, DW_FORM_string, 0);
 *	info_unit(&d, 4);
 *	info_die(&d, 1);
 *	put_text(&d.info, "a.c");
 *	...children...
 *	info_close(&d);			the unit's DIE has no more
 *	info_end_unit(&d);
 *	info_add(&d, &e);		to an elf_image
 */
struct bytes {
	uint8_t v[1 << 14];
	size_t size;
};

void put_sized(struct bytes *b, uint64_t value, size_t size);
void put_uleb(struct bytes *b, uint64_t value);
void put_text(struct bytes *b, const char *text); /* with its NUL */

static inline void put8(struct bytes *b, uint64_t value)
{
	put_sized(b, value, 1);
}

static inline void put16(struct bytes *b, uint64_t value)
{
	put_sized(b, value, 2);
}

static inline void put32(struct bytes *b, uint64_t value)
{
	put_sized(b, value, 4);
}

static inline void put64(struct bytes *b, uint64_t value)
{
	put_sized(b, value, 8);
}

struct info_writer {
	struct bytes info, abbrev, line, ranges, rnglists, addr;
	size_t unit; /* where the present one begins */
};

void info_begin(struct info_writer *d);
/* Attribute, form, ..., 0. */
void info_abbreviation(struct info_writer *d, unsigned code, unsigned tag,
		       unsigned children, ...);

/* Versions 2 to 5; of the abbreviations from the beginning. */
void info_unit(struct info_writer *d, unsigned version);
void info_end_unit(struct info_writer *d);

/* The code of a DIE; its offset in the unit, for references. */
uint32_t info_die(struct info_writer *d, unsigned code);
void info_close(struct info_writer *d); /* no more children */

void info_add(const struct info_writer *d, struct elf_image *e);

#endif
