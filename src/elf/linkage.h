#ifndef ELF_LINKAGE_H
#define ELF_LINKAGE_H

#include <elf.h>

#include "base/hash.h"
#include "elf/object.h"

/*
 * What the dynamic linker puts into which slot of an object, and what an object has for others. x86-64, of files with
 * section headers. Names are known by their keys.
 */
struct linkage {
	struct hash_map by_key; /* index in values */
	ARRAY(uint64_t) values;
	bool partial; /* there may be more */
};

/* The name of the function that a slot is for, by the slot's address. 0, or -ENOMEM: to be released all the same. */
int linkage_read_imports(const struct object *o, struct linkage *ret);

/* The address of the function that is exported, by its name's key; LINKAGE_UNSURE where there are several of that name,
 * or it is none that could be called at its address. All names are read: exports_read() reads only the tables. Likewise. */
#define LINKAGE_UNSURE UINT64_MAX
int linkage_read_exports(const struct object *o, struct linkage *ret);

/* Of the two halves the lower one is the hash of .gnu.hash, the other one that of this process. */
uint64_t linkage_key(const char *name, size_t size);

/* Would the dynamic linker find it? */
bool linkage_is_exported(const Elf64_Sym *sym);

void linkage_release(struct linkage *l);

bool linkage_find(const struct linkage *l, uint64_t key, uint64_t *ret);

#endif
