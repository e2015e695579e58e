#include "symbol/kallsyms.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol/alias.h"
#include "unit/elf/elf_image.h"

static struct kallsyms k;
static struct context ctx;
static char path[64];

static void end(void)
{
	kallsyms_release(&k);
	if (*path)
		unlink(path);
}

TestSuite(kallsyms, .fini = end);

static void read_it(const char *text)
{
	write_temporary(path, text, strlen(text));
	cr_assert_eq(kallsyms_read(&ctx, path, &k), 0);
}

static const char *at(const char *module, uint64_t address)
{
	static char name[64];
	const struct kallsyms_module *m = kallsyms_module(&k, module, strlen(module));
	const struct span *span;
	struct alias al;
	const char *text;
	size_t size;

	if (!m || !(span = spans_find(&m->symbols.spans, address)))
		return "";
	alias_init(&al, &m->symbols, DEMANGLE_NO);
	text = symtab_name(&m->symbols,
			   &m->symbols.symbols.v[alias_choose(&al, span->id, address)],
			   &size);
	alias_release(&al);
	snprintf(name, sizeof(name), "%.*s", (int)size, text);
	return name;
}

Test(kallsyms, a_function_ends_where_the_next_symbol_starts)
{
	read_it("ffffffff81000000 T _text\n"
		"ffffffff81000040 t do_work\n"
		"ffffffff81000080 D some_data\n");
	cr_expect_str_eq(at("", 0xffffffff8100003f), "_text");
	cr_expect_str_eq(at("", 0xffffffff81000040), "do_work");
	cr_expect_str_eq(at("", 0xffffffff8100007f), "do_work");
	cr_expect_str_eq(at("", 0xffffffff80ffffff), "");
}

Test(kallsyms, constants_and_read_only_data_end_nothing)
{
	read_it("0000000000000000 A fixed\n"
		"ffffffff81000000 T f\n"
		"ffffffff81000010 r ro\n"
		"ffffffff81000010 a abs\n"
		"ffffffff81000020 W weak\n");
	cr_expect_str_eq(at("", 0xffffffff81000018), "f");
	cr_expect_str_eq(at("", 0xffffffff81000020), "weak");
	cr_expect_not(k.hidden);
}

Test(kallsyms, the_last_symbol_ends_with_the_page_after_its_own)
{
	read_it("ffffffff81000010 T last\n"
		"ffffffffc0001000 t mod_f\t[mod]\n");
	cr_expect_str_eq(at("", 0xffffffff81001fff), "last");
	cr_expect_str_eq(at("", 0xffffffff81002000), "");
}

Test(kallsyms, lines_of_a_module_are_its_own_and_need_no_order)
{
	read_it("ffffffff81000000 T f\n"
		"ffffffffc0001100 t second\t[nf_tables]\n"
		"ffffffffc0001000 t first\t[nf_tables]\n"
		"ffffffffc0000000 t other\t[other]\n");
	cr_expect_str_eq(at("nf_tables", 0xffffffffc00010ff), "first");
	cr_expect_str_eq(at("nf_tables", 0xffffffffc0001100), "second");
	cr_expect_str_eq(at("nf_tables", 0xffffffffc0000000), "");
	cr_expect_str_eq(at("other", 0xffffffffc0000000), "other");
	cr_expect_str_eq(at("", 0xffffffffc0001000), "");
	cr_expect_null(kallsyms_module(&k, "nf_table", 8));
}

Test(kallsyms, of_names_for_one_address_the_last_is_taken)
{
	read_it("ffffffff81000000 T __x64_sys_read\n"
		"ffffffff81000000 t sys_read\n"
		"ffffffff81000010 T next\n");
	cr_expect_str_eq(at("", 0xffffffff81000000), "sys_read");
}

Test(kallsyms, addresses_that_are_all_zero_are_hidden)
{
	read_it("0000000000000000 T _text\n0000000000000000 T f\n");
	cr_expect(k.hidden);
}

Test(kallsyms, lines_that_make_no_sense_are_passed_over)
{
	read_it("\n \nhello world\nffffffff81000000\nffffffff81000000 T\n"
		"ffffffff81000000 T \nffffffff8100000g T x\nffffffff81000000  T y\n"
		"ffffffff81000000 T $local\nffffffff81000000 T good\n"
		"ffffffff81000010 T \t[m]\nffffffff81000020 T unfinished");
	cr_assert_eq(k.modules.v[0].symbols.symbols.count, 2);
	cr_expect_str_eq(at("", 0xffffffff81000000), "good");
	cr_expect_str_eq(at("", 0xffffffff81000020), "unfinished");
}

Test(kallsyms, lines_that_end_as_on_a_terminal_are_lines)
{
	read_it("ffffffff81000000 T _text\r\n"
		"ffffffff81000010 t f\r\n"
		"ffffffffc0001000 t chain\t[nf_tables]\r\n"
		"ffffffff81000020 t \r\n"
		"ffffffff81000030 t last\r");
	cr_expect_str_eq(at("", 0xffffffff81000000), "_text");
	cr_expect_str_eq(at("nf_tables", 0xffffffffc0001000), "chain");
	cr_expect_str_eq(at("", 0xffffffff81000020), "f");
	cr_expect_str_eq(at("", 0xffffffff81000030), "last");
}

Test(kallsyms, an_address_has_64_bits)
{
	read_it("ffffffff81000000 T f\n"
		"1ffffffff81000010 T g\n"
		"0ffffffff81000020 T h\n");
	cr_expect_eq(k.modules.v[0].symbols.symbols.count, 1);
}

Test(kallsyms, a_symbol_has_a_name)
{
	read_it("ffffffff81000000 T f\n"
		"ffffffffc0001000 t \t[nf_tables]\n");
	cr_expect_null(kallsyms_module(&k, "nf_tables", 9));
}

