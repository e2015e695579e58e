#ifndef FIND_KERNEL_H
#define FIND_KERNEL_H

#include "find/object.h"

/*
 * From what a recording says of a kernel to the files that hold its symbols. Only the
 * build id decides: where none was recorded there is no file, and one with another id is
 * refused. In this order, below the symfs where there is one:
 *
 *	perf's build-id cache	DIR/.build-id/xx/rest/elf, /debug, or the entry itself
 *	the debug directory	DIR/.build-id/xx/rest.debug, rest
 *	by release		DIR/boot/vmlinux-REL, /boot/vmlinux-REL,
 *				/lib/modules/REL/build/vmlinux,
 *				DIR/lib/modules/REL/vmlinux, /lib/modules/REL/vmlinux
 *
 * A module is looked for at the recorded path first, and by release where modules.dep
 * has it; packed or not.
 */
struct wanted_kernel {
	const char *module; /* path or "[name]", as recorded; NULL: the kernel itself */
	const uint8_t *build_id;
	size_t build_id_size; /* 0: not known */
	const char *release; /* as uname -r says it; "": not known */
	bool remote; /* nothing of this is asked, but debuginfod */
};

/*
 * A file with symbols: ret->object, ret->file. 0, also where there is none: then
 * ret->problem says why, but where nothing could be looked for. -ENOMEM.
 */
int find_kernel_file(const struct search_dirs *dirs, const struct wanted_kernel *wanted,
		     struct found *ret);

#endif
