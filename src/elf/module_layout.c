/*
 * Where the sections of a kernel module come to lie when it is loaded, computed as the
 * kernel does it (kernel/module of Linux, layout_sections()): code first, in the order
 * of the section table, each section where its alignment allows. Where the kernel adds
 * what the file does not say, nothing is known from there on.
 */
#include "elf/module_layout.h"

#include <string.h>

/* No module is larger, and sums stay far from their limit. */
#define MODULE_MOST ((uint64_t)1 << 32)

bool module_layout_add(struct module_layout *l, const struct object *o,
		       const struct section *s, uint64_t *ret)
{
	const uint64_t code = SHF_ALLOC | SHF_EXECINSTR;
	uint64_t align = s->header.sh_addralign ? s->header.sh_addralign : 1;
	uint64_t start;

	if ((s->header.sh_flags & code) != code || strncmp(s->name, ".init", 5) == 0)
		return false;
	/* Jumps that reach further are made when the module is loaded: on machines other than
	 * x86. */
	if (o->machine != EM_X86_64 && o->machine != EM_386)
		l->unsure |= strcmp(s->name, ".text") != 0;
	l->unsure |= (align & (align - 1)) || align > MODULE_MOST ||
		     s->header.sh_size > MODULE_MOST || l->size > MODULE_MOST;
	if (l->unsure)
		return false;
	start = (l->size + align - 1) & ~(align - 1);
	l->size = start + s->header.sh_size;
	*ret = start;
	return true;
}
