#include "elf/linkage.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/hash.h"
#include "unit/elf/elf_image.h"

static struct elf_image e;
static struct context ctx;
static struct object o;
static struct linkage found;
static Elf64_Rela relocations[8];
static size_t relocation_count;
static unsigned text;

static void begin(void)
{
	object_prepare();
	image_begin(&e);
	e.dynamic = 1;
	text = image_code(&e, ".text", 0x1000, 0x100);
}

static void end(void)
{
	linkage_release(&found);
	object_close(&o);
	image_remove(&e);
}

TestSuite(linkage, .init = begin, .fini = end);

static void relocation(uint64_t slot, const char *name, unsigned type)
{
	uint64_t symbol = name ? e.symbol_count : 0;

	if (name)
		image_symbol(&e, name, 0, 0, STB_GLOBAL, SHN_UNDEF);
	relocations[relocation_count++] =
		(Elf64_Rela){ slot, ELF64_R_INFO(symbol, type), 0 };
}

static void add_relocations(const char *name)
{
	unsigned s = image_section(&e, name, SHT_RELA, SHF_ALLOC, relocations,
				   relocation_count * sizeof(*relocations));

	/* Names come next, then symbols. */
	e.sections[s].sh_link = s + 2;
}

static void open_it(void)
{
	image_write(&e);
	cr_assert_eq(object_open(&ctx, e.path, &o), 0);
}

static uint64_t value_of(uint64_t key)
{
	uint64_t value;

	return linkage_find(&found, key, &value) ? value : 0;
}

static uint64_t named(const char *name)
{
	return linkage_key(name, strlen(name));
}

Test(linkage, slots_have_the_names_of_their_relocations)
{
	relocation(0x4018, "puts", R_X86_64_JUMP_SLOT);
	relocation(0x4008, "qsort", R_X86_64_GLOB_DAT);
	relocation(0x4028, "environ", R_X86_64_COPY);
	relocation(0x4038, NULL, R_X86_64_IRELATIVE);
	add_relocations(".rela.any");
	open_it();
	cr_assert_eq(linkage_read_imports(&o, &found), 0);
	cr_expect_eq(value_of(0x4018), named("puts"));
	cr_expect_eq(value_of(0x4008), named("qsort"));
	cr_expect_eq(value_of(0x4028), 0);
	cr_expect_eq(value_of(0x4038), 0);
	cr_expect_eq(value_of(0x4010), 0);
}

Test(linkage, a_slot_that_two_names_are_for_is_not_sure)
{
	relocation(0x4018, "puts", R_X86_64_JUMP_SLOT);
	relocation(0x4018, "qsort", R_X86_64_GLOB_DAT);
	add_relocations(".rela.any");
	open_it();
	cr_assert_eq(linkage_read_imports(&o, &found), 0);
	cr_expect_eq(value_of(0x4018), LINKAGE_UNSURE);
}

Test(linkage, functions_that_are_exported_have_their_addresses)
{
	Elf64_Sym *sym;

	image_symbol(&e, "sort", 0x1010, 8, STB_GLOBAL, text);
	image_symbol(&e, "weak", 0x1020, 8, STB_WEAK, text);
	image_symbol(&e, "own", 0x1030, 8, STB_LOCAL, text);
	image_symbol(&e, "needed", 0, 0, STB_GLOBAL, SHN_UNDEF);
	sym = image_symbol(&e, "hidden", 0x1040, 8, STB_GLOBAL, text);
	sym->st_other = STV_HIDDEN;
	open_it();
	cr_assert_eq(linkage_read_exports(&o, &found), 0);
	cr_expect_not(found.partial);
	cr_expect_eq(value_of(named("sort")), 0x1010);
	cr_expect_eq(value_of(named("weak")), 0x1020);
	cr_expect_eq(value_of(named("own")), 0);
	cr_expect_eq(value_of(named("needed")), 0);
	cr_expect_eq(value_of(named("hidden")), 0);
}

Test(linkage, two_versions_and_what_a_resolver_chooses_are_not_sure)
{
	Elf64_Sym *sym;

	image_symbol(&e, "copy", 0x1010, 8, STB_GLOBAL, text);
	image_symbol(&e, "copy", 0x1020, 8, STB_GLOBAL, text);
	image_symbol(&e, "same", 0x1030, 8, STB_GLOBAL, text);
	image_symbol(&e, "same", 0x1030, 8, STB_WEAK, text);
	sym = image_symbol(&e, "chosen", 0x1040, 8, STB_GLOBAL, text);
	sym->st_info = ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC);
	open_it();
	cr_assert_eq(linkage_read_exports(&o, &found), 0);
	cr_expect_eq(value_of(named("copy")), LINKAGE_UNSURE);
	cr_expect_eq(value_of(named("same")), 0x1030);
	cr_expect_eq(value_of(named("chosen")), LINKAGE_UNSURE);
}

Test(linkage, of_a_file_without_dynamic_symbols_nothing_is_known)
{
	e.dynamic = 0;
	image_symbol(&e, "sort", 0x1010, 8, STB_GLOBAL, text);
	open_it();
	cr_assert_eq(linkage_read_exports(&o, &found), 0);
	cr_expect(found.partial);
	cr_expect_eq(value_of(named("sort")), 0);
}
