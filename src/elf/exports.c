/*
 * .gnu.hash is a hash table beside the dynamic symbols, which are sorted by bucket (the ABI of GNU
 * tools; glibc's do_lookup_x() in elf/dl-lookup.c reads it):
 *
 *	4 bytes each    buckets, first symbol, words of the filter, shift
 *	8 bytes each    filter: two bits of each hash are set; nearly all that is not there ends here
 *	4 bytes each    buckets: its first symbol, or 0
 *	4 bytes each    chain: hash of each symbol from the first one on; the lowest bit: the last of
 *	                its bucket
 *
 * The hash does not tell all names apart, so where it is met the name is read. What the table says is
 * compared with its size first, and a chain ends with the symbols at the latest. A look-up reads few
 * names, whatever the table says: one with long chains is not used, and where names do not have the
 * hashes it claims, the answer is that nothing is sure.
 */
#include "elf/exports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/names.h"
#include "elf/section.h"

enum {
	TABLE_MOST = 1 << 26, /* bytes of each of the three */
	CHAIN_MOST =
		1
		<< 8, /* links of a bucket: linkers make as many buckets that it has some four */
	WRONG_MOST =
		4, /* names of one hash that are other ones, before it is no hash of names */
};

struct gnu_hash_header {
	uint32_t bucket_count, first, filter_words, shift;
};

void exports_release(struct exports *e)
{
	free(e->bytes);
	claim_release(&e->claim);
	linkage_release(&e->by_name);
	*e = (struct exports){ 0 };
}

static uint64_t aligned_size(const struct section *s)
{
	return (s->header.sh_size + 7) & ~(uint64_t)7;
}

/* Where in the copy what is; false where the table is not what it should be. */
static bool lay_out_tables(struct exports *e, const struct section tables[3])
{
	uint64_t size = tables[0].header.sh_size, head;
	size_t links, length = 0;
	struct gnu_hash_header h;

	if (size < sizeof(h))
		return false;
	memcpy(&h, e->bytes, sizeof(h));
	head = sizeof(h) + h.filter_words * sizeof(*e->filter) +
	       h.bucket_count * sizeof(*e->buckets);
	if (h.bucket_count == 0 || h.filter_words == 0 || h.shift > 31 ||
	    h.filter_words & (h.filter_words - 1) || head > size)
		return false;
	e->filter = (const void *)(e->bytes + sizeof(h));
	e->filter_mask = h.filter_words - 1;
	e->shift = h.shift;
	e->buckets = (const void *)(e->filter + h.filter_words);
	e->bucket_count = h.bucket_count;
	e->chain = e->buckets + h.bucket_count;
	e->first = h.first;
	e->symbols = (const void *)(e->bytes + aligned_size(&tables[0]));
	e->symbol_count = tables[1].header.sh_size / sizeof(*e->symbols);
	if (e->symbol_count > (size - head) / sizeof(*e->chain) + h.first)
		e->symbol_count = (size - head) / sizeof(*e->chain) + h.first;
	e->names = (const char *)e->symbols + aligned_size(&tables[1]);
	e->names_size = tables[2].header.sh_size;
	if (e->symbol_count < e->first)
		return false;
	/* Each bucket's chain has to end soon. Buckets may begin anywhere in one, which makes
	 * it no longer. */
	links = e->symbol_count - e->first;
	for (size_t i = 0; i < links && length <= CHAIN_MOST; i++)
		length = e->chain[i] & 1 ? 0 : length + 1;
	return length <= CHAIN_MOST;
}

/* 1, 0 where the object has none that could be used, or -ENOMEM. */
static int copy_tables(const struct object *o, struct exports *ret)
{
	const char *ident = o->elf ? elf_getident(o->elf, NULL) : NULL;
	struct section tables[3]; /* the table, its symbols, their names */
	uint64_t at = 0, size = 0;

	if (o->machine != EM_X86_64 || o->fd < 0 || !ident ||
	    ident[EI_CLASS] != ELFCLASS64 ||
	    !section_of_type(o, SHT_GNU_HASH, &tables[0]) ||
	    !section_at(o, tables[0].header.sh_link, &tables[1]) ||
	    tables[1].header.sh_type != SHT_DYNSYM ||
	    !section_at(o, tables[1].header.sh_link, &tables[2]))
		return 0;
	for (int i = 0; i < 3; i++) {
		if (tables[i].header.sh_type == SHT_NOBITS ||
		    tables[i].header.sh_size == 0 ||
		    tables[i].header.sh_size > TABLE_MOST ||
		    tables[i].header.sh_offset > INT64_MAX)
			return 0;
		size += aligned_size(&tables[i]);
	}
	if (!claim_add_part(&ret->claim, o->budget, BUDGET_NAMES, size)) {
		budget_refuse(o->budget, "names", "a table of symbols");
		ret->partial = true;
		return 1;
	}
	ret->bytes = calloc(size, 1);
	if (!ret->bytes)
		return -ENOMEM;
	for (int i = 0; i < 3; at += aligned_size(&tables[i]), i++)
		if (object_read_some(o, tables[i].header.sh_offset, ret->bytes + at,
				     tables[i].header.sh_size) < tables[i].header.sh_size)
			ret->partial = true;
	if (lay_out_tables(ret, tables))
		return 1;
	exports_release(ret);
	return 0;
}

int exports_read(const struct object *o, struct exports *ret)
{
	int copied, err;

	*ret = (struct exports){ 0 };
	copied = copy_tables(o, ret);
	if (copied != 0)
		return copied < 0 ? copied : 0;
	err = linkage_read_exports(o, &ret->by_name);
	ret->partial = ret->by_name.partial;
	return err;
}

bool exports_find(const struct exports *e, uint64_t key, uint64_t *ret)
{
	uint32_t hash = (uint32_t)key;
	unsigned wrong = 0;
	bool found = false;
	uint64_t word;

	if (!e->bytes)
		return linkage_find(&e->by_name, key, ret);
	word = e->filter[hash / 64 & e->filter_mask];
	if (!(word >> hash % 64 & word >> (hash >> e->shift) % 64 & 1))
		return false;
	for (size_t i = e->buckets[hash % e->bucket_count], last = 0;
	     !last && i >= e->first && i < e->symbol_count; i++) {
		const Elf64_Sym *sym = &e->symbols[i];
		uint32_t link = e->chain[i - e->first];
		uint64_t value = LINKAGE_UNSURE;
		const char *name;
		size_t size = 0;

		last = link & 1;
		if ((link | 1) != (hash | 1) || !linkage_is_exported(sym))
			continue;
		if (sym->st_name < e->names_size)
			size = e->names_size - sym->st_name;
		name = e->names + sym->st_name;
		size = strnlen(name, size < NAME_BYTES_MOST ? size : NAME_BYTES_MOST);
		/* The faster one of the two hashes tells nearly all others. */
		if ((hash_bytes(name, size) ^ key) >> 32 == 0 &&
		    linkage_key(name, size) == key) {
			if (ELF64_ST_TYPE(sym->st_info) == STT_FUNC)
				value = sym->st_value;
			*ret = found && *ret != value ? LINKAGE_UNSURE : value;
			found = true;
		} else if (++wrong > WRONG_MOST) {
			*ret = LINKAGE_UNSURE;
			return true;
		}
	}
	return found;
}
