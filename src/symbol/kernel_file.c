/*
 * A vmlinux has the addresses that the kernel was linked to. The recording has the
 * address of one of its symbols, so the difference is how far KASLR has moved all of
 * them, and it has to be a multiple of a page. A module's file has sections without
 * addresses: its symbols are laid out as the kernel lays them, from 0, and the recorded
 * start of the module is taken off.
 */
#include "symbol/kernel_file.h"

#include <errno.h>

#include "find/find.h"

enum { PAGE = 4096 };

static struct wanted_kernel wanted_kernel(const struct image *image, const char *module,
					  const char *release)
{
	return (struct wanted_kernel){ .module = module,
				       .build_id = image->build_id,
				       .build_id_size = image->build_id_size,
				       .release = release };
}

int kernel_file_vmlinux(const struct symbol_options *options,
			const struct intern *strings, const struct image *image,
			enum kernel_side side, struct kernel_names *ret)
{
	const char *release = intern_text(strings, image->release);
	struct wanted_kernel wanted = wanted_kernel(image, NULL, release);
	struct context ctx = { .budget = options->dirs.budget };
	const char *reference = intern_text(strings, image->reference), *path;
	uint64_t recorded = image->reference_address, address;
	struct found *f = &ret->files;
	int err;

	wanted.remote = side == KERNEL_REMOTE;
	if (options->vmlinux) {
		err = object_open(&ctx, options->vmlinux, &f->object);
		if (err < 0) {
			text_string(&f->problem, ctx.error);
			return err == -ENOMEM ? err : 0;
		}
		text_string(&f->file, options->vmlinux);
		/* Who gives it has to know, but a build id that differs tells. */
		if (image->build_id_size && f->object.build_id_size &&
		    !object_has_build_id(&f->object, image->build_id,
					 image->build_id_size)) {
			text_printf(&f->problem,
				    "'%s' does not have the recorded build id",
				    options->vmlinux);
			f->refused = true;
			object_close(&f->object);
		}
	} else {
		err = find_kernel_file(&options->dirs, &wanted, f);
	}
	if (err < 0 || !f->object.elf)
		return err;
	err = symtab_read(&ret->own, &f->object, NULL);
	if (err < 0)
		return err;
	/* Whether the symbols fit, and how far the kernel was moved when it was booted (KASLR):
	 * the recording has the address of one of its symbols. */
	path = f->file.bytes;
	ret->shift = 0;
	if (ret->own.refused)
		text_printf(&f->problem, "no memory is left for the symbols of '%s'",
			    path);
	else if (ret->own.symbols.count == 0)
		text_printf(&f->problem, "'%s' has no symbols", path);
	else if (recorded == 0 && !options->vmlinux)
		text_string(&f->problem, KERNEL_HIDDEN);
	else if (recorded && !symtab_find(&ret->own, reference, &address))
		text_printf(&f->problem, "'%s' has no symbol '%s'", path, reference);
	else if (recorded && (ret->shift = address - recorded) % PAGE != 0)
		text_printf(&f->problem, "'%s' is of another kernel", path);
	else
		ret->is_own = true;
	return 0;
}

int kernel_file_module(const struct symbol_options *options, const struct intern *strings,
		       const struct image *image, const char *release,
		       struct kernel_names *ret)
{
	const char *path = intern_text(strings, image->path);
	struct wanted_kernel wanted = wanted_kernel(image, path, release);
	struct found *f = &ret->files;
	int err;

	if (image->reference_address == 0)
		return 0;
	err = find_kernel_file(&options->dirs, &wanted, f);
	if (err == 0 && !f->object.elf && options->dirs.debuginfod) {
		found_release(f);
		wanted.remote = true;
		err = find_kernel_file(&options->dirs, &wanted, f);
	}
	if (err < 0 || !f->object.elf)
		return err;
	err = symtab_read_module(&ret->own, &f->object);
	ret->shift = -image->reference_address;
	ret->is_own = err == 0 && ret->own.symbols.count > 0;
	if (err == 0 && !ret->is_own)
		text_printf(&f->problem,
			    ret->own.refused ? "no memory is left for the symbols of '%s'"
					     : "'%s' has no functions of a module",
			    f->file.bytes);
	return err;
}
