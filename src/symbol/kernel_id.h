#ifndef SYMBOL_KERNEL_ID_H
#define SYMBOL_KERNEL_ID_H

#include "symbol/symbol.h"

/* Whether a recorded kernel is the one that runs here. */
enum kernel_match {
	KERNEL_SAME, /* its build id is */
	KERNEL_OTHER, /* its build id or its release is another */
	KERNEL_MAYBE, /* nothing speaks against it */
	KERNEL_LIKELY, /* its release is the same */
};

/* @image: a kernel or its vdso. */
enum kernel_match kernel_match(const struct image *image, const struct intern *strings);

/* The build id of the kernel that runs here, in hex; false where it does not say. */
bool kernel_build_id_here(char hex[2 * BUILD_ID_MAX + 1]);

/* True where every kernel that was not moved at boot has that address. */
bool kernel_is_default_address(uint64_t address);

#endif
