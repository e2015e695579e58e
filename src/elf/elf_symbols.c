/*
 * Which symbols count is perf's choice (elf_sym__filter() and elf_sec__filter() in
 * tools/perf/util/symbol-elf.c). .symtab comes from the debug file where there is one,
 * .dynsym from the object, of which the dynamic linker's tables tell where there are no section
 * headers.
 *
 * What the choice needs of sections is put into a table by index first, and symbols are
 * read right from libelf's array, which spares a call and a lock for each of what can be
 * a million. All memory that they take, up to sorting, is claimed before the first is
 * read.
 */
#include "elf/elf_symbols.h"

#include <string.h>

#include "elf/dynamic_symbols.h"
#include "elf/go_table.h"
#include "elf/module_layout.h"
#include "elf/section.h"

enum { MOST_SYMBOLS = 1 << 29 }; /* bytes of one table */

/* What the choice of symbols needs of a section, by its index. */
struct section_facts {
	uint64_t base; /* what its symbols' values count from */
	uint64_t end; /* address behind it */
	bool loaded;
	bool labels; /* symbols without a type count */
};

struct table_reader {
	struct symtab *st;
	const struct object *o; /* whose table it is */
	ARRAY(struct section_facts) sections;
	struct names *names;
	enum symbol_table table;
};

static int read_section_facts(struct table_reader *r)
{
	struct module_layout layout = { 0 };
	struct section s;

	for (size_t i = 0; section_at(r->o, i, &s); i++) {
		struct section_facts *facts = array_add(&r->sections);

		if (!facts)
			return -ENOMEM;
		facts->loaded = s.header.sh_flags & SHF_ALLOC;
		facts->end = s.header.sh_addr + s.header.sh_size;
		if (r->o->relocatable) {
			facts->loaded =
				module_layout_add(&layout, r->o, &s, &facts->base);
			facts->end = facts->base + s.header.sh_size;
		}
		/* perf's test, which sees ".text.hot" and ".data.rel.ro" but also
		 * ".gnu.text". */
		facts->labels = strstr(s.name, "text") || strstr(s.name, "data");
	}
	return 0;
}

static bool is_wanted_symbol(const struct table_reader *r, const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);
	unsigned visibility = GELF_ST_VISIBILITY(sym->st_other);
	const struct section_facts *in;
	const char *name;
	size_t size;

	if (sym->st_name == 0 || sym->st_name >= r->names->size ||
	    sym->st_shndx == SHN_UNDEF || sym->st_shndx >= r->sections.count)
		return false;
	in = &r->sections.v[sym->st_shndx];
	if (!in->loaded)
		return false;
	if (type == STT_NOTYPE) {
		if (!in->labels || visibility == STV_HIDDEN || visibility == STV_INTERNAL)
			return false;
	} else if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_OBJECT) {
		return false;
	}
	if (r->o->machine != EM_ARM && r->o->machine != EM_AARCH64)
		return true;
	/* "$x" and the like say where code and data begin: there are thousands of each. */
	name = names_at(r->names, sym->st_name, &size);
	return size < 2 || name[0] != '$' || !memchr("adtx", name[1], 4) ||
	       (size > 2 && name[2] != '.');
}

static int add_elf_symbol(struct table_reader *r, const GElf_Sym *sym)
{
	struct symbol *s = array_add(&r->st->symbols);
	unsigned bind = GELF_ST_BIND(sym->st_info);

	if (!s)
		return -ENOMEM;
	s->start = r->sections.v[sym->st_shndx].base + sym->st_value;
	s->end = s->start + sym->st_size;
	s->name = sym->st_name;
	s->table = (uint8_t)r->table;
	if (bind == STB_WEAK)
		s->flags |= SYMBOL_WEAK;
	if (bind == STB_GLOBAL)
		s->flags |= SYMBOL_GLOBAL;
	if (GELF_ST_TYPE(sym->st_info) != STT_FUNC &&
	    GELF_ST_TYPE(sym->st_info) != STT_GNU_IFUNC)
		s->flags |= SYMBOL_LABEL;
	/* The address of Thumb code has its lowest bit set. */
	if (r->o->machine == EM_ARM && GELF_ST_TYPE(sym->st_info) == STT_FUNC)
		s->start &= ~(uint64_t)1;
	if (sym->st_size == 0) {
		s->flags |= SYMBOL_SIZELESS;
		s->end = r->sections.v[sym->st_shndx].end;
	}
	if (s->end < s->start)
		s->end = sym->st_size ? UINT64_MAX : s->start;
	return 0;
}

