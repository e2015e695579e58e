#ifndef DWARF_HANDLE_H
#define DWARF_HANDLE_H

#include <elfutils/libdw.h>

#include "dwarf/image.h"

/*
 * libdw on an image, for one thread: elfutils of Debian 12 has no locks. Any number of
 * handles share the bytes of the image.
 */
struct debug_handle {
	Elf *elf, *alternate_elf;
	Dwarf *dwarf, *alternate;
};

/* @alternate has what dwz moved out of @image, or is NULL; both outlive the handle.
 * 0, -EBADMSG, -ENOMEM, or
 * -EFAULT where libdw crashed. */
int debug_handle_open(const struct debug_image *image,
		      const struct debug_image *alternate, struct debug_handle *ret);
void debug_handle_close(struct debug_handle *h); /* a zeroed one is fine */

/*
 * All use of a handle happens inside of this: base/guard.h has what it returns. Handles that were in use when libdw
 * crashed are to be forgotten, not closed.
 */
int debug_guarded(int (*job)(void *arg), void *arg);
void debug_handle_forget(struct debug_handle *h);

#endif
