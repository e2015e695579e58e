#include "symbol/tidy.h"

#include <criterion/criterion.h>
#include <string.h>

static char result[512];

static const char *keep(struct text *out)
{
	cr_assert(out->size < sizeof(result));
	memcpy(result, out->bytes ? out->bytes : "", out->size + 1);
	text_release(out);
	return result;
}

static const char *tidy(const char *name)
{
	struct text out = { 0 };

	tidy_name(name, strlen(name), &out);
	return keep(&out);
}

static const char *line(const char *text)
{
	struct text out = { 0 };

	text_string(&out, "");
	if (!tidy_line(text, strlen(text), "7f", false, &out))
		text_string(&out, "(dropped)");
	return keep(&out);
}

static const char *line_with_pc(const char *text)
{
	struct text out = { 0 };

	tidy_line(text, strlen(text), "7f", true, &out);
	return keep(&out);
}

Test(tidy, parameters_are_left_out)
{
	cr_expect_str_eq(tidy("foo(int)"), "foo");
	cr_expect_str_eq(tidy("a::foo(std::vector<int> const&, void (*)(int)) const"),
			 "a::foo");
	cr_expect_str_eq(tidy("foo(int) [clone .cold]"), "foo");
	cr_expect_str_eq(tidy("operator new(unsigned long)"), "operator new");
	cr_expect_str_eq(tidy("a::operator\"\" _km(long double)"), "a::operator\"\" _km");
	cr_expect_str_eq(tidy("operator\"\" _km"), "operator\"\" _km");
	cr_expect_str_eq(tidy("my_operator\"\" 'x'"), "my_operator x");
	cr_expect_str_eq(tidy("int T.fib (int)"), "int T.fib");
}

Test(tidy, brackets_are_never_cut_into)
{
	static const char *const whole[] = {
		"std::function<void (int)>::operator()",
		"(anonymous namespace)::f",
		"a::(anonymous namespace)::b<int (*)()>",
		"foo<(some_enum)0>::bar",
		"{lambda(int)#1}::operator()",
		"Foo::operator->",
		"a<&b::operator()>::c",
		"operator<< <int>",
		"A::operator-><int>",
		"A::operator><int>::f",
		"x<(1>2)>::y",
		"<alloc::vec::Vec<T> as core::fmt::Debug>::fmt",
		"<fn(A) -> B as Trait>::call",
		"net/http.(*Client).Do",
		"main.(*T[go.shape.int]).m",
		"[libc.so.6]",
	};

	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++)
		cr_expect_str_eq(tidy(whole[i]), whole[i]);
}

Test(tidy, what_follows_the_parameters_of_an_outer_function_stays)
{
	cr_expect_str_eq(tidy("f(int)::{lambda(char)#1}::operator()(char) const"),
			 "f::{lambda(char)#1}::operator()");
	cr_expect_str_eq(tidy("A::f(int) const::B::g()"), "A::f::B::g");
	cr_expect_str_eq(tidy("operator()(int)"), "operator()");
	cr_expect_str_eq(tidy("operator<(A, B)"), "operator<");
	cr_expect_str_eq(tidy("my_operator(int)"), "my_operator");
	cr_expect_str_eq(tidy("operators(int)"), "operators");
}

Test(tidy, characters_that_break_a_line_are_replaced)
{
	cr_expect_str_eq(tidy("a;b"), "a:b");
	cr_expect_str_eq(tidy("say \"hi\" it's"), "say hi its");
	cr_expect_str_eq(tidy("a\nb\tc\x7f"), "a?b?c?");
	cr_expect_str_eq(tidy("\xc3\xa4"), "\xc3\xa4");
}

Test(tidy, brackets_that_do_not_match_do_no_harm)
{
	cr_expect_str_eq(tidy("a<b"), "a<b");
	cr_expect_str_eq(tidy("a(b"), "a");
	cr_expect_str_eq(tidy("a)b"), "a)b");
	cr_expect_str_eq(tidy("("), "(");
	cr_expect_str_eq(tidy("a>(b"), "a>");
	cr_expect_str_eq(tidy("operator"), "operator");
}

Test(tidy, whole_names_keep_their_parameters)
{
	struct text out = { 0 };

	tidy_whole_name("f(int;char) const ", 18, &out);
	cr_expect_str_eq(out.bytes, "f(int:char) const");
	text_clear(&out);
	tidy_whole_name("", 0, &out);
	cr_expect_str_eq(out.bytes, "?");
	text_release(&out);
}

Test(tidy, a_name_is_never_empty)
{
	cr_expect_str_eq(tidy(""), "?");
	cr_expect_str_eq(tidy("\"'"), "?");
}

Test(tidy, descriptors_of_java_lose_their_letter)
{
	cr_expect_str_eq(tidy("Lorg/mozilla/Context;.call(Ljava/lang/Object;)V"),
			 "org/mozilla/Context:.call");
	cr_expect_str_eq(tidy("LazyCompile:~f /home/x.js:1"),
			 "LazyCompile:~f /home/x.js:1");
	cr_expect_str_eq(tidy("LZ4_compress"), "LZ4_compress");
}

Test(tidy, a_line_is_cut_at_its_first_parenthesis)
{
	cr_expect_str_eq(line("main+0x1c (/bin/a)"), "main");
	cr_expect_str_eq(line("std::function<void (int)>::operator()+0x1 (/bin/a)"),
			 "std::function<void ");
	cr_expect_str_eq(line("{lambda(int)#1}::operator()+0x1 (/bin/a)"), "{lambda");
	cr_expect_str_eq(line("a::(anonymous namespace)::b+0x1 (/bin/a)"),
			 "a::(anonymous namespace)::b");
	cr_expect_str_eq(line("net/http.(*Client).Do+0x1 (/bin/a)"),
			 "net/http.(*Client).Do");
}

Test(tidy, a_line_that_starts_with_a_parenthesis_is_left_out)
{
	cr_expect_str_eq(line("(anonymous namespace)::f+0x1 (/bin/a)"), "(dropped)");
}

Test(tidy, a_line_without_a_symbol_gets_its_module)
{
	cr_expect_str_eq(line("[unknown] (/usr/lib/libc.so.6)"), "[libc.so.6]");
	cr_expect_str_eq(line("[unknown] ([vdso])"), "[[vdso]]");
	cr_expect_str_eq(line("[unknown] (//anon)"), "[anon]");
	cr_expect_str_eq(line("[unknown] ([unknown])"), "[unknown]");
	cr_expect_str_eq(line("[unknown] (/bin/a (deleted))"), "[unknown] ");
	cr_expect_str_eq(line_with_pc("[unknown] (/usr/lib/libc.so.6)"),
			 "[libc.so.6 <7f>]");
	cr_expect_str_eq(line_with_pc("[unknown] ([unknown])"), "[unknown <7f>]");
}

Test(tidy, the_offset_stays_in_names_of_deleted_files)
{
	cr_expect_str_eq(line("baz+0x12 (/bin/a (deleted))"), "baz+0x12 ");
}

Test(tidy, inlined_java_calls_are_parts_of_one_name)
{
	cr_expect_str_eq(line("a->b->c+0x1 (/tmp/perf-1.map)"), "a;b_[i];c_[i]");
	cr_expect_str_eq(line("Foo::operator->+0x1 (/bin/a)"), "Foo::operator");
	cr_expect_str_eq(line("Foo::operator->() const+0x1 (/bin/a)"),
			 "Foo::operator;_[i]");
}
