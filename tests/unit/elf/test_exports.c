#include "elf/exports.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "elf/section.h"
#include "unit/elf/elf_image.h"

static struct elf_image e;
static struct context ctx;
static struct object o;
static struct exports found;
static unsigned text;

/* Two buckets, one word of filter, and links of the symbols behind the first: those that a test does not
 * set end their chains. */
enum { LINKS = 8 };

static struct table {
	uint32_t bucket_count, first, filter_words, shift;
	uint64_t filter;
	uint32_t buckets[2], chain[LINKS];
} t;

static uint32_t gnu_hash(const char *name)
{
	return (uint32_t)linkage_key(name, strlen(name));
}

static void begin(void)
{
	object_prepare();
	image_begin(&e);
	e.dynamic = 1;
	text = image_code(&e, ".text", 0x1000, 0x100);
	/* The first symbol is none. */
	t = (struct table){ .bucket_count = 2,
			    .first = 1,
			    .filter_words = 1,
			    .shift = 6,
			    .filter = UINT64_MAX };
	for (size_t i = 0; i < LINKS; i++)
		t.chain[i] = 1;
}

static void end(void)
{
	exports_release(&found);
	object_close(&o);
	image_remove(&e);
}

TestSuite(exports, .init = begin, .fini = end);

static void read_table(void)
{
	unsigned s =
		image_section(&e, ".gnu.hash", SHT_GNU_HASH, SHF_ALLOC, &t, sizeof(t));

	/* Names come next, then symbols. */
	e.sections[s].sh_link = s + 2;
	image_write(&e);
	cr_assert_eq(object_open(&ctx, e.path, &o), 0);
	cr_assert_eq(exports_read(&o, &found), 0);
}

static uint64_t value_of(const char *name)
{
	uint64_t value;

	return exports_find(&found, linkage_key(name, strlen(name)), &value) ? value : 0;
}

/* A bucket may hold what is in no other: which one is asked does not matter to the chain. */
static void all_in_one_chain(const char *a, const char *b, const char *c)
{
	t.buckets[0] = t.buckets[1] = 1;
	t.chain[0] = gnu_hash(a) & ~1u;
	t.chain[1] = gnu_hash(b) & ~1u;
	t.chain[2] = gnu_hash(c) | 1;
}

Test(exports, functions_are_found_by_the_hash_of_their_names)
{
	image_symbol(&e, "sort", 0x1010, 8, STB_GLOBAL, text);
	image_symbol(&e, "find", 0x1020, 8, STB_WEAK, text);
	image_symbol(&e, "own", 0x1030, 8, STB_LOCAL, text);
	all_in_one_chain("sort", "find", "own");
	read_table();
	cr_expect_not_null(found.bytes);
	cr_expect_not(found.partial);
	cr_expect_eq(value_of("sort"), 0x1010);
	cr_expect_eq(value_of("find"), 0x1020);
	cr_expect_eq(value_of("own"), 0);
	cr_expect_eq(value_of("other"), 0);
}

Test(exports, a_name_of_the_same_hash_is_another_one)
{
	/* 33 * 'b' + 'A' = 33 * 'a' + 'b' */
	image_symbol(&e, "ab", 0x1010, 8, STB_GLOBAL, text);
	all_in_one_chain("ab", "x", "x");
	cr_assert_eq(gnu_hash("ab"), gnu_hash("bA"));
	read_table();
	cr_expect_eq(value_of("ab"), 0x1010);
	cr_expect_eq(value_of("bA"), 0);
}

Test(exports, two_versions_and_what_a_resolver_chooses_are_not_sure)
{
	image_symbol(&e, "copy", 0x1010, 8, STB_GLOBAL, text);
	image_symbol(&e, "copy", 0x1020, 8, STB_GLOBAL, text);
	image_symbol(&e, "chosen", 0x1030, 8, STB_GLOBAL, text)->st_info =
		ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC);
	all_in_one_chain("copy", "copy", "chosen");
	read_table();
	cr_expect_eq(value_of("copy"), LINKAGE_UNSURE);
	cr_expect_eq(value_of("chosen"), LINKAGE_UNSURE);
}

Test(exports, the_filter_says_what_is_not_there)
{
	image_symbol(&e, "sort", 0x1010, 8, STB_GLOBAL, text);
	all_in_one_chain("sort", "x", "x");
	t.filter = 0;
	read_table();
	cr_expect_eq(value_of("sort"), 0);
}

