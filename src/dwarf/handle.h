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
 * What libdw does where it has not looked whether there is memory, or at a value it has not
 * checked, is to crash. In a process that has asked for it by debug_catch_crashes() that costs one
 * object: an access next to address 0 leaves debug_guarded(). Anything else inside of it (an
 * assertion, memory that is not there) ends the process with a sentence and exit status 1. Signals
 * that somebody else handles already stay with them.
 */
void debug_catch_crashes(void);

/* The file that this thread reads, for that sentence; NULL: none. Valid until the next call. */
void debug_reading(const char *name);

/*
 * All use of a handle happens inside of this: where libdw finds no memory it would end
 * the process, and leaves to here instead. What @job has allocated itself must hang on
 * @arg. Its result, or -ENOMEM: also where libdw took the lack of memory for the end of what
 * there is. -EFAULT: it crashed, with errno as it was then; its handles are to be forgotten then,
 * not closed, for its locks and tables may be half changed.
 */
int debug_guarded(int (*job)(void *arg), void *arg);
void debug_handle_forget(struct debug_handle *h);

#endif
