#include "symbol/demangle.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* "" where it is left as it is. */
static const char *of(const char *name, enum demangle_set set)
{
	static char result[1024];
	struct text out = { 0 };

	result[0] = '\0';
	text_string(&out, "");
	if (demangle(name, strlen(name), set, &out)) {
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
	cr_expect_str_eq(of("_D3foo3barFZv", DEMANGLE_ALL), "foo.bar()");
	cr_expect_str_eq(of("_D3foo3barFZv", DEMANGLE_PERF), "");
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
		cr_expect_str_eq(of(names[i], DEMANGLE_ALL), "", "%s", names[i]);
}

Test(demangle, very_long_names_are_left_alone)
{
	static char name[100000];

	memset(name, 'i', sizeof(name) - 1);
	memcpy(name, "_Z1f", 4);
	cr_expect_str_eq(of(name, DEMANGLE_ALL), "");
}

/* Each pair holds the one before it twice: f<pair<int, int>, pair<A, A>, pair<B, B>... */
Test(demangle, a_name_that_grows_without_end_is_left_alone, .timeout = 10)
{
	static const char digits[] = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[1024] = "_Z1fISt4pairIiiE";
	size_t size = strlen(name);

	for (size_t i = 0; i < 3; i++)
		size += (size_t)sprintf(name + size, "S0_IS%c_S%c_E", digits[i],
					digits[i]);
	strcpy(name + size, "EvT_");
	cr_expect(strstr(of(name, DEMANGLE_ALL),
			 "f<std::pair<int, int>, std::pair<std::pair"));
	for (size_t i = 3; i < strlen(digits); i++)
		size += (size_t)sprintf(name + size, "S0_IS%c_S%c_E", digits[i],
					digits[i]);
	strcpy(name + size, "EvT_");
	cr_expect_str_eq(of(name, DEMANGLE_ALL), "");
}
