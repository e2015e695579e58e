#ifndef ELF_PROBE_OFFSET_H
#define ELF_PROBE_OFFSET_H

#include "elf/object.h"

/*
 * Where in the file a function begins that the object itself has, not a stub that leads to another
 * one's: of several versions the one that programs are linked to now. 0; -ENOENT: there is none;
 * -ENOTSUP: it is chosen among several when a program is loaded (STT_GNU_IFUNC), so which one
 * runs the name does not say.
 */
int probe_offset_find(const struct object *o, const char *function, uint64_t *ret);

#endif
