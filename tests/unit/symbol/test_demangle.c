#include "symbol/demangle.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "unit/limit.h"

/* "" where it is left as it is. */
static const char *of(const char *name, enum demangle_form form)
{
	static char result[1024];
	struct text out = { 0 };

	result[0] = '\0';
	text_string(&out, "");
	if (demangle(name, strlen(name), form, &out)) {
		cr_assert(out.size < sizeof(result));
		memcpy(result, out.bytes, out.size + 1);
	} else {
		cr_assert_eq(out.size, 0);
	}
	text_release(&out);
	return result;
}

Test(demangle, c_plus_plus_without_parameters)
{
	cr_expect_str_eq(of("_ZN3foo3barEiPKc", DEMANGLE_PERF), "foo::bar");
	cr_expect_str_eq(of("_ZNKSt8functionIFviEEclEi", DEMANGLE_PERF),
			 "std::function<void (int)>::operator()");
	cr_expect_str_eq(of("_ZZ4mainENKUliE_clEi", DEMANGLE_PERF),
			 "main::{lambda(int)#1}::operator()");
	cr_expect_str_eq(of("_ZN12_GLOBAL__N_11fEv", DEMANGLE_PERF),
			 "(anonymous namespace)::f");
}

Test(demangle, rust_of_both_kinds)
{
	cr_expect_str_eq(of("_ZN4core3fmt5write17h0123456789abcdefE", DEMANGLE_PERF),
			 "core::fmt::write");
	cr_expect_str_eq(of("_RNvC6_123foo3bar", DEMANGLE_PERF), "123foo::bar");
	cr_expect_str_eq(of("_RNvC6_123foo3bar.llvm.123", DEMANGLE_SHORT), "123foo::bar");
	cr_expect_str_eq(of("_ZN4core3fmt5write17h0123456789abcdefE", DEMANGLE_FULL),
			 "core::fmt::write");
}

Test(demangle, rust_with_an_identifier_that_is_empty)
{
	cr_expect_str_eq(of("_RNvC0_f", DEMANGLE_PERF), of("_RNvC0_f", DEMANGLE_SHORT));
	cr_expect_str_eq(of("_RNvMs_NtCs123_08core3fmtNtB4_9Foter3pad", DEMANGLE_SHORT),
			 "");
}

Test(demangle, ocaml)
{
	cr_expect_str_eq(of("camlStdlib__List__map_123", DEMANGLE_PERF),
			 "Stdlib.List.map_123");
	cr_expect_str_eq(of("camlA__$2b_1", DEMANGLE_PERF), "A.+_1");
	cr_expect_str_eq(of("caml_alloc", DEMANGLE_PERF), "");
}

Test(demangle, d_unless_it_has_to_be_as_perf)
{
	cr_expect_str_eq(of("_D3foo3barFZv", DEMANGLE_SHORT), "foo.bar");
	cr_expect_str_eq(of("_D3foo3barFZv", DEMANGLE_FULL), "foo.bar()");
	cr_expect_str_eq(of("_D3foo3barFDFaZiZv", DEMANGLE_SHORT), "foo.bar");
	cr_expect_str_eq(of("_D4test5outerFiZ5innerMFZv", DEMANGLE_SHORT),
			 "test.outer.inner");
	cr_expect_str_eq(of("_D8demangle__T2fnVAyaa1_28Z2fnFZv", DEMANGLE_SHORT),
			 "demangle.fn!(\"(\").fn");
	cr_expect_str_eq(of("_D3foo3barFZv", DEMANGLE_PERF), "");
}

Test(demangle, c_plus_plus_with_parameters)
{
	cr_expect_str_eq(of("_ZN3foo3barEiPKc", DEMANGLE_FULL),
			 "foo::bar(int, char const*)");
	cr_expect_str_eq(of("_ZNK1A1fIiEET_v.isra.0", DEMANGLE_FULL),
			 "int A::f<int>() const [clone .isra.0]");
	cr_expect_str_eq(of("_ZZ1fiENKUlcE_clEc", DEMANGLE_FULL),
			 "f(int)::{lambda(char)#1}::operator()(char) const");
	/* What only is a name with something behind it is one without parameters. */
	cr_expect_str_eq(of("_Z3fooi@@LIB_1.0", DEMANGLE_FULL), "foo");
}

