/*
 * libdw may fail in ways that a library cannot, so all of it runs inside a guard (base/guard.h), and
 * where it finds no memory its handler leaves to there.
 */
#include "dwarf/handle.h"

#include <errno.h>
#include <libelf.h>

#include "base/guard.h"

int debug_guarded(int (*job)(void *arg), void *arg)
{
	static const struct guarded_library libdw = {
		.name = "libdw",
		.material = "the debug information",
		.cure = "--no-inline does without",
	};

	return guard_run(&libdw, job, arg);
}

static int open_image(const struct debug_image *image, Elf **elf, Dwarf **dwarf)
{
	errno = 0;
	/* elf_memory() wants memory it could write; to read, it does not. */
	*elf = elf_memory((char *)image->bytes, image->size);
	if (!*elf)
		return -ENOMEM;
	*dwarf = dwarf_begin_elf(*elf, DWARF_C_READ, NULL);
	if (!*dwarf)
		return errno == ENOMEM ? -ENOMEM : -EBADMSG;
	dwarf_new_oom_handler(*dwarf, guard_leave_without_memory);
	return 0;
}

struct opening {
	const struct debug_image *image, *alternate;
	struct debug_handle h;
};

static int open_in_guard(void *arg)
{
	struct opening *o = arg;
	int err = open_image(o->image, &o->h.elf, &o->h.dwarf);

	if (err == 0 && o->alternate) {
		err = open_image(o->alternate, &o->h.alternate_elf, &o->h.alternate);
		if (err == 0)
			dwarf_setalt(o->h.dwarf, o->h.alternate);
	}
	return err;
}

int debug_handle_open(const struct debug_image *image,
		      const struct debug_image *alternate, struct debug_handle *ret)
{
	struct opening o = { .image = image, .alternate = alternate };
	int err = debug_guarded(open_in_guard, &o);

	if (err == 0)
		*ret = o.h;
	else if (err != -EFAULT)
		debug_handle_close(&o.h);
	return err;
}

void debug_handle_forget(struct debug_handle *h)
{
	*h = (struct debug_handle){ 0 };
}

void debug_handle_close(struct debug_handle *h)
{
	dwarf_end(h->dwarf);
	dwarf_end(h->alternate);
	elf_end(h->elf);
	elf_end(h->alternate_elf);
	*h = (struct debug_handle){ 0 };
}
