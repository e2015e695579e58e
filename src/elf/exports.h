#ifndef ELF_EXPORTS_H
#define ELF_EXPORTS_H

#include <elf.h>

#include "base/budget.h"
#include "elf/linkage.h"
#include "elf/object.h"

/*
 * The functions that an object has for others, which are found by name as the dynamic linker finds
 * them: of thousands of them a profile asks for a few. So its tables are copied as they are, and no
 * name is read before its hash is asked for. A file that has symbols but no .gnu.hash has a map of
 * them all. x86-64, of files with section headers.
 */
struct exports {
	struct claim claim;
	uint8_t *bytes; /* .gnu.hash, .dynsym, .dynstr; NULL: by_name has them, if any */
	const uint64_t *filter;
	const uint32_t *buckets, *chain;
	const Elf64_Sym *symbols;
	const char *names;
	uint32_t filter_mask, shift, bucket_count;
	uint32_t first; /* symbol that the chain begins with */
	size_t symbol_count; /* that the chain has, and those before it */
	size_t names_size;
	struct linkage by_name;
	bool partial; /* there may be more */
};

/* 0, or -ENOMEM: to be released all the same. */
int exports_read(const struct object *o, struct exports *ret);
void exports_release(struct exports *e); /* a zeroed one is fine */

/* @key: as linkage_key(). *@ret: the address of the function, or LINKAGE_UNSURE where there are several
 * of that name, or it is none that could be called at its address. */
bool exports_find(const struct exports *e, uint64_t key, uint64_t *ret);

#endif
