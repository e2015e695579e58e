#include "elf/symtab.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "unit/elf/elf_image.h"

static struct elf_image e, debug_image;
static struct context ctx;
static struct object o, debug;
static struct symtab st;
static unsigned text;

static void begin(void)
{
	object_prepare();
	image_begin(&e);
	image_begin(&debug_image);
	text = image_code(&e, ".text", 0x1000, 0x400);
}

static void end(void)
{
	symtab_release(&st);
	object_close(&o);
	object_close(&debug);
	image_remove(&e);
	if (*debug_image.path)
		image_remove(&debug_image);
}

TestSuite(symtab, .init = begin, .fini = end);

static void read_it(void)
{
	image_write(&e);
	cr_assert_eq(object_open(&ctx, e.path, &o), 0);
	cr_assert_eq(symtab_read(&st, &o, NULL), 0);
}

static Elf64_Sym *function(const char *name, uint64_t start, uint64_t size)
{
	return image_symbol(&e, name, start, size, STB_GLOBAL, text);
}

static void set_type(Elf64_Sym *s, unsigned type)
{
	s->st_info = (unsigned char)ELF64_ST_INFO(ELF64_ST_BIND(s->st_info), type);
}

/* The first name of the group at @address; "" where nothing covers it. */
static const char *at(uint64_t address)
{
	static char name[64];
	const struct span *span = spans_find(&st.spans, address);
	const char *text;
	size_t size;

	if (!span)
		return "";
	text = symtab_name(&st, &st.symbols.v[span->id], &size);
	snprintf(name, sizeof(name), "%.*s", (int)size, text);
	return name;
}

Test(symtab, a_symbol_ends_with_its_size)
{
	function("b", 0x1020, 0x10);
	function("a", 0x1000, 0x10);
	read_it();
	cr_expect_str_eq(at(0xfff), "");
	cr_expect_str_eq(at(0x1000), "a");
	cr_expect_str_eq(at(0x100f), "a");
	cr_expect_str_eq(at(0x1010), "");
	cr_expect_str_eq(at(0x1020), "b");
	cr_expect_str_eq(at(0x1030), "");
}

Test(symtab, a_symbol_without_a_size_ends_where_the_next_one_starts)
{
	function("asm", 0x1000, 0);
	function("next", 0x1080, 8);
	read_it();
	cr_expect_str_eq(at(0x107f), "asm");
	cr_expect_str_eq(at(0x1080), "next");
}

Test(symtab, a_symbol_without_a_size_ends_with_its_section)
{
	unsigned init = image_code(&e, ".init", 0x800, 0x1b);

	image_symbol(&e, "_init", 0x800, 0, STB_GLOBAL, init);
	function("main", 0x1100, 0x10);
	function("_end_of_code", 0x13f0, 0);
	read_it();
	cr_expect_str_eq(at(0x81a), "_init");
	cr_expect_str_eq(at(0x81b), "");
	cr_expect_str_eq(at(0x13ff), "_end_of_code");
	cr_expect_str_eq(at(0x1400), "");
}

Test(symtab, an_outer_function_goes_on_after_an_inner_one)
{
	function("outer", 0x1000, 0x100);
	function("inner", 0x1040, 0x10);
	read_it();
	cr_expect_str_eq(at(0x103f), "outer");
	cr_expect_str_eq(at(0x1040), "inner");
	cr_expect_str_eq(at(0x1050), "outer");
	cr_expect_str_eq(at(0x10ff), "outer");
}

Test(symtab, only_functions_data_and_visible_labels_count)
{
	unsigned special =
		image_section(&e, ".special", SHT_PROGBITS, SHF_ALLOC, NULL, 16);

	function("undefined", 0x1000, 0x10)->st_shndx = SHN_UNDEF;
	function("absolute", 0x1010, 0x10)->st_shndx = SHN_ABS;
	set_type(function("tls", 0x1020, 0x10), STT_TLS);
	set_type(function("file", 0x1030, 0x10), STT_FILE);
	set_type(image_symbol(&e, "label", 0x1040, 0x10, STB_LOCAL, special), STT_NOTYPE);
	set_type(function("hidden", 0x1050, 0x10), STT_NOTYPE);
	e.symbols[e.symbol_count - 1].st_other = STV_HIDDEN;
	set_type(function("visible", 0x1060, 0x10), STT_NOTYPE);
	set_type(function("data", 0x1070, 0x10), STT_OBJECT);
	set_type(function("ifunc", 0x1080, 0x10), STT_GNU_IFUNC);
	read_it();
	cr_assert_eq(st.symbols.count, 3);
	cr_expect_str_eq(at(0x1060), "visible");
	cr_expect_str_eq(at(0x1070), "data");
	cr_expect_str_eq(at(0x1080), "ifunc");
}

