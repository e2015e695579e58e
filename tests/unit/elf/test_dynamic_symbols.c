#include "elf/dynamic_symbols.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "unit/elf/elf_image.h"
#include "unit/limit.h"

/*
 * A file that has code, at 0x1000, and what the dynamic linker reads, at 0x2000, and no section
 * headers. The tests break its tables.
 */
static struct elf_image e;
static struct object o;
static struct symtab st;
static struct context ctx;

static struct tables {
	Elf64_Dyn dynamic[6];
	Elf64_Sym symbols[4];
	char names[32];
	uint32_t hash[2];
	/* buckets, first, words, shift; filter; buckets; chain */
	uint32_t gnu[4], filter[2], buckets[2], chain[3];
} t = {
	.dynamic = { { DT_SYMTAB, { 0x2000 + offsetof(struct tables, symbols) } },
		     { DT_STRTAB, { 0x2000 + offsetof(struct tables, names) } },
		     { DT_STRSZ, { sizeof(t.names) } },
		     { DT_GNU_HASH, { 0x2000 + offsetof(struct tables, gnu) } } },
	.symbols = { { 0 },
		     { .st_name = 1,
		       .st_info = 2,
		       .st_shndx = 7,
		       .st_value = 0x1000,
		       .st_size = 0x10 },
		     { .st_name = 5, .st_info = 2, .st_shndx = 7, .st_value = 0x1020 },
		     { .st_name = 9,
		       .st_info = 2,
		       .st_value = 0x1040,
		       .st_size = 0x10 } },
	.names = "\0one\0two\0not",
	.hash = { 1, 4 },
	.gnu = { 2, 1, 1, 6 },
	.buckets = { 1, 2 },
	.chain = { 0xa1, 0xb2, 0xc1 },
};

static void begin(void)
{
	object_prepare();
	o.fd = -1;
}

static void end(void)
{
	symtab_release(&st);
	object_close(&o);
	image_remove(&e);
}

TestSuite(dynamic_symbols, .init = begin, .fini = end);

/* Where the section lies, which is to be said by segments alone, and has a hole behind it. */
static void read_with_hole(uint64_t hole)
{
	unsigned tables;

	image_begin(&e);
	image_code(&e, ".text", 0x1000, 0x100);
	tables = image_section(&e, ".tables", SHT_PROGBITS, SHF_ALLOC, &t, sizeof(t));
	image_segment(&e, e.sections[tables].sh_offset, sizeof(t) + hole, 0x2000, PF_R);
	image_segment(&e, e.sections[tables].sh_offset, sizeof(t.dynamic), 0x2000, PF_R);
	e.segments[e.segment_count - 1].p_type = PT_DYNAMIC;
	image_write(&e);
	cr_assert_eq(truncate(e.path, (off_t)(e.size + hole)), 0);
	cr_assert_eq(object_open(&ctx, e.path, &o), 0, "%s", ctx.error);
	cr_assert_eq(dynamic_symbols_read(&st, &o), 0);
}

static void read_it(void)
{
	read_with_hole(0);
}

static void expect_name(size_t i, const char *name, uint64_t start, uint64_t end)
{
	size_t size;
	const char *known = symtab_name(&st, &st.symbols.v[i], &size);

	cr_expect_eq(size, strlen(name));
	cr_expect_eq(memcmp(known, name, size), 0);
	cr_expect_eq(st.symbols.v[i].start, start);
	cr_expect_eq(st.symbols.v[i].end, end);
}

static void expect_both(void)
{
	cr_assert_eq(st.symbols.count, 2);
	expect_name(0, "one", 0x1000, 0x1010);
	expect_name(1, "two", 0x1020, 0x1100);
}

Test(dynamic_symbols, are_as_many_as_the_last_chain_says)
{
	read_it();
	expect_both();
}

Test(dynamic_symbols, are_as_many_as_the_older_table_says)
{
	t.dynamic[3] = (Elf64_Dyn){ DT_HASH, { 0x2000 + offsetof(struct tables, hash) } };
	read_it();
	expect_both();
}

Test(dynamic_symbols, that_are_more_than_the_file_has_are_not_read)
{
	t.hash[1] = UINT32_MAX;
	t.dynamic[3] = (Elf64_Dyn){ DT_HASH, { 0x2000 + offsetof(struct tables, hash) } };
	read_it();
	cr_expect_leq(st.symbols.count, sizeof(t) / sizeof(Elf64_Sym));
}

Test(dynamic_symbols, of_a_chain_without_an_end_are_none)
{
	t.chain[1] = t.chain[2] = 0;
	read_it();
	cr_expect_eq(st.symbols.count, 0);
}

Test(dynamic_symbols, of_tables_outside_of_the_file_are_none)
{
	static const uint64_t outside[] = { 0x3000, UINT64_MAX, 1, 0x1fff };

	for (size_t i = 0; i < 4; i++)
		for (size_t k = 0; k < sizeof(outside) / sizeof(*outside); k++) {
			Elf64_Dyn was = t.dynamic[i];

			if (i == 2)
				continue;
			t.dynamic[i].d_un.d_val = outside[k];
			read_it();
			cr_expect_eq(st.symbols.count, 0, "%zu %zu", i, k);
			t.dynamic[i] = was;
			symtab_release(&st);
			object_close(&o);
			image_remove(&e);
		}
	read_it();
	expect_both();
}

Test(dynamic_symbols, of_a_filter_or_buckets_that_are_too_many_are_none)
{
	t.gnu[2] = UINT32_MAX;
	read_it();
	cr_expect_eq(st.symbols.count, 0);
	symtab_release(&st);
	object_close(&o);
	image_remove(&e);
	t.gnu[2] = 1;
	t.gnu[0] = UINT32_MAX;
	read_it();
	cr_expect_eq(st.symbols.count, 0);
}

/* Behind the chain lies what the file has, which is nothing in a hole. */
Test(dynamic_symbols, of_a_sparse_file_take_no_longer_than_there_could_be)
{
	uint64_t hole = (uint64_t)1 << 37;

	work_at_most(10);
	t.chain[1] = t.chain[2] = 0;
	read_with_hole(hole);
	symtab_release(&st);
	object_close(&o);
	image_remove(&e);
	t.gnu[0] = UINT32_MAX;
	read_with_hole(hole);
	cr_expect_eq(st.symbols.count, 0);
}
