#ifndef CFI_SECTION_H
#define CFI_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "elf/elf.h"

/* The bytes of an .eh_frame or .debug_frame. */
struct cfi_section {
	const uint8_t *bytes;
	size_t size; /* at most 256 MiB */
	uint64_t address; /* of bytes[0] in the object */
	bool eh; /* .eh_frame, which differs in small things */
	bool terminated; /* where it ends is not known but by an entry of length 0 */
	uint8_t word; /* bytes of an address in it */
	uint64_t text, data; /* what text- and data-relative pointers count from */
	void *owned; /* NULL: the bytes are the object's */
	struct claim
		claim; /* of the object's budget: for the bytes, and what is made of them */
};

/*
 * .eh_frame, by its section, or where the sections are stripped by PT_GNU_EH_FRAME.
 * Only the pointer in what that names is used: its table of functions is a hint, which
 * static binaries do not have and which may lie. 0, also where there is none (size is 0
 * then); -ENOMEM.
 */
int cfi_section_eh(const struct object *o, struct cfi_section *ret);

/*
 * Where .eh_frame and .eh_frame_hdr lie, for one who wants but pieces of them. @s is what
 * cfi_section_eh() makes, without bytes. False where one of them is not in the file, or
 * .eh_frame is not named by a section.
 */
struct cfi_extent {
	uint64_t offset, size; /* in the file */
	uint64_t address;
};
bool cfi_section_parts(const struct object *o, struct cfi_section *s,
		       struct cfi_extent *eh, struct cfi_extent *header);

/* .debug_frame, compressed or not. */
int cfi_section_debug(const struct object *o, struct cfi_section *ret);

void cfi_section_release(struct cfi_section *s); /* a zeroed one is fine */

#endif
