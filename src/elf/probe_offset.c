/*
 * What others may call stands in .dynsym, with a version each (.gnu.version, a number with its highest
 * bit set for one that new programs are not linked to); what is a program's own, as all of
 * one that is linked statically, in .symtab.
 *
 *	.dynsym        memcpy@GLIBC_2.2.5  memcpy@@GLIBC_2.14  malloc (undefined: a stub's)
 *	.gnu.version   8002                0018
 */
#include "elf/probe_offset.h"

#include <errno.h>
#include <string.h>

#include "elf/section.h"

enum { TABLE_MOST = 256 << 20, VERSION_HIDDEN = 0x8000 };

/* As probe_offset_find(), in one table. */
static int find_in(const struct object *o, uint32_t table, const char *function,
		   uint64_t *ret)
{
	struct section symbols, versions;
	Elf_Data *data, *version = NULL;
	int err = -ENOENT;
	GElf_Versym number;
	GElf_Sym sym;

	if (!section_of_type(o, table, &symbols))
		return -ENOENT;
	data = section_data(&symbols, TABLE_MOST);
	if (table == SHT_DYNSYM && section_of_type(o, SHT_GNU_versym, &versions))
		version = section_data(&versions, TABLE_MOST);
	for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
		const char *name =
			elf_strptr(o->elf, symbols.header.sh_link, sym.st_name);
		unsigned type = GELF_ST_TYPE(sym.st_info);
		bool usual = !version || !gelf_getversym(version, i, &number) ||
			     !(number & VERSION_HIDDEN);
		const struct segment *code = NULL;

		if (sym.st_shndx == SHN_UNDEF || !name || strcmp(name, function) != 0)
			continue;
		if (type == STT_GNU_IFUNC) {
			err = -ENOTSUP;
			continue;
		}
		if (type != STT_FUNC && type != STT_NOTYPE)
			continue;
		for (size_t k = 0; k < o->segments.count && !code; k++) {
			const struct segment *s = &o->segments.v[k];

			if (s->exec && sym.st_value >= s->address &&
			    sym.st_value - s->address < s->size)
				code = s;
		}
		if (!code)
			continue;
		*ret = sym.st_value - code->address + code->offset;
		err = 0;
		/* An older version is better than none. */
		if (usual)
			break;
	}
	return err;
}

int probe_offset_find(const struct object *o, const char *function, uint64_t *ret)
{
	int err = find_in(o, SHT_DYNSYM, function, ret);

	return err == -ENOENT ? find_in(o, SHT_SYMTAB, function, ret) : err;
}
