#ifndef ELF_SECTION_H
#define ELF_SECTION_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/object.h"

/* A section that was checked: its bytes lie in the file and are not many. */
struct section {
	const struct object *o;
	Elf_Scn *scn;
	GElf_Shdr header;
	const char *name; /* never NULL */
};

/* The first section of that name, or of that type; false where there is none. */
bool section_named(const struct object *o, const char *name, struct section *ret);
bool section_of_type(const struct object *o, uint32_t type, struct section *ret);

/* The section at @index of the header table. */
bool section_at(const struct object *o, size_t index, struct section *ret);

/* Its bytes, valid until object_close(); NULL where it has none or more than @most, or where
 * they cannot be read, which object_read_error() tells. */
Elf_Data *section_data(const struct section *s, size_t most);

#endif