static int read_symbol_table(struct symtab *st, const struct object *o, uint32_t type,
			     enum symbol_table table)
{
	struct table_reader r = {
		.st = st, .o = o, .table = table, .names = &st->names[table]
	};
	Elf_Data *symbols;
	struct section s;
	size_t count;
	bool is_32bit; /* in 32 bits */
	int err;

	if (!section_of_type(o, type, &s))
		return 0;
	symbols = section_data(&s, MOST_SYMBOLS);
	if (!symbols || symbols->d_type != ELF_T_SYM)
		return 0;
	if (names_open(r.names, o, s.header.sh_link) < 0)
		return -ENOMEM;
	if (r.names->size == 0)
		return 0;
	is_32bit = gelf_getclass(o->elf) == ELFCLASS32;
	count = symbols->d_size / (is_32bit ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym));
	err = read_section_facts(&r);
	if (err == 0 && !array_reserve(&st->symbols, count))
		err = -ENOMEM;
	for (size_t i = 1; i < count && err == 0; i++) {
		/* As libelf has them in memory: its own function takes a lock for each. */
		const char *bytes = symbols->d_buf;
		Elf32_Sym n;
		GElf_Sym sym; /* Elf64_Sym */

		if (is_32bit) {
			memcpy(&n, bytes + i * sizeof(n), sizeof(n));
			sym = (GElf_Sym){ n.st_name,  n.st_info,  n.st_other,
					  n.st_shndx, n.st_value, n.st_size };
		} else {
			memcpy(&sym, bytes + i * sizeof(sym), sizeof(sym));
		}
		if (is_wanted_symbol(&r, &sym))
			err = add_elf_symbol(&r, &sym);
	}
	array_release(&r.sections);
	return err;
}

/* Of a table of that type; of a damaged file too few. */
static size_t count_table_symbols(const struct object *o, uint32_t type)
{
	struct section s;

	if (!section_of_type(o, type, &s) || s.header.sh_size > o->size)
		return 0;
	return s.header.sh_size / gelf_fsize(o->elf, ELF_T_SYM, 1, EV_CURRENT);
}

/* False, and nothing is read, where there is no memory left for them: the table as libelf
 * keeps it, symbols, and what sorting and painting them takes. */
static bool claim_symbols(struct symtab *st, const struct object *o, size_t count)
{
	enum { A_SYMBOL = sizeof(GElf_Sym) + 2 * sizeof(struct symbol) + 40 };

	if (claim_add(&st->claim, o->budget, (uint64_t)count * A_SYMBOL))
		return true;
	object_refuse(o, "symbols");
	st->refused = true;
	return false;
}

int elf_symbols_read(struct symtab *st, const struct object *o,
		     const struct object *debug)
{
	const struct object *whole = debug ? debug : o;
	size_t symbols = count_table_symbols(whole, SHT_SYMTAB);
	size_t exported = count_table_symbols(o, SHT_DYNSYM);
	struct section none;
	int err = 0;

	if (!claim_symbols(st, whole, symbols))
		symbols = 0;
	if (!claim_symbols(st, o, exported))
		exported = 0;
	if (!symtab_expect(st, symbols + exported))
		err = -ENOMEM;
	if (err == 0 && symbols > 0)
		err = read_symbol_table(st, whole, SHT_SYMTAB, TABLE_SYMTAB);
	if (err == 0 && exported > 0)
		err = read_symbol_table(st, o, SHT_DYNSYM, TABLE_DYNSYM);
	if (err == 0 && st->symbols.count == 0 && !section_at(o, 1, &none))
		err = dynamic_symbols_read(st, o);
	if (err == 0 && symbols == 0)
		err = go_table_read(st, o);
	return err;
}
