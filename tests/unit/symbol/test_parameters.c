#include "symbol/parameters.h"

#include <criterion/criterion.h>
#include <string.h>

static const char *cut(void (*how)(struct text *, size_t), const char *name)
{
	static char result[512];
	struct text out = { 0 };

	text_string(&out, "f(int)::");
	text_string(&out, name);
	how(&out, strlen("f(int)::"));
	cr_assert(out.size < sizeof(result));
	cr_assert_eq(out.bytes[out.size], '\0');
	/* What stood there before stays. */
	cr_expect_eq(memcmp(out.bytes, "f(int)::", 8), 0);
	memcpy(result, out.bytes + 8, out.size - 8 + 1);
	text_release(&out);
	return result;
}

static const char *cplus(const char *name)
{
	return cut(parameters_cut_cplus, name);
}

static const char *d(const char *name)
{
	return cut(parameters_cut_d, name);
}

Test(parameters, of_functions_around_it_go)
{
	cr_expect_str_eq(cplus("f(int)::{lambda(char)#1}::operator()"),
			 "f::{lambda(char)#1}::operator()");
	cr_expect_str_eq(cplus("A::f() const::{lambda()#1}::operator()"),
			 "A::f::{lambda()#1}::operator()");
	cr_expect_str_eq(cplus("A::f(void (*)(int)) const &::B::g"), "A::f::B::g");
	cr_expect_str_eq(cplus("guard variable for (anonymous namespace)::f(int)::x"),
			 "guard variable for (anonymous namespace)::f::x");
	cr_expect_str_eq(cplus("f<int>(int)::{lambda(auto:1)#1}::operator()<A(int)>"),
			 "f<int>::{lambda(auto:1)#1}::operator()<A(int)>");
	cr_expect_str_eq(cplus("A::operator()(int)::B::f"), "A::operator()::B::f");
	cr_expect_str_eq(cplus("A::operator-><int>()::B::f"), "A::operator-><int>::B::f");
	cr_expect_str_eq(cplus("A<(N)<(8)>::f(int)::g"), "A<(N)<(8)>::f::g");
	cr_expect_str_eq(cplus("A<((a)>(b))>::f(int)::g"), "A<((a)>(b))>::f::g");
	cr_expect_str_eq(cplus("operator\"\" _x(long)::B::f"), "operator\"\" _x::B::f");
	cr_expect_str_eq(cplus("A::operator new[](long)::B::f"),
			 "A::operator new[]::B::f");
}

/* libiberty leaves their last list, too: _ZThn8_N1A1fEP5Block */
Test(parameters, of_what_a_thunk_is_for_go)
{
	cr_expect_str_eq(cplus("non-virtual thunk to A::f(Block*)"),
			 "non-virtual thunk to A::f");
	cr_expect_str_eq(cplus("virtual thunk to A<f(int)>::f(void (*)(int)) const"),
			 "virtual thunk to A<f(int)>::f");
	cr_expect_str_eq(cplus("covariant return thunk to f(int)::B::g(int)"),
			 "covariant return thunk to f::B::g");
	cr_expect_str_eq(cplus("virtual thunk to A::operator()(int)"),
			 "virtual thunk to A::operator()");
}

Test(parameters, nothing_else_is_cut)
{
	static const char *const whole[] = {
		"std::function<void (int)>::operator()",
		"(anonymous namespace)::f",
		"A::operator void (*)(int)",
		"A::operator B<int>::C (*)(int)::{lambda()#1}::operator()",
		"A<f(int)::{lambda()#1}>::g",
		"B<&A::operator()>::c",
		"typeinfo for void (int)",
		"operator<< <int, f(int)::T>",
		"A<decltype (f(0))>::g",
		"decltype (f(0))::g",
		"f[abi:cxx11]",
		"A<(char)40>::f",
		"operator()",
		"operators",
		"",
		"(",
		")::",
		"f(int::g",
		"f<int::g(int)",
	};

	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++)
		cr_expect_str_eq(cplus(whole[i]), whole[i]);
}

Test(parameters, of_d)
{
	cr_expect_str_eq(d("a.f(int)"), "a.f");
	cr_expect_str_eq(d("a.f!(int delegate(char)).f(int).g(int[]) const"),
			 "a.f!(int delegate(char)).f.g");
	cr_expect_str_eq(d("a.f!(\"(\").f(int)"), "a.f!(\"(\").f");
	cr_expect_str_eq(d("a.f!('(').f(int)"), "a.f!('(').f");
	cr_expect_str_eq(d("a.f!(\"(\\\"\").f(int)"), "a.f!(\"(\\\"\").f");
	cr_expect_str_eq(d("a.f!(int[3]).g"), "a.f!(int[3]).g");
	cr_expect_str_eq(d("a.f!(int.g(int)"), "a.f!(int.g(int)");
	cr_expect_str_eq(d("a.f"), "a.f");
}

Test(parameters, brackets_deeper_than_any_name_has_are_left_alone)
{
	static char name[2000];

	memset(name, '<', 1000);
	strcpy(name + 1000, "f(int)::g");
	cr_expect(strlen(cplus("a")) == 1);
	{
		struct text out = { 0 };

		text_string(&out, name);
		parameters_cut_cplus(&out, 0);
		cr_expect_str_eq(out.bytes, name);
		text_release(&out);
	}
}
