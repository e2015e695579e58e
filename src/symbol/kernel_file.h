#ifndef SYMBOL_KERNEL_FILE_H
#define SYMBOL_KERNEL_FILE_H

#include "symbol/kernel.h"

/*
 * Names of the kernel from vmlinux, and of a module from its own file. Both have the
 * recorded build id, but for a vmlinux that was given.
 */

/* Where it is looked for: what is here, and only then what is elsewhere. */
enum kernel_side { KERNEL_HERE, KERNEL_REMOTE };

/*
 * @release, as uname -r says it; "": not known. True with ret->symbols where there are
 * some that fit; else ret->files.problem says what is wrong with what was found. 0, or
 * -ENOMEM.
 */
int kernel_file_vmlinux(const struct symbol_options *options,
			const struct intern *strings, const struct image *image,
			enum kernel_side side, struct kernel_names *ret);
int kernel_file_module(const struct symbol_options *options, const struct intern *strings,
		       const struct image *image, const char *release,
		       struct kernel_names *ret);

#endif
