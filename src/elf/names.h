#ifndef ELF_NAMES_H
#define ELF_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/object.h"

/*
 * The string table of a symbol table. Of tens of megabytes a profile needs a few
 * hundred names, so a block of it is read when a name in it is asked for.
 *
 *	bytes   |....|####|....|....|####|....|
 *	loaded    0    1    0    0    1    0
 *
 * A block is claimed of the object's budget when it is read; where that has nothing left, its
 * names are empty.
 */
struct names {
	char *bytes;
	size_t size;
	uint8_t *loaded; /* by block; NULL: all is there, and not owned */
	struct budget *budget;
	int fd;
	_Atomic int *read_error; /* of the object */
	uint64_t offset; /* of the table in the file */
};

/* The table that section @index of @o holds; empty where it holds none. @o outlives it.
 * 0, or -ENOMEM. */
int names_open(struct names *n, const struct object *o, size_t index);
/* The same of bytes of its file, for those with an fd. */
int names_open_at(struct names *n, const struct object *o, uint64_t offset,
		  uint64_t size);
void names_release(struct names *n); /* a zeroed one is fine */

/* Of a longer name the rest is left out. */
enum { NAME_BYTES_MOST = 1 << 14 };

/* The name at @offset, not NUL-terminated where it is damaged or long: *@size counts. */
const char *names_at(const struct names *n, size_t offset, size_t *size);

#endif
