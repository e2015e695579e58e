#include "elf/module_layout.h"

#include <criterion/criterion.h>
#include <unistd.h>

#include "elf/symtab.h"
#include "unit/elf/elf_image.h"

static struct module_layout layout;
static struct object o = { .machine = EM_X86_64 };

/* Where a section of that name, alignment and size goes; -1: nowhere. */
static int64_t place_as(const char *name, uint64_t flags, uint64_t align, uint64_t size)
{
	struct section s = {
		.name = name,
		.header = { .sh_flags = flags, .sh_addralign = align, .sh_size = size }
	};
	uint64_t at;

	return module_layout_add(&layout, &o, &s, &at) ? (int64_t)at : -1;
}

static int64_t place(const char *name, uint64_t align, uint64_t size)
{
	return place_as(name, SHF_ALLOC | SHF_EXECINSTR, align, size);
}

Test(module_layout, code_lies_in_the_order_of_the_table_each_aligned)
{
	cr_expect_eq(place(".text", 16, 0x123), 0);
	cr_expect_eq(place_as(".rodata", SHF_ALLOC, 32, 0x1000), -1);
	cr_expect_eq(place(".text.unlikely", 1, 0x10), 0x123);
	cr_expect_eq(place(".exit.text", 64, 5), 0x140);
	cr_expect_eq(place(".static_call.text", 0, 5), 0x145);
}

Test(module_layout, what_starts_the_module_lies_elsewhere)
{
	cr_expect_eq(place(".init.text", 16, 0x1000), -1);
	cr_expect_eq(place(".text", 16, 0x100), 0);
	cr_expect_eq(place_as(".discard.text", SHF_EXECINSTR, 16, 0x100), -1);
	cr_expect_eq(place(".exit.text", 16, 1), 0x100);
}

Test(module_layout, elsewhere_than_on_x86_only_text_is_known)
{
	o.machine = EM_AARCH64;
	cr_expect_eq(place(".text", 16, 0x100), 0);
	cr_expect_eq(place(".exit.text", 16, 0x100), -1);
	layout = (struct module_layout){ 0 };
	cr_expect_eq(place(".plt", 16, 1), -1);
	cr_expect_eq(place(".text", 16, 0x100), -1, "what is before it will grow");
	o.machine = EM_X86_64;
}

Test(module_layout, sizes_that_cannot_be_end_it)
{
	cr_expect_eq(place(".text", 3, 1), -1);
	cr_expect_eq(place(".more", 1, 1), -1);
	layout = (struct module_layout){ 0 };
	cr_expect_eq(place(".text", (uint64_t)1 << 63, 1), -1);
	layout = (struct module_layout){ 0 };
	cr_expect_eq(place(".text", 1, UINT64_MAX), -1);
	layout = (struct module_layout){ 0 };
	for (int i = 0; i < 100; i++)
		cr_expect_leq(place(".text", (uint64_t)1 << 32, (uint64_t)1 << 32),
			      (int64_t)1 << 34);
}

Test(module_layout, symbols_of_a_module_count_from_its_start)
{
	static struct elf_image e;
	struct context ctx = { 0 };
	struct object module;
	struct symtab st;
	unsigned text, init, more;
	uint64_t at;

	object_prepare();
	image_begin(&e);
	text = image_section(&e, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, NULL,
			     0x100);
	init = image_section(&e, ".init.text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
			     NULL, 0x100);
	more = image_section(&e, ".exit.text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
			     NULL, 0x100);
	image_symbol(&e, "work", 0x10, 0x20, STB_GLOBAL, text);
	image_symbol(&e, "start", 0x10, 0x20, STB_GLOBAL, init);
	image_symbol(&e, "finish", 0x10, 0x20, STB_GLOBAL, more);
	image_symbol(&e, "around", (uint64_t)-8, 0x20, STB_GLOBAL, more);
	image_write(&e);
	cr_assert_eq(object_open(&ctx, e.path, &module), 0);
	module.relocatable = true;
	cr_assert_eq(symtab_read_module(&st, &module), 0);
	cr_expect(symtab_find(&st, "work", &at) && at == 0x10);
	cr_expect(symtab_find(&st, "finish", &at) && at == 0x110);
	cr_expect_not(symtab_find(&st, "start", &at));
	symtab_release(&st);
	module.relocatable = false;
	cr_assert_eq(symtab_read_module(&st, &module), 0);
	cr_expect_eq(st.symbols.count, 0, "what is linked is no module");
	symtab_release(&st);
	object_close(&module);
	image_remove(&e);
}
