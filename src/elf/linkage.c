/*
 * A call from one object into another, or of a function that another object could replace, goes through a slot
 * that the dynamic linker has filled. A relocation of the one has the name, a symbol of the other has the address
 * (System V ABI, "Relocation" and "Symbol Table"; x86-64 psABI, "Relocation Types"):
 *
 *	caller                       its .rela.plt, .rela.dyn       .dynsym of another object
 *	call stub -> jmp *slot        slot: JUMP_SLOT, qsort   -->   qsort: function at 3d2a0
 *	call *slot                    slot: GLOB_DAT, qsort
 *
 * What is called through a symbol of the type IFUNC, or has other versions by the same name, that table does not tell.
 */
#include "elf/linkage.h"

#include <endian.h>
#include <gelf.h>

#include "elf/names.h"
#include "elf/section.h"

enum {
	RELOCATIONS_BLOCK = 1 << 12,
	IMPORTS_MOST = 1 << 18,
	EXPORTS_MOST = 1 << 20,
	SYMBOL_BYTES_MOST = 1 << 26,
	SECTIONS_MOST = 1 << 12,
};

/* The dynamic symbols of an object. */
struct dynamic_table {
	size_t index; /* of its section */
	Elf_Data *symbols;
	struct names names;
};

uint64_t linkage_key(const char *name, size_t size)
{
	uint32_t hash = 5381;

	for (size_t i = 0; i < size; i++)
		hash = hash * 33 + (uint8_t)name[i];
	return (hash_bytes(name, size) & ~(uint64_t)UINT32_MAX) | hash;
}

bool linkage_is_exported(const Elf64_Sym *sym)
{
	unsigned visibility = ELF64_ST_VISIBILITY(sym->st_other);

	return sym->st_shndx != SHN_UNDEF && ELF64_ST_BIND(sym->st_info) != STB_LOCAL &&
	       visibility != STV_HIDDEN && visibility != STV_INTERNAL;
}

void linkage_release(struct linkage *l)
{
	hash_map_release(&l->by_key);
	array_release(&l->values);
	*l = (struct linkage){ 0 };
}

/* Several with one key are one, which is not sure unless all are alike. */
static int add_entry(struct linkage *l, uint64_t key, uint64_t value)
{
	const uint32_t *known = hash_map_get(&l->by_key, key);
	uint64_t *added;

	if (known) {
		if (l->values.v[*known] != value)
			l->values.v[*known] = LINKAGE_UNSURE;
		return 0;
	}
	added = array_add(&l->values);
	if (!added)
		return -ENOMEM;
	*added = value;
	return hash_map_set(&l->by_key, key, (uint32_t)l->values.count - 1) ? 0 : -ENOMEM;
}

/* 1, 0 where there is none that can be read, or -ENOMEM. */
static int open_table(const struct object *o, struct dynamic_table *ret)
{
	struct section table;
	const char *ident = o->elf ? elf_getident(o->elf, NULL) : NULL;

	*ret = (struct dynamic_table){ 0 };
	if (o->machine != EM_X86_64 || o->fd < 0 || !ident ||
	    ident[EI_CLASS] != ELFCLASS64 || !section_of_type(o, SHT_DYNSYM, &table))
		return 0;
	ret->index = elf_ndxscn(table.scn);
	ret->symbols = section_data(&table, SYMBOL_BYTES_MOST);
	if (!ret->symbols || ret->symbols->d_type != ELF_T_SYM)
		return 0;
	return names_open(&ret->names, o, table.header.sh_link) < 0 ? -ENOMEM : 1;
}

/* The key of the symbol's name; false where it has none. */
static bool symbol_at(const struct dynamic_table *t, size_t index, GElf_Sym *sym,
		      uint64_t *key)
{
	const char *name;
	size_t size;

	if (index > INT32_MAX || !gelf_getsym(t->symbols, (int)index, sym) ||
	    sym->st_name >= t->names.size)
		return false;
	name = names_at(&t->names, sym->st_name, &size);
	*key = linkage_key(name, size);
	return size > 0;
}

/* Block by block: most of megabytes are relocations of data, and not kept. */
static int read_relocations(const struct dynamic_table *t, const struct section *s,
			    Elf64_Rela *block, struct linkage *ret)
{
	uint64_t at = s->header.sh_offset, left = s->header.sh_size, name;
	GElf_Sym sym;

	while (left >= sizeof(*block)) {
		size_t size = RELOCATIONS_BLOCK * sizeof(*block);
		size_t count =
			object_read_some(s->o, at, block, left < size ? left : size) /
			sizeof(*block);

		if (count == 0)
			return 0;
		for (size_t i = 0; i < count; i++) {
			uint64_t info = le64toh(block[i].r_info);

			if (ELF64_R_TYPE(info) != R_X86_64_JUMP_SLOT &&
			    ELF64_R_TYPE(info) != R_X86_64_GLOB_DAT)
				continue;
			if (ret->values.count == IMPORTS_MOST)
				break;
			if (symbol_at(t, ELF64_R_SYM(info), &sym, &name) &&
			    GELF_ST_BIND(sym.st_info) != STB_LOCAL &&
			    add_entry(ret, le64toh(block[i].r_offset), name) < 0)
				return -ENOMEM;
		}
		at += count * sizeof(*block);
		left -= count * sizeof(*block);
	}
	return 0;
}

int linkage_read_imports(const struct object *o, struct linkage *ret)
{
	Elf64_Rela *block = NULL;
	struct dynamic_table t;
	struct section s;
	int err;

	*ret = (struct linkage){ 0 };
	err = open_table(o, &t);
	if (err > 0) {
		block = malloc(RELOCATIONS_BLOCK * sizeof(*block));
		err = block ? 0 : -ENOMEM;
		for (size_t i = 1; err == 0 && i < SECTIONS_MOST && section_at(o, i, &s);
		     i++)
			if (s.header.sh_type == SHT_RELA && s.header.sh_link == t.index &&
			    s.header.sh_offset <= INT64_MAX)
				err = read_relocations(&t, &s, block, ret);
	}
	free(block);
	names_release(&t.names);
	return err;
}

int linkage_read_exports(const struct object *o, struct linkage *ret)
{
	struct dynamic_table t;
	size_t count;
	GElf_Sym sym;
	uint64_t name;
	int err;

	*ret = (struct linkage){ .partial = true };
	err = open_table(o, &t);
	if (err <= 0)
		goto out;
	err = 0;
	count = t.symbols->d_size / sizeof(Elf64_Sym);
	ret->partial = count > EXPORTS_MOST;
	for (size_t i = 1; i < count && i < EXPORTS_MOST && err == 0; i++) {
		bool sure;

		if (!symbol_at(&t, i, &sym, &name)) {
			ret->partial = true; /* no memory was left for its name */
			continue;
		}
		if (!linkage_is_exported(&sym))
			continue;
		sure = GELF_ST_TYPE(sym.st_info) == STT_FUNC;
		err = add_entry(ret, name, sure ? sym.st_value : LINKAGE_UNSURE);
	}
out:
	names_release(&t.names);
	return err;
}

bool linkage_find(const struct linkage *l, uint64_t key, uint64_t *ret)
{
	const uint32_t *i = hash_map_get(&l->by_key, key);

	if (i)
		*ret = l->values.v[*i];
	return i != NULL;
}
