#ifndef SYMBOL_RECORDED_H
#define SYMBOL_RECORDED_H

#include "elf/elf.h"
#include "symbol/symbol.h"

/*
 * Names that came with the recordings: symbols of files that are elsewhere. They count
 * where the files themselves are not here, or nothing proves that they are the same.
 */
struct recorded;

/* @strings and the recordings outlive it. 0, or -ENOMEM. */
int recorded_new(struct intern *strings, const struct recording *const *recordings,
		 size_t count, struct recorded **ret);
void recorded_free(struct recorded *r); /* NULL is fine */

struct recorded_names {
	const struct symtab *symbols; /* NULL: none */
	uint64_t shift; /* what to add to an address in the image */
};

/* The symbols for @image, valid until recorded_free(). Any number of threads may ask at
 * once. 0, or -ENOMEM. */
int recorded_find(struct recorded *r, const struct image *image,
		  struct recorded_names *ret);

#endif
