#include "symbol/alias.h"

#include <criterion/criterion.h>
#include <string.h>

static struct symtab st;
static struct alias al;
static char names[4096];
static size_t names_size;

static void begin(void)
{
	names_size = 1;
}

static void end(void)
{
	alias_release(&al);
	symtab_release(&st);
}

TestSuite(alias, .init = begin, .fini = end);

static void add(const char *name, uint64_t start, uint64_t size, unsigned flags)
{
	struct symbol *s = array_add(&st.symbols);

	strcpy(names + names_size, name);
	*s = (struct symbol){ start, start + size, (uint32_t)names_size, TABLE_SYMTAB,
			      (uint8_t)flags };
	names_size += strlen(name) + 1;
}

static const char *chosen(uint64_t address)
{
	const struct span *span;
	size_t size;

	if (st.spans.list.count == 0) {
		st.names[TABLE_SYMTAB] =
			(struct names){ .bytes = names, .size = names_size };
		cr_assert_eq(symtab_finish(&st), 0);
		alias_init(&al, &st, DEMANGLE_PERF);
	}
	span = spans_find(&st.spans, address);
	if (!span)
		return "";
	return symtab_name(&st, &st.symbols.v[alias_choose(&al, span->id, address)],
			   &size);
}

Test(alias, a_strong_one_is_better_than_a_weak_one)
{
	add("weak_and_longer", 0x10, 8, SYMBOL_WEAK);
	add("strong", 0x10, 8, 0);
	cr_expect_str_eq(chosen(0x10), "strong");
}

Test(alias, then_a_global_one)
{
	add("local_longer", 0x10, 8, 0);
	add("global", 0x10, 8, SYMBOL_GLOBAL);
	cr_expect_str_eq(chosen(0x10), "global");
}

Test(alias, then_fewer_underscores_and_then_the_longer_name)
{
	add("__memcpy_avx_unaligned", 0x10, 8, SYMBOL_GLOBAL);
	add("memcpy", 0x10, 8, SYMBOL_GLOBAL);
	add("memmove", 0x10, 8, SYMBOL_GLOBAL);
	add("_x", 0x20, 8, SYMBOL_GLOBAL);
	add("__x_longer", 0x20, 8, SYMBOL_GLOBAL);
	cr_expect_str_eq(chosen(0x10), "memmove");
	cr_expect_str_eq(chosen(0x20), "_x");
}

Test(alias, names_count_as_they_are_shown)
{
	add("plain_name_of_c", 0x10, 8, SYMBOL_GLOBAL);
	add("_ZN9namespace8functionEv", 0x10, 8, SYMBOL_GLOBAL);
	cr_expect_str_eq(chosen(0x10), "_ZN9namespace8functionEv");
}

Test(alias, of_equals_the_first_is_taken)
{
	add("first", 0x10, 8, SYMBOL_GLOBAL);
	add("other", 0x10, 8, SYMBOL_GLOBAL);
	cr_expect_str_eq(chosen(0x10), "first");
}

Test(alias, the_second_names_of_system_calls_are_not)
{
	add("SyS_read", 0x10, 8, SYMBOL_GLOBAL);
	add("sys_read", 0x10, 8, SYMBOL_GLOBAL);
	cr_expect_str_eq(chosen(0x10), "sys_read");
}

Test(alias, where_the_best_one_has_ended_another_goes_on)
{
	add("short", 0x10, 4, SYMBOL_GLOBAL);
	add("longer_but_local", 0x10, 16, 0);
	cr_expect_str_eq(chosen(0x13), "short");
	cr_expect_str_eq(chosen(0x14), "longer_but_local");
}

Test(alias, where_the_best_one_has_ended_the_next_best_goes_on)
{
	add("the_longest_name", 0x10, 4, 0);
	add("short", 0x10, 12, 0);
	add("longer", 0x10, 8, 0);
	cr_expect_str_eq(chosen(0x10), "the_longest_name");
	cr_expect_str_eq(chosen(0x14), "longer");
	cr_expect_str_eq(chosen(0x18), "short");
	cr_expect_str_eq(chosen(0x10), "the_longest_name", "and back");
}

Test(alias, of_more_than_anybody_has_one_that_covers_the_address)
{
	for (unsigned i = 0; i < 600; i++)
		add("f", 0x10, 8, 0);
	add("last", 0x10, 16, 0);
	add("f", 0x10, 8, 0);
	cr_expect_str_eq(chosen(0x10), "f");
	cr_expect_str_eq(chosen(0x18), "last");
}
