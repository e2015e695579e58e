#ifndef FIND_KERNEL_ID_H
#define FIND_KERNEL_ID_H

#include "elf/elf.h"

/* Whether a recorded kernel is the one that runs here. */
enum kernel_match {
	KERNEL_SAME, /* its build id is */
	KERNEL_OTHER, /* its build id or its release is another */
	KERNEL_MAYBE, /* nothing speaks against it */
	KERNEL_LIKELY, /* its release is the same */
};

/* The recorded kernel: its build id (size 0: not known) and its release as uname -r says
 * it ("": not known). */
enum kernel_match kernel_match(const uint8_t *build_id, size_t size, const char *release);

/* Likewise a module of the kernel that runs here, by its name in /proc/modules: KERNEL_SAME,
 * _OTHER, or _MAYBE where one of the two build ids is not known. */
enum kernel_match kernel_module_match(const char *name, const uint8_t *build_id,
				      size_t size);

/* The build id of the kernel that runs here, in hex; false where it does not say. */
bool kernel_build_id_here(char hex[2 * OBJECT_BUILD_ID_MAX + 1]);

/* True where every kernel that was not moved at boot has that address. */
bool kernel_is_default_address(uint64_t address);

#endif