Test(kallsyms, more_symbols_than_any_kernel_has_are_refused)
{
	const size_t lines = (1 << 22) + 1, line = strlen("1 t f\n");
	char *text = malloc(lines * line + 1);

	cr_assert(text);
	for (size_t i = 0; i < lines; i++)
		memcpy(text + i * line, "1 t f\n", line);
	write_temporary(path, text, lines * line);
	free(text);
	cr_assert_eq(kallsyms_read(&ctx, path, &k), -EFBIG);
	cr_expect(strstr(ctx.error, "more than 4194304 symbols"), "%s", ctx.error);
}

Test(kallsyms, what_the_budget_has_nothing_left_for_is_refused_and_given_back)
{
	static const char line[] = "ffffffff81000000 T function\n";
	const size_t lines = 50000, size = sizeof(line) - 1;
	struct budget budget;
	char *text = malloc(lines * size);

	cr_assert(text);
	for (size_t i = 0; i < lines; i++)
		memcpy(text + i * size, line, size);
	write_temporary(path, text, lines * size);
	free(text);
	ctx.budget = &budget;
	for (uint64_t most = 1 << 20; most <= 4 << 20; most *= 4) {
		budget_init(&budget, most);
		cr_expect_eq(kallsyms_read(&ctx, path, &k), -EDQUOT);
		cr_expect(strstr(ctx.error, "no memory is left for the symbols of"));
		cr_expect_eq(budget.used, 0);
		cr_expect_eq(budget.refused, 1);
		budget_release(&budget);
	}
	budget_init(&budget, 16 << 20);
	cr_expect_eq(kallsyms_read(&ctx, path, &k), 0);
	cr_expect_gt(budget.used, lines * size);
	kallsyms_release(&k);
	cr_expect_eq(budget.used, 0);
	budget_release(&budget);
}

/* As /proc/modules has it. */
static void place(const char *text)
{
	char modules[64];

	write_temporary(modules, text, strlen(text));
	cr_assert_eq(kallsyms_read_modules(&k, modules), 0);
	unlink(modules);
}

static const char two_modules[] = "ffffffff81000000 T f\n"
				  "ffffffffc0000800 d data\t[nf_tables]\n"
				  "ffffffffc0001020 t second\t[nf_tables]\n"
				  "ffffffffc0001010 W first\t[nf_tables]\n"
				  "ffffffffc0009000 d only_data\t[other]\n";

Test(kallsyms, modules_begin_where_their_list_says)
{
	const struct kallsyms_module *m, *other;

	read_it(two_modules);
	place("nf_tables 376832 0 - Live 0xffffffffc0001000 (E)\n"
	      "gone 16384 1 nf_tables,other, Live 0xffffffffc0003000\n"
	      "other 4096 0 - Unloading 0xffffffffc0008000");
	m = kallsyms_module(&k, "nf_tables", 9);
	other = kallsyms_module(&k, "other", 5);
	cr_expect(k.placed);
	cr_expect_eq(m->start, 0xffffffffc0001000);
	cr_expect_eq(m->code, 0xffffffffc0001010);
	cr_expect_eq(other->start, 0xffffffffc0008000);
	cr_expect_eq(other->code, UINT64_MAX);
}

Test(kallsyms, a_list_that_hides_its_addresses_says_nothing)
{
	read_it(two_modules);
	place("nf_tables 376832 0 - Live 0x0000000000000000\nother 4096 0 - Live 0x0\n");
	cr_expect_not(k.placed);
}

Test(kallsyms, lines_of_a_list_that_make_no_sense_are_passed_over)
{
	read_it(two_modules);
	place("\n \nnf_tables\nnf_tables 1 2 - Live\nnf_tables 1 2 - Live \n"
	      "nf_tables 1 2 - Live ffffffffc0001000\nnf_tables 1 2 - Live 0x");
	cr_expect_not(k.placed);
	cr_expect_eq(kallsyms_read_modules(&k, "/nonexistent/modules"), 0);
	cr_expect_eq(kallsyms_read_modules(&k, "/"), 0);
}

/* Each character in each place: only the 16 count, and as what they are. */
Test(kallsyms, digits_are_those_of_a_hexadecimal_number)
{
	for (unsigned place = 0; place < 16; place++)
		for (unsigned c = 1; c < 256; c++) {
			char line[64] = "fedcba9876543210 t f\n";
			const char *digit = strchr("0123456789abcdef", (int)c);
			const struct symbol *symbol;
			uint64_t want = 0xfedcba9876543210;
			unsigned shift = 60 - 4 * place;

			if (c == '\n')
				continue;
			line[place] = (char)c;
			read_it(line);
			cr_assert_eq(k.modules.v[0].symbols.symbols.count, digit ? 1 : 0,
				     "%02x in place %u", c, place);
			symbol = k.modules.v[0].symbols.symbols.v;
			if (digit) {
				want &= ~((uint64_t)15 << shift);
				want |= strtoull((char[]){ (char)c, 0 }, NULL, 16)
					<< shift;
				cr_assert_eq(symbol->start, want);
			}
			kallsyms_release(&k);
			unlink(path);
		}
}

Test(kallsyms, an_empty_file_has_no_symbols_and_is_no_error)
{
	cr_assert_eq(kallsyms_read(&ctx, "/dev/null", &k), 0);
	cr_expect_eq(k.modules.v[0].symbols.symbols.count, 0);
	cr_expect_not(k.hidden);
}

Test(kallsyms, a_missing_file_is_an_error_with_a_sentence)
{
	cr_assert_eq(kallsyms_read(&ctx, "/nonexistent/kallsyms", &k), -ENOENT);
	cr_expect(strstr(ctx.error, "/nonexistent/kallsyms"));
}
