#include "object/debug_handle.h"

#include <errno.h>
#include <libelf.h>
#include <setjmp.h>
#include <stdlib.h>

/* libdw tells its handler nothing, so where to go is kept by thread. NULL outside of
 * debug_guarded(). */
static _Thread_local jmp_buf *out_of_memory;

__attribute__((noreturn)) static void leave(void)
{
	if (!out_of_memory)
		abort(); /* used outside of debug_guarded(): a bug */
	longjmp(*out_of_memory, 1);
}

int debug_guarded(int (*job)(void *arg), void *arg)
{
	jmp_buf here, *outer = out_of_memory;
	int err;

	out_of_memory = &here;
	err = setjmp(here) == 0 ? job(arg) : -ENOMEM;
	out_of_memory = outer;
	return err;
}

static int open_one(const struct debug_image *image, Elf **elf, Dwarf **dwarf)
{
	/* elf_memory() wants memory it could write; to read, it does not. */
	*elf = elf_memory((char *)image->bytes, image->size);
	if (!*elf)
		return -ENOMEM;
	*dwarf = dwarf_begin_elf(*elf, DWARF_C_READ, NULL);
	if (!*dwarf)
		return -EBADMSG;
	dwarf_new_oom_handler(*dwarf, leave);
	return 0;
}

int debug_handle_open(const struct debug_image *image,
		      const struct debug_image *alternate, struct debug_handle *ret)
{
	struct debug_handle h = { 0 };
	int err = open_one(image, &h.elf, &h.dwarf);

	if (err == 0 && alternate) {
		err = open_one(alternate, &h.alternate_elf, &h.alternate);
		if (err == 0)
			dwarf_setalt(h.dwarf, h.alternate);
	}
	if (err < 0) {
		debug_handle_close(&h);
		return err;
	}
	*ret = h;
	return 0;
}

void debug_handle_close(struct debug_handle *h)
{
	dwarf_end(h->dwarf);
	dwarf_end(h->alternate);
	elf_end(h->elf);
	elf_end(h->alternate_elf);
	*h = (struct debug_handle){ 0 };
}