Test(symtab, symbols_of_sections_that_are_not_loaded_do_not_count)
{
	unsigned warning =
		image_section(&e, ".gnu.warning.gets", SHT_PROGBITS, 0, "gets", 4);

	image_symbol(&e, "gets", 0x1000, 4, STB_GLOBAL, warning);
	read_it();
	cr_expect_eq(st.symbols.count, 0);
}

Test(symtab, mapping_symbols_of_arm_do_not_count)
{
	e.machine = EM_AARCH64;
	set_type(function("$x", 0x1000, 0), STT_NOTYPE);
	set_type(function("$d.12", 0x1010, 0), STT_NOTYPE);
	function("$xyz", 0x1020, 0x10);
	read_it();
	cr_assert_eq(st.symbols.count, 1);
	cr_expect_str_eq(at(0x1020), "$xyz");
}

Test(symtab, of_symbols_without_a_size_at_one_address_the_last_has_it)
{
	function("first", 0x1000, 0);
	function("last", 0x1000, 0);
	function("next", 0x1010, 8);
	read_it();
	cr_assert_eq(symtab_group(&st, 0), 2);
	cr_expect_eq(st.symbols.v[0].end, 0x1000);
	cr_expect_eq(st.symbols.v[1].end, 0x1010);
}

Test(symtab, a_label_in_a_function_with_a_size_names_nothing)
{
	set_type(function("code_begin", 0x1000, 0), STT_NOTYPE);
	function("outer", 0x1000, 0x100);
	set_type(function("DEBUGSTART", 0x1000, 0), STT_NOTYPE);
	set_type(function("in_the_middle", 0x1040, 0), STT_NOTYPE);
	set_type(function("behind", 0x1100, 0), STT_NOTYPE);
	function("next", 0x1120, 8);
	read_it();
	for (uint64_t address = 0x1000; address < 0x1100; address += 8) {
		const struct span *span = spans_find(&st.spans, address);
		uint64_t longest = 0;
		size_t size;

		cr_assert(span);
		for (size_t i = 0; i < symtab_group(&st, span->id); i++) {
			const struct symbol *s = &st.symbols.v[span->id + i];

			if (s->end > address) {
				cr_expect_eq(
					memcmp(symtab_name(&st, s, &size), "outer", 5),
					0);
				longest = s->end;
			}
		}
		cr_expect_eq(longest, 0x1100);
	}
	cr_expect_str_eq(at(0x1100), "behind");
	cr_expect_str_eq(at(0x111f), "behind");
	cr_expect_str_eq(at(0x1120), "next");
}

Test(symtab, a_debug_file_names_what_the_object_does_not)
{
	unsigned there;

	e.dynamic = 1;
	function("exported", 0x1000, 0x10);
	there = image_code(&debug_image, ".text", 0x1000, 0x400);
	debug_image.sections[there].sh_type = SHT_NOBITS;
	image_symbol(&debug_image, "internal", 0x1010, 0x10, STB_LOCAL, there);
	image_write(&debug_image);
	image_write(&e);
	cr_assert_eq(object_open(&ctx, e.path, &o), 0);
	cr_assert_eq(object_open(&ctx, debug_image.path, &debug), 0);
	cr_assert_eq(symtab_read(&st, &o, &debug), 0);
	cr_expect_str_eq(at(0x1000), "exported");
	cr_expect_str_eq(at(0x1010), "internal");
}

Test(symtab, a_name_outside_of_its_table_is_no_symbol)
{
	function("a", 0x1000, 0x10);
	function("b", 0x1010, 0x10)->st_name = 1 << 30;
	read_it();
	cr_expect_eq(st.symbols.count, 1);
}

Test(symtab, a_size_past_the_last_address_ends_there)
{
	function("huge", 0x1000, UINT64_MAX);
	function("inner", 0x1010, 0x10);
	read_it();
	cr_expect_str_eq(at(UINT64_MAX - 1), "huge");
	cr_expect_str_eq(at(0x1010), "inner");
}

Test(symtab, symbols_are_found_by_name)
{
	uint64_t address;

	function("_stext_not", 0x1000, 0);
	function("_stext", 0x1100, 0);
	read_it();
	cr_assert(symtab_find(&st, "_stext", &address));
	cr_expect_eq(address, 0x1100);
	cr_expect_not(symtab_find(&st, "_ste", &address));
}
