/*
 * The dynamic linker needs no section headers: PT_DYNAMIC has the addresses of the symbols, of
 * their names and of a hash table of them, and only that tells how many there are (System V ABI,
 * "Dynamic Section"; GNU's table: "ELF: symbol lookup via DT_GNU_HASH").
 *
 *	DT_HASH       buckets, symbols | ...          the second number
 *	DT_GNU_HASH   buckets, first, words, shift | bloom filter | buckets | chain of hashes
 *	              the last symbol is at the end of the chain of the highest bucket: that
 *	              hash has its lowest bit set
 *
 * Addresses become offsets in the file by the load segments. All of it may be anything: what does not
 * lie in the file, or is more than the file could have, is not there.
 */
#include "elf/dynamic_symbols.h"

#include <errno.h>
#include <gelf.h>

#include "base/cursor.h"

enum {
	BATCH = 256,
	MOST_ENTRIES = 4096,
	MOST_SYMBOLS = 1 << 24, /* and buckets: a sparse file has room for any number */
};

struct dynamic {
	const struct object *o;
	bool is_32bit, swapped;
	uint64_t symbols, names, names_size, hash, gnu_hash; /* addresses; 0: none */
	uint64_t room; /* symbols that can be there */
};

/* Where the bytes of an address are in the file, and how many follow; false where none are. */
static bool find_bytes(const struct dynamic *d, uint64_t address, uint64_t *offset,
		       uint64_t *left)
{
	for (size_t i = 0; i < d->o->segments.count; i++) {
		const struct segment *s = &d->o->segments.v[i];

		if (address < s->address || address - s->address >= s->size)
			continue;
		*offset = s->offset + (address - s->address);
		*left = s->size - (address - s->address);
		if (*offset >= d->o->size)
			return false;
		if (*left > d->o->size - *offset)
			*left = d->o->size - *offset;
		return true;
	}
	return false;
}

static bool read_elf_words(const struct dynamic *d, uint64_t offset, uint32_t *ret,
			   size_t count)
{
	uint8_t bytes[4 * BATCH];
	struct cursor c = cursor_of(bytes, 4 * count);

	c.swap = d->swapped;
	if (count > BATCH || !object_read(d->o, offset, bytes, 4 * count))
		return false;
	for (size_t i = 0; i < count; i++)
		ret[i] = cursor_u32(&c);
	return true;
}

/* What PT_DYNAMIC says. False where it has no symbols, or there is none. */
static bool find_dynamic(struct dynamic *d)
{
	const unsigned char *ident = (const void *)elf_getident(d->o->elf, NULL);
	GElf_Phdr header;
	size_t count, at = 0, entry;

	if (!ident || elf_getphdrnum(d->o->elf, &count) < 0)
		return false;
	d->is_32bit = ident[EI_CLASS] == ELFCLASS32;
	d->swapped = ident[EI_DATA] == ELFDATA2MSB;
	if (count > UINT16_MAX)
		count = UINT16_MAX;
	while (at < count &&
	       !(gelf_getphdr(d->o->elf, (int)at, &header) &&
		 header.p_type == PT_DYNAMIC && header.p_offset < d->o->size))
		at++;
	if (at == count)
		return false;
	entry = d->is_32bit ? 8 : 16;
	for (uint64_t i = 0; i < MOST_ENTRIES && i < header.p_filesz / entry; i++) {
		uint8_t bytes[16];
		struct cursor c = cursor_of(bytes, entry);
		uint64_t tag, value;

		c.swap = d->swapped;
		if (!object_read(d->o, header.p_offset + i * entry, bytes, entry))
			break;
		tag = d->is_32bit ? cursor_u32(&c) : cursor_u64(&c);
		value = d->is_32bit ? cursor_u32(&c) : cursor_u64(&c);
		if (tag == DT_NULL)
			break;
		if (tag == DT_SYMTAB)
			d->symbols = value;
		else if (tag == DT_STRTAB)
			d->names = value;
		else if (tag == DT_STRSZ)
			d->names_size = value;
		else if (tag == DT_HASH)
			d->hash = value;
		else if (tag == DT_GNU_HASH)
			d->gnu_hash = value;
	}
	return d->symbols && d->names && d->names_size;
}

/* How many symbols there are up to the end of the chain that begins with @symbol; 0 where those
 * that are there end before it. */
static uint64_t end_of_chain(const struct dynamic *d, uint64_t chains, uint64_t left,
			     uint64_t first, uint64_t symbol)
{
	uint32_t words[BATCH];

	while (symbol < d->room && (symbol - first + 1) * 4 <= left) {
		uint64_t there = left / 4 - (symbol - first);
		size_t size = there < BATCH ? (size_t)there : BATCH;

		if (!read_elf_words(d, chains + 4 * (symbol - first), words, size))
			return 0;
		for (size_t i = 0; i < size; i++)
			if (words[i] & 1)
				return symbol + i + 1;
		symbol += size;
	}
	return 0;
}

