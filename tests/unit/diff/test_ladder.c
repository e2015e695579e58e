/* Functions that are the same in spite of their spelling, and some that are not. */
#include <criterion/criterion.h>
#include <string.h>

#include "diff/ladder.h"
#include "symbol/symbol.h"

static struct difference make(void)
{
	struct difference d;

	cr_assert_eq(difference_init(&d), 0);
	return d;
}

static uint32_t add(struct difference *d, enum diff_side side, const char *name,
		    const char *module)
{
	struct diff_function f = { .kind = *module ? FUNCTION_USER : FUNCTION_LABEL,
				   .sides = (uint8_t)(1 << side),
				   .class = (uint32_t)d->functions.count };

	cr_assert_eq(intern_add(&d->strings, name, strlen(name), &f.name), 0);
	cr_assert_eq(intern_add(&d->strings, module, strlen(module), &f.module), 0);
	*array_add(&d->functions) = f;
	return f.class;
}

static const char *name_of(const struct difference *d, uint32_t f)
{
	return intern_text(&d->strings, d->functions.v[ladder_class(d, f)].name);
}

/* Do these two find each other, by that step, and what are they called then? */
static void expect_match(const char *a, const char *module_a, const char *b,
			 const char *module_b, enum diff_match step, const char *name)
{
	struct difference d = make();
	uint32_t x = add(&d, DIFF_A, a, module_a), y = add(&d, DIFF_B, b, module_b);

	cr_assert_eq(ladder_match(&d), 0);
	cr_expect_eq(ladder_class(&d, x), ladder_class(&d, y), "%s and %s", a, b);
	cr_expect_eq(d.matched[step], 1, "%s and %s", a, b);
	cr_expect_str_eq(name_of(&d, x), name);
	cr_expect_eq(d.alone[DIFF_A] + d.alone[DIFF_B], 0);
	difference_release(&d);
}

Test(ladder, directories_of_modules_do_not_count)
{
	expect_match("f", "/tmp/b1/zstd", "f", "/tmp/b2/zstd", MATCH_DIRECTORY, "f");
}

Test(ladder, versions_of_modules_do_not_count)
{
	expect_match("f", "/lib/libz.so.1.2", "f", "/lib/libz.so.1.3", MATCH_VERSION,
		     "f");
	expect_match("f", "/lib/libc-2.31.so", "f", "/usr/lib/libc.so.6", MATCH_VERSION,
		     "f");
}

Test(ladder, suffixes_of_clones_do_not_count)
{
	expect_match("f.constprop.0", "/z", "f", "/z", MATCH_CLONE, "f");
	expect_match("f.isra.0", "/z", "f.part.1.cold", "/z", MATCH_CLONE, "f");
	expect_match("f.lto_priv.0", "/a/z", "f.lto_priv.7", "/b/z", MATCH_CLONE, "f");
}