Test(demangle, short_is_without_those_of_functions_around_it)
{
	cr_expect_str_eq(of("_ZZ1fiENKUlcE_clEc", DEMANGLE_PERF),
			 "f(int)::{lambda(char)#1}::operator()");
	cr_expect_str_eq(of("_ZZ1fiENKUlcE_clEc", DEMANGLE_SHORT),
			 "f::{lambda(char)#1}::operator()");
	cr_expect_str_eq(of("_ZN1AcvPFviEEv", DEMANGLE_SHORT),
			 "A::operator void (*)(int)");
	cr_expect_str_eq(of("_ZN1AC2Ev.constprop.0.cold", DEMANGLE_SHORT), "A::A");
	cr_expect_str_eq(of("_Z1fB5cxx11v", DEMANGLE_SHORT), "f[abi:cxx11]");
	cr_expect_str_eq(of("_ZThn8_N1A1fEP5Block", DEMANGLE_SHORT),
			 "non-virtual thunk to A::f");
}

Test(demangle, names_can_be_left_as_they_are)
{
	cr_expect_str_eq(of("_ZN3foo3barEiPKc", DEMANGLE_NO), "");
	cr_expect_str_eq(of("_D3foo3barFZv", DEMANGLE_NO), "");
}

Test(demangle, other_names_are_left_alone)
{
	static const char *const names[] = { "main",
					     "_start",
					     "_Z",
					     "_",
					     "",
					     "_Znot_really",
					     "net/http.(*Client).Do",
					     "runtime.main" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		cr_expect_str_eq(of(names[i], DEMANGLE_SHORT), "", "%s", names[i]);
}

Test(demangle, very_long_names_are_left_alone)
{
	static char name[100000];

	memset(name, 'i', sizeof(name) - 1);
	memcpy(name, "_Z1f", 4);
	cr_expect_str_eq(of(name, DEMANGLE_SHORT), "");
}

/* Each pair holds the one before it twice: f<pair<int, int>, pair<A, A>, pair<B, B>... */
Test(demangle, a_name_that_grows_without_end_is_left_alone)
{
	work_at_most(10);
	static const char digits[] = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[1024] = "_Z1fISt4pairIiiE";
	size_t size = strlen(name);

	for (size_t i = 0; i < 3; i++)
		size += (size_t)sprintf(name + size, "S0_IS%c_S%c_E", digits[i],
					digits[i]);
	strcpy(name + size, "EvT_");
	cr_expect(strstr(of(name, DEMANGLE_SHORT),
			 "f<std::pair<int, int>, std::pair<std::pair"));
	for (size_t i = 3; i < strlen(digits); i++)
		size += (size_t)sprintf(name + size, "S0_IS%c_S%c_E", digits[i],
					digits[i]);
	strcpy(name + size, "EvT_");
	cr_expect_str_eq(of(name, DEMANGLE_SHORT), "");
}

/* "Dp" of B<B<..., S>, S>: all of it would be looked through for a pack, 2^60 nodes of 60, without a letter of output. */
Test(demangle, a_pack_that_is_looked_for_without_end_is_left_alone)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	enum { DEPTH = 60 };
	char name[4096] = "_Z1fIDp1BI";
	char *end = name + strlen(name);

	for (int i = 1; i < DEPTH; i++)
		end = stpcpy(end, "S0_I");
	end = stpcpy(end, "1AS1_E");
	for (int i = 2; i <= DEPTH; i++)
		end += i <= 36 ? sprintf(end, "S%c_E", digits[i - 1])
			       : sprintf(end, "S1%c_E", digits[i - 37]);
	strcpy(end, "Evv");
	cr_expect_str_eq(of(name, DEMANGLE_FULL), "");
	cr_expect_str_eq(of(name, DEMANGLE_SHORT), "");
}

Test(demangle, names_with_packs)
{
	cr_expect_str_eq(of("_Z1fIJidEEvDpOT_", DEMANGLE_FULL),
			 "void f<int, double>(int&&, double&&)");
	/* More substitutions than are let pass without a look. */
	cr_expect_str_eq(
		of("_Z1fIJSsSsSsSsSsSsSsSsSsSsSsSsSsSsSsSsSsSsEEiDpOT_", DEMANGLE_SHORT),
		"f<std::string, std::string, std::string, std::string, std::string, "
		"std::string, std::string, "
		"std::string, std::string, std::string, std::string, std::string, "
		"std::string, std::string, "
		"std::string, std::string, std::string, std::string>");
}
