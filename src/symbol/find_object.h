#ifndef SYMBOL_FIND_OBJECT_H
#define SYMBOL_FIND_OBJECT_H

#include "base/text.h"
#include "object/object.h"
#include "symbol/symbol.h"

/* Files of an image. */
struct found {
	struct object object; /* .elf is NULL: none */
	struct object debug; /* .elf is NULL: none, or none needed */
	struct text file; /* path of the object */
	struct text problem; /* a sentence; "": none */
	bool other_build; /* the file that was there has another build id */
};

/*
 * The object file that was recorded as @path with the build id of @image, and its
 * debug file where that adds something. 0, also where there is none: the problem
 * says why. -ENOMEM.
 */
int find_object(const struct symbol_options *options, const struct image *image,
		const char *path, struct found *ret);
void found_release(struct found *f);

bool symfs_is_set(const struct symbol_options *options);

#endif