static uint64_t count_by_gnu_hash(const struct dynamic *d)
{
	uint64_t at, left, filter, chains;
	uint32_t head[4], words[BATCH],
		highest = 0; /* of the buckets; 0: all are empty */

	if (!d->gnu_hash || !find_bytes(d, d->gnu_hash, &at, &left) || left < 16 ||
	    !read_elf_words(d, at, head, 4))
		return 0;
	filter = (uint64_t)head[2] * (d->is_32bit ? 4 : 8);
	chains = 16 + filter + 4 * (uint64_t)head[0];
	if (chains > left || head[0] > MOST_SYMBOLS)
		return 0;
	for (uint64_t i = 0; i < head[0]; i += BATCH) {
		size_t size = head[0] - i < BATCH ? (size_t)(head[0] - i) : BATCH;

		if (!read_elf_words(d, at + 16 + filter + 4 * i, words, size))
			return 0;
		for (size_t k = 0; k < size; k++)
			if (words[k] > highest)
				highest = words[k];
	}
	if (highest < head[1])
		return head[1];
	return end_of_chain(d, at + chains, left - chains, head[1], highest);
}

/* The symbol that comes next, if it is that of a function. */
static int add_dynamic_symbol(struct symtab *st, const struct dynamic *d,
			      struct cursor *c)
{
	uint32_t name = cursor_u32(c);
	uint64_t start = 0, size = 0;
	unsigned info, section, bind;
	struct symbol *s;

	/* Those of 32 bits have the numbers in another order. */
	if (d->is_32bit) {
		start = cursor_u32(c);
		size = cursor_u32(c);
	}
	info = cursor_u8(c);
	cursor_u8(c);
	section = cursor_u16(c);
	if (!d->is_32bit) {
		start = cursor_u64(c);
		size = cursor_u64(c);
	}
	if (name == 0 || name >= st->names[TABLE_DYNSYM].size || section == SHN_UNDEF ||
	    section == SHN_ABS ||
	    (GELF_ST_TYPE(info) != STT_FUNC && GELF_ST_TYPE(info) != STT_GNU_IFUNC))
		return 0;
	s = array_add(&st->symbols);
	if (!s)
		return -ENOMEM;
	/* The address of Thumb code has its lowest bit set. */
	if (d->o->machine == EM_ARM)
		start &= ~(uint64_t)1;
	*s = (struct symbol){
		.start = start, .end = start + size, .name = name, .table = TABLE_DYNSYM
	};
	bind = GELF_ST_BIND(info);
	s->flags = (bind == STB_WEAK ? SYMBOL_WEAK : 0) |
		   (bind == STB_GLOBAL ? SYMBOL_GLOBAL : 0);
	if (size == 0) {
		s->flags |= SYMBOL_SIZELESS;
		s->end = object_code_end(d->o, start);
		if (s->end == 0)
			s->end = start;
	}
	if (s->end < start)
		s->end = UINT64_MAX;
	return 0;
}

static int read_dynamic_symbols(struct symtab *st, const struct dynamic *d,
				uint64_t offset, uint64_t count)
{
	size_t size = d->is_32bit ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
	uint8_t bytes[BATCH * sizeof(Elf64_Sym)];

	for (uint64_t i = 0; i < count; i += BATCH) {
		size_t batch = count - i < BATCH ? (size_t)(count - i) : BATCH;
		struct cursor c = cursor_of(bytes, batch * size);

		c.swap = d->swapped;
		if (!object_read(d->o, offset + i * size, bytes, batch * size))
			return 0;
		for (size_t k = 0; k < batch; k++)
			if (add_dynamic_symbol(st, d, &c) < 0)
				return -ENOMEM;
	}
	return 0;
}

int dynamic_symbols_read(struct symtab *st, const struct object *o)
{
	/* What a symbol takes, up to sorting. */
	enum { A_SYMBOL = 2 * sizeof(struct symbol) + 40 };
	/* The words of DT_HASH are 8 bytes on these, which nothing else has. */
	bool wide_hash = o->machine == EM_ALPHA || o->machine == EM_S390;
	struct dynamic d = { .o = o };
	uint64_t at, left, names, names_left, hash, hash_left, count;
	uint32_t head[2];

	if (o->fd < 0 || !find_dynamic(&d) || !find_bytes(&d, d.symbols, &at, &left) ||
	    !find_bytes(&d, d.names, &names, &names_left))
		return 0;
	d.room = left / (d.is_32bit ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym));
	if (d.room > MOST_SYMBOLS)
		d.room = MOST_SYMBOLS;
	if (d.hash && !wide_hash && find_bytes(&d, d.hash, &hash, &hash_left) &&
	    hash_left >= 8 && read_elf_words(&d, hash, head, 2))
		count = head[1];
	else
		count = count_by_gnu_hash(&d);
	if (count > d.room)
		count = d.room;
	if (d.names_size > names_left)
		d.names_size = names_left;
	if (count == 0)
		return 0;
	if (!claim_add(&st->claim, o->budget, count * A_SYMBOL)) {
		object_refuse(o, "symbols");
		st->refused = true;
		return 0;
	}
	if (names_open_at(&st->names[TABLE_DYNSYM], o, names, d.names_size) < 0)
		return -ENOMEM;
	return read_dynamic_symbols(st, &d, at, count);
}