Test(ladder, arguments_of_templates_and_numbers_of_lambdas_do_not_count)
{
	static const struct {
		const char *a, *b, *name;
	} cases[] = {
		{ "Map<int, Less<int>>::find(int)", "Map<long, Less<long>>::find(int)",
		  "Map::find(int)" },
		{ "f()::{lambda(int)#3}::operator()", "f()::{lambda(int)#12}::operator()",
		  "f()::{lambda(int)#<N>}::operator()" },
		{ "operator<< <char>(S<char>&)", "operator<< <wchar_t>(S<wchar_t>&)",
		  "operator<< (S&)" },
		{ "A<(x)->y>::operator->", "A<z>::operator->", "A::operator->" },
		{ "A<int>::operator<=><A<int>>", "A<long>::operator<=><A<long>>",
		  "A::operator<=>" },
		{ "A<int>::operator<", "A<long>::operator<", "A::operator<" },
		{ "sort::<u32>.isra.0", "sort::<u64>", "sort::" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		expect_match(cases[i].a, "/z", cases[i].b, "/z", MATCH_TEMPLATE,
			     cases[i].name);
}

Test(ladder, names_that_begin_with_a_type_are_others)
{
	struct difference d = make();
	uint32_t a = add(&d, DIFF_A, "<Circle as Shape>::area", "/z"),
		 b = add(&d, DIFF_B, "<Square as Shape>::area", "/z");

	cr_assert_eq(ladder_match(&d), 0);
	cr_expect_neq(ladder_class(&d, a), ladder_class(&d, b));
	difference_release(&d);
}

Test(ladder, an_instance_of_one_side_is_not_what_both_have)
{
	struct difference d = make();
	uint32_t a = add(&d, DIFF_A, "f<int>", "/z"),
		 b = add(&d, DIFF_B, "f<long>", "/z");

	d.functions.v[a].sides = 3;
	cr_assert_eq(ladder_match(&d), 0);
	cr_expect_neq(ladder_class(&d, a), ladder_class(&d, b));
	cr_expect_eq(d.alone[DIFF_B], 1);
	difference_release(&d);
}

/* Four workers and eight: what they do together is the same. */
Test(ladder, workers_of_a_pool_are_one_however_many)
{
	struct difference d = make();
	uint32_t one = add(&d, DIFF_A, "worker-1", ""),
		 two = add(&d, DIFF_A, "worker-2", ""),
		 more = add(&d, DIFF_B, "worker-10", ""),
		 alone = add(&d, DIFF_A, "python3", "");

	for (uint32_t f = one; f <= alone; f++)
		d.functions.v[f].is_process = true;
	d.functions.v[one].sides = d.functions.v[alone].sides = 3;
	cr_assert_eq(ladder_match(&d), 0);
	cr_expect_eq(ladder_class(&d, one), ladder_class(&d, more));
	cr_expect_eq(ladder_class(&d, two), ladder_class(&d, more));
	cr_expect_str_eq(name_of(&d, one), "worker-<N>");
	cr_expect_str_eq(name_of(&d, alone), "python3");
	cr_expect_eq(d.matched[MATCH_EXACT], 1);
	cr_expect_eq(d.matched[MATCH_NUMBER], 1);
	cr_expect_eq(d.alone[DIFF_A] + d.alone[DIFF_B], 0);
	difference_release(&d);
}

Test(ladder, what_both_sides_have_stays_apart_from_others)
{
	struct difference d = make();
	uint32_t plain_a = add(&d, DIFF_A, "f", "/z"),
		 part_a = add(&d, DIFF_A, "f.part.0", "/z");

	d.functions.v[plain_a].sides = d.functions.v[part_a].sides = 3;
	cr_assert_eq(ladder_match(&d), 0);
	cr_expect_neq(ladder_class(&d, plain_a), ladder_class(&d, part_a));
	cr_expect_eq(d.matched[MATCH_EXACT], 2);
	difference_release(&d);
}

Test(ladder, a_clone_of_one_side_is_what_the_other_calls_the_same)
{
	struct difference d = make();
	uint32_t f = add(&d, DIFF_A, "f", "/z"), part = add(&d, DIFF_A, "f.part.0", "/z");

	d.functions.v[f].sides = 3;
	cr_assert_eq(ladder_match(&d), 0);
	cr_expect_eq(ladder_class(&d, f), ladder_class(&d, part));
	difference_release(&d);
}

Test(ladder, functions_of_other_modules_are_others)
{
	struct difference d = make();
	uint32_t a = add(&d, DIFF_A, "f", "/libx.so"),
		 b = add(&d, DIFF_B, "f", "/liby.so");

	cr_assert_eq(ladder_match(&d), 0);
	cr_expect_neq(ladder_class(&d, a), ladder_class(&d, b));
	cr_expect_eq(d.alone[DIFF_A], 1);
	cr_expect_eq(d.alone[DIFF_B], 1);
	difference_release(&d);
}

Test(ladder, numbers_count_only_in_names_of_processes)
{
	struct difference d = make();
	uint32_t a = add(&d, DIFF_A, "kworker/3:1", ""),
		 b = add(&d, DIFF_B, "kworker/12:0", "");
	uint32_t x = add(&d, DIFF_A, "log2", ""), y = add(&d, DIFF_B, "log10", "");

	d.functions.v[a].is_process = d.functions.v[b].is_process = true;
	cr_assert_eq(ladder_match(&d), 0);
	cr_expect_eq(ladder_class(&d, a), ladder_class(&d, b));
	cr_expect_str_eq(name_of(&d, a), "kworker/<N>:<N>");
	cr_expect_neq(ladder_class(&d, x), ladder_class(&d, y));
	difference_release(&d);
}

Test(ladder, code_without_a_symbol_is_that_of_its_module)
{
	struct difference d = make();
	uint32_t a = add(&d, DIFF_A, "[libx.so.1+0x1c40]", "/lib/libx.so.1");
	uint32_t b = add(&d, DIFF_B, "[libx.so.2+0x2000]", "/lib/libx.so.2");

	d.functions.v[a].unnamed = d.functions.v[b].unnamed = true;
	cr_assert_eq(ladder_match(&d), 0);
	cr_expect_eq(ladder_class(&d, a), ladder_class(&d, b));
	cr_expect_str_eq(name_of(&d, a), "[libx.so]");
	difference_release(&d);
}

Test(ladder, names_alone_count_where_a_side_knows_no_modules)
{
	expect_match("f", "", "f", "/z", MATCH_NAME, "f");
}

Test(ladder, exactly_means_exactly)
{
	struct difference d = make();
	uint32_t a = add(&d, DIFF_A, "f.isra.0", "/z"), b = add(&d, DIFF_B, "f", "/z");

	d.exact = true;
	cr_assert_eq(ladder_match(&d), 0);
	cr_expect_neq(ladder_class(&d, a), ladder_class(&d, b));
	difference_release(&d);
}