Test(exports, a_chain_without_an_end_ends_with_the_table)
{
	/* Symbols go on behind the links, of which a last one has half. */
	for (int i = 0; i < 8; i++)
		image_symbol(&e, "sort", 0x1010, 8, STB_GLOBAL, text);
	all_in_one_chain("x", "x", "x");
	t.chain[2] &= ~1u;
	read_table();
	cr_expect_not_null(found.bytes);
	cr_expect_eq(value_of("sort"), 0);
	cr_expect_leq(found.symbol_count,
		      t.first + (sizeof(t) - offsetof(struct table, chain)) / 4);
}

Test(exports, where_names_have_not_the_hashes_they_should_nothing_is_sure)
{
	/* Each of them would be read. */
	for (int i = 0; i < 100; i++)
		image_symbol(&e, "other", 0x1010, 8, STB_GLOBAL, text);
	t.buckets[0] = t.buckets[1] = 1;
	for (size_t i = 0; i < LINKS; i++)
		t.chain[i] = gnu_hash("sort") & ~1u;
	read_table();
	cr_expect_not_null(found.bytes);
	cr_expect_eq(value_of("sort"), LINKAGE_UNSURE);
	cr_expect_eq(value_of("find"), 0);
}

Test(exports, a_bucket_may_point_anywhere)
{
	image_symbol(&e, "sort", 0x1010, 8, STB_GLOBAL, text);
	all_in_one_chain("sort", "x", "x");
	t.first = 2;
	t.buckets[0] = 1; /* before the first */
	t.buckets[1] = UINT32_MAX;
	read_table();
	cr_expect_eq(value_of("sort"), 0);
	cr_expect_eq(value_of("sorr"), 0);
}

/* What no dynamic linker could read is passed over, and the symbols are read one by one. */
static void expect_map(void)
{
	image_symbol(&e, "sort", 0x1010, 8, STB_GLOBAL, text);
	read_table();
	cr_expect_null(found.bytes);
	cr_expect_eq(value_of("sort"), 0x1010);
}

Test(exports, a_table_without_buckets_is_none)
{
	t.bucket_count = 0;
	expect_map();
}

Test(exports, a_filter_of_three_words_is_none)
{
	t.filter_words = 3;
	expect_map();
}

Test(exports, a_table_that_is_larger_than_its_section_is_none)
{
	t.bucket_count = UINT32_MAX;
	expect_map();
}

Test(exports, a_table_with_a_chain_of_hundreds_is_none)
{
	static uint32_t links[400];
	struct table *large = calloc(1, sizeof(t) + sizeof(links));
	unsigned s;

	cr_assert_not_null(large);
	image_symbol(&e, "sort", 0x1010, 8, STB_GLOBAL, text);
	for (size_t i = 1; i < sizeof(links) / sizeof(*links); i++)
		image_symbol(&e, "sort", 0x1010, 8, STB_GLOBAL, text);
	t.buckets[0] = t.buckets[1] = 1;
	for (size_t i = 0; i < LINKS; i++)
		t.chain[i] = 0;
	*large = t;
	s = image_section(&e, ".gnu.hash", SHT_GNU_HASH, SHF_ALLOC, large,
			  sizeof(t) + sizeof(links));
	free(large);
	e.sections[s].sh_link = s + 2;
	image_write(&e);
	cr_assert_eq(object_open(&ctx, e.path, &o), 0);
	cr_assert_eq(exports_read(&o, &found), 0);
	cr_expect_null(found.bytes);
	cr_expect_eq(value_of("sort"), 0x1010);
}

Test(exports, a_hash_is_not_shifted_by_more_than_it_has)
{
	t.shift = 32;
	expect_map();
}

Test(exports, of_the_c_library_all_names_are_found_as_one_by_one)
{
	struct linkage all;
	struct section names;
	Elf_Data *data;
	Dl_info info;
	size_t known = 0;

	cr_assert(dladdr((void *)puts, &info));
	image_write(&e);
	cr_assert_eq(object_open(&ctx, info.dli_fname, &o), 0, "%s", ctx.error);
	cr_assert_eq(exports_read(&o, &found), 0);
	if (!found.bytes)
		cr_skip("the C library has no .gnu.hash");
	cr_assert_eq(linkage_read_exports(&o, &all), 0);
	cr_assert(section_named(&o, ".dynstr", &names));
	data = section_data(&names, 1 << 24);
	cr_assert_not_null(data);
	for (size_t at = 1; at < data->d_size;) {
		const char *name = (const char *)data->d_buf + at;
		size_t size = strnlen(name, data->d_size - at);
		uint64_t key = linkage_key(name, size), a = 0, b = 0;

		cr_expect_eq(exports_find(&found, key, &a), linkage_find(&all, key, &b));
		cr_expect_eq(a, b, "%s", name);
		known += b != 0;
		at += size + 1;
	}
	cr_expect_gt(known, 1000);
	linkage_release(&all);
}
