#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "elf/symtab.h"
#include "unit/elf/elf_image.h"

static struct elf_image e;
static struct context ctx;
static struct object o;
static struct symtab st;
static Elf64_Rela relocations[8];
static size_t relocation_count;

static void begin(void)
{
	object_prepare();
	image_begin(&e);
	e.dynamic = 1;
}

static void end(void)
{
	symtab_release(&st);
	object_close(&o);
	image_remove(&e);
}

TestSuite(plt, .init = begin, .fini = end);

static void relocation(uint64_t slot, const char *name, unsigned type, int64_t addend)
{
	unsigned symbol = e.symbol_count;

	if (name)
		image_symbol(&e, name, 0, 0, STB_GLOBAL, SHN_UNDEF);
	relocations[relocation_count++] =
		(Elf64_Rela){ slot, ELF64_R_INFO(name ? (uint64_t)symbol : 0, type),
			      addend };
}

static void section(const char *name, uint64_t address, const void *code, size_t size)
{
	unsigned s = image_code(&e, name, address, size);

	memcpy(e.bytes + e.sections[s].sh_offset, code, size);
}

static void read_it(const char *name)
{
	image_section(&e, name, SHT_RELA, SHF_ALLOC, relocations,
		      relocation_count * sizeof(*relocations));
	image_write(&e);
	cr_assert_eq(object_open(&ctx, e.path, &o), 0);
	cr_assert_eq(symtab_read(&st, &o, NULL), 0);
}

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

/* jmp *0x3018(%rip) at 0x1010: slot 0x1016 + 0x2ffa + 8 = 0x4018, and so on. */
static const uint8_t lazy[] = {
	0xff, 0x35, 0,	  0,	0,    0,    0xff, 0x25, 4,    0x30, 0,	  0,
	0x0f, 0x1f, 0x40, 0,	0xff, 0x25, 0x02, 0x30, 0,    0,    0x68, 0,
	0,    0,    0,	  0xe9, 0xe0, 0xff, 0xff, 0xff, 0xff, 0x25, 0xfa, 0x2f,
	0,    0,    0x68, 1,	0,    0,    0,	  0xe9, 0xd0, 0xff, 0xff, 0xff,
};

Test(plt, entries_are_named_by_the_slot_they_jump_through)
{
	section(".plt", 0x1000, lazy, sizeof(lazy));
	relocation(0x4020, "malloc", R_X86_64_JUMP_SLOT, 0);
	relocation(0x4018, "puts", R_X86_64_JUMP_SLOT, 0);
	read_it(".rela.plt");
	cr_expect_str_eq(at(0x1000), "");
	cr_expect_str_eq(at(0x1010), "puts@plt");
	cr_expect_str_eq(at(0x101f), "puts@plt");
	cr_expect_str_eq(at(0x1020), "malloc@plt");
	cr_expect_str_eq(at(0x1030), "");
}

Test(plt, a_slot_without_a_symbol_is_named_by_its_resolver)
{
	section(".plt", 0x1000, lazy, sizeof(lazy));
	relocation(0x4018, NULL, R_X86_64_IRELATIVE, 0x9f550);
	read_it(".rela.plt");
	cr_expect_str_eq(at(0x1010), "*ABS*+0x9f550@plt");
	cr_expect_str_eq(at(0x1020), "");
}

Test(plt, both_stages_for_branch_tracking_have_names)
{
	static const uint8_t first[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0x68, 0,    0,	   0,
					 0,    0xf2, 0xe9, 0xe1, 0xff, 0xff, 0xff, 0x90 };
	static const uint8_t second[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0xf5,
					  0x1f, 0,    0,    0x0f, 0x1f, 0x44, 0,    0 };

	section(".plt", 0x1000, first, sizeof(first));
	section(".plt.sec", 0x1040, second, sizeof(second));
	relocation(0x3040, "puts", R_X86_64_JUMP_SLOT, 0);
	read_it(".rela.plt");
	cr_expect_str_eq(at(0x1008), "puts@plt");
	cr_expect_str_eq(at(0x1044), "puts@plt");
}

Test(plt, entries_through_the_other_table_have_names_too)
{
	static const uint8_t code[] = { 0xff, 0x25, 0xfa, 0x0f, 0, 0, 0x66, 0x90 };
	unsigned s;

	section(".plt.got", 0x1000, code, sizeof(code));
	s = e.section_count - 1;
	e.sections[s].sh_entsize = 8;
	relocation(0x5000, NULL, R_X86_64_RELATIVE, 0x1000);
	relocation(0x2000, "__cxa_finalize", R_X86_64_GLOB_DAT, 0);
	read_it(".rela.dyn");
	cr_expect_str_eq(at(0x1000), "__cxa_finalize@plt");
}

Test(plt, aarch64_entries_are_decoded)
{
	/* adrp x16, +0x10000; ldr x17, [x16, #24]; add x16, x16, #24; br x17 */
	static const uint32_t code[] = { 0x90000090, 0xf9400e11, 0x91006210, 0xd61f0220 };

	e.machine = EM_AARCH64;
	section(".plt", 0x1000, code, sizeof(code));
	relocation(0x11018, "puts", R_AARCH64_JUMP_SLOT, 0);
	read_it(".rela.plt");
	cr_expect_str_eq(at(0x1000), "puts@plt");
	cr_expect_str_eq(at(0x100f), "puts@plt");
}
