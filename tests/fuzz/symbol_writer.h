#ifndef FUZZ_SYMBOL_WRITER_H
#define FUZZ_SYMBOL_WRITER_H

/*
 * Symbol tables being written, with sizes and names that may be anything, and what has to hold of
 * them when they are read.
 */
#include "dwarf_writer.h"
#include "elf/symtab.h"

static inline uint32_t symbol_name(struct debug_writer *d, struct numbers *n)
{
	static const char *const texts[] = { "f",  "_Z1hv", "",		  "a b;c",
					     "$x", ".L1",   "f@@VERSION", "\xff" };
	struct bytes *b = &d->object.sections[STRTAB];
	uint32_t at;

	if (b->count == 0)
		bytes_u8(b, 0);
	if (number_below(n, 8) == 0)
		return (uint32_t)number_odd(n);
	at = (uint32_t)b->count;
	put_text(b, texts[number_below(n, 8)]);
	return at;
}

static inline void put_symbol(struct debug_writer *d, bool exported, struct numbers *n)
{
	static const uint8_t types[] = {
		STT_FUNC,      STT_FUNC,   STT_FUNC, STT_OBJECT,
		STT_GNU_IFUNC, STT_NOTYPE, STT_FILE, STT_SECTION
	};
	struct bytes *b = &d->object.sections[exported ? DYNSYM : SYMTAB];
	Elf64_Sym s = { .st_name = symbol_name(d, n) };

	s.st_info = ELF64_ST_INFO(number_below(n, 3), types[number_below(n, 8)]);
	s.st_other = (uint8_t)(number_below(n, 8) ? 0 : number_next(n));
	s.st_shndx = (uint16_t)(number_below(n, 8) ? TEXT : number_odd(n));
	s.st_value =
		number_below(n, 8) ? CODE + number_below(n, CODE_SIZE) : number_odd(n);
	s.st_size = number_below(n, 4) ? number_below(n, 0x100) : number_odd(n);
	if (b->count == 0)
		put_bytes(b, 0, sizeof(s));
	bytes_add(b, &s, sizeof(s));
}

static inline void check_symbols(const struct object *o)
{
	struct symtab st;
	uint64_t at = 0;
	size_t size, found = 0;

	fuzz_check(symtab_read(&st, o, NULL) == 0, "symbols are read");
	for (size_t i = 0; i < st.spans.list.count; i++) {
		const struct span *span = &st.spans.list.v[i];

		fuzz_check(span->start >= at && span->start < span->end,
			   "spans do not overlap");
		fuzz_check(span->id < st.symbols.count &&
				   st.symbols.v[span->id].start <= span->start,
			   "a symbol begins where its span does, or before");
		at = span->end;
	}
	for (size_t i = 0; i < st.symbols.count; i++) {
		const char *name = symtab_name(&st, &st.symbols.v[i], &size);

		for (size_t k = 0; k < size; k++)
			found += name[k] != 0;
	}
	fuzz_check(found < SIZE_MAX, "names can be read");
	symtab_release(&st);
}

#endif
