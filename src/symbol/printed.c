/*
 * What perf script has printed of a frame is its function's name and its object's: what a symbol
 * table would have told. So an image is made up of what the object's name tells, and asked how its functions are
 * called.
 */
#include "symbol/printed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/naming.h"

static enum image_kind kind_of(const struct printed_part *module, const char *path)
{
	static const char kernel[] = "[kernel.kallsyms]", guest[] = "[guest.kernel";

	if (module->size == 0 || strcmp(path, "[unknown]") == 0)
		return IMAGE_UNKNOWN;
	if (strncmp(path, kernel, sizeof(kernel) - 1) == 0)
		return IMAGE_KERNEL;
	if (strncmp(path, guest, sizeof(guest) - 1) == 0)
		return IMAGE_GUEST;
	if (printed_is_kernel(module))
		return strstr(path, "vmlinux") ? IMAGE_KERNEL : IMAGE_MODULE;
	return *path == '[' || strncmp(path, "//anon", 6) == 0 ? IMAGE_ANON : IMAGE_FILE;
}

/* "main.c:12" */
static int find_declared(struct intern *strings, const struct printed_part *file,
			 struct function *ret)
{
	const char *colon = file->size ? memrchr(file->text, ':', file->size) : NULL;

	if (!colon)
		return 0;
	ret->line = (uint32_t)strtoul(colon + 1, NULL, 10);
	return intern_add(strings, file->text, (size_t)(colon - file->text), &ret->file);
}

int printed_function(const struct symbol_options *options, struct intern *strings,
		     uint32_t id, struct text *room, struct function *ret)
{
	struct printed_frame printed;
	struct image image = { 0 };
	struct name_parts parts;
	struct naming naming;
	uint32_t path = 0;
	int err;

	printed_frame_split(intern_text(strings, id), &printed);
	if (printed_is_label(&printed)) {
		*ret = (struct function){ .kind = FUNCTION_LABEL };
		return intern_add(strings, printed.name.text, printed.name.size,
				  &ret->name) < 0 ||
				       intern_add(strings, printed.module.text,
						  printed.module.size,
						  &ret->module) < 0 ||
				       intern_add(strings, printed.file.text,
						  printed.file.size, &ret->file) < 0
			       ? -ENOMEM
			       : 0;
	}
	if (printed.module.size &&
	    intern_add(strings, printed.module.text, printed.module.size, &path) < 0)
		return -ENOMEM;
	image.kind = kind_of(&printed.module, intern_text(strings, path));
	image.path = path;
	err = naming_init(&naming, options, &image, intern_text(strings, path));
	parts = (struct name_parts){ .symbol = printed.name.text,
				     .size = printed.name.size,
				     .inlined = printed.inlined,
				     .whole = printed.file.text != NULL };
	if (printed_is_unnamed(&printed.name)) {
		parts.symbol = NULL;
		parts.pc = strtoull(printed.address.size ? printed.address.text : "0",
				    NULL, 16);
	}
	*ret = (struct function){ .unnamed = !parts.symbol,
				  .module = image.kind == IMAGE_UNKNOWN ? 0 : path };
	if (options->declared && find_declared(strings, &printed.file, ret) < 0)
		err = -ENOMEM;
	text_clear(room);
	/* A blank is what its regular expression leaves of no name. */
	if (options->compat && !printed.name.size)
		text_char(room, ' ');
	else if (err == 0)
		ret->dropped = !naming_add(&naming, &parts, room);
	if (err == 0)
		ret->kind = (uint8_t)naming_kind(&naming);
	if (printed.inlined && options->compat)
		ret->kind = FUNCTION_USER;
	else if (printed.inlined && options->inline_mark)
		ret->kind = FUNCTION_INLINED;
	naming_release(&naming);
	if (err < 0 || room->failed)
		return -ENOMEM;
	return intern_add(strings, room->bytes ? room->bytes : "", room->size,
			  &ret->name);
}
