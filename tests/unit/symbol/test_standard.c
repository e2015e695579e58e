#include "symbol/standard.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const char *shorten(const char *name)
{
	static char result[4096];
	struct text out = { 0 };

	text_string(&out, "std::__1::");
	text_string(&out, name);
	standard_shorten(&out, strlen("std::__1::"));
	cr_assert(out.size < sizeof(result));
	cr_assert_eq(out.bytes[out.size], '\0');
	/* What stood there before stays. */
	cr_expect_eq(memcmp(out.bytes, "std::__1::", 10), 0);
	memcpy(result, out.bytes + 10, out.size - 10 + 1);
	text_release(&out);
	return result;
}

#define STRING                                                                           \
	"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> " \
	">"

Test(standard, default_arguments_go)
{
	static const struct {
		const char *name, *expected;
	} names[] = {
		{ "std::vector<int, std::allocator<int> >::at", "std::vector<int>::at" },
		{ "std::vector<A<int>, std::allocator<A<int> > >::at",
		  "std::vector<A<int> >::at" },
		{ "std::map<int, A, std::less<int>, std::allocator<std::pair<int const, "
		  "A> > "
		  ">::find",
		  "std::map<int, A>::find" },
		{ "std::unordered_map<A<int>, char*, std::hash<A<int> >, "
		  "std::equal_to<A<int> >, std::allocator<std::pair<A<int> const, char*> "
		  "> >::at",
		  "std::unordered_map<A<int>, char*>::at" },
		{ "std::unique_ptr<A [], std::default_delete<A []> >::get",
		  "std::unique_ptr<A []>::get" },
		{ "std::priority_queue<int, std::vector<int, std::allocator<int> >, "
		  "std::less<int> >::pop",
		  "std::priority_queue<int>::pop" },
		{ "std::__shared_ptr<A, (__gnu_cxx::_Lock_policy)2>::get",
		  "std::__shared_ptr<A>::get" },
		{ "std::map<int, A, std::greater<int>, std::allocator<std::pair<int "
		  "const, "
		  "A> > >::find",
		  "std::map<int, A, std::greater<int> >::find" },
		{ "std::basic_string<char, my::traits, std::allocator<char> >::find",
		  "std::basic_string<char, my::traits>::find" },
		{ "std::less<void>::operator()", "std::less<>::operator()" },
		{ "f<std::set<int, std::less<int>, std::allocator<int> > >",
		  "f<std::set<int> >" },
		{ "f(std::deque<int, std::allocator<int> >&)::{lambda(std::list<int, "
		  "std::allocator<int> >)#1}::operator()",
		  "f(std::deque<int>&)::{lambda(std::list<int>)#1}::operator()" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		cr_expect_str_eq(shorten(names[i].name), names[i].expected);
}

Test(standard, arguments_go_inside_out)
{
	cr_expect_str_eq(shorten("std::vector<std::vector<" STRING
				 ", std::allocator<" STRING
				 " > >, std::allocator<std::vector<" STRING
				 ", std::allocator<" STRING " > > > >::push_back"),
			 "std::vector<std::vector<std::string> >::push_back");
	cr_expect_str_eq(shorten("std::map<" STRING ", " STRING ", std::less<" STRING
				 " >, std::allocator<std::pair<" STRING " const, " STRING
				 " > > >::find"),
			 "std::map<std::string, std::string>::find");
}

Test(standard, short_names_of_characters)
{
	cr_expect_str_eq(shorten(STRING "::append"), "std::string::append");
	cr_expect_str_eq(shorten("f<" STRING " >"), "f<std::string>");
	cr_expect_str_eq(shorten("f<" STRING ", A<" STRING " > >"),
			 "f<std::string, A<std::string> >");
	cr_expect_str_eq(shorten("std::basic_string_view<char32_t, "
				 "std::char_traits<char32_t> >::find"),
			 "std::u32string_view::find");
	cr_expect_str_eq(shorten("std::basic_ostream<wchar_t, std::char_traits<wchar_t> "
				 ">& std::operator<< <wchar_t>"),
			 "std::wostream& std::operator<< <wchar_t>");
	cr_expect_str_eq(shorten("std::basic_ostream<char16_t, "
				 "std::char_traits<char16_t> >::put"),
			 "std::basic_ostream<char16_t>::put");
	cr_expect_str_eq(shorten(STRING "::operator std::basic_string_view<char, "
					"std::char_traits<char> >"),
			 "std::string::operator std::string_view");
}

Test(standard, inline_namespaces_go)
{
	cr_expect_str_eq(shorten("std::__1::vector<int, std::__1::allocator<int> >::at"),
			 "std::vector<int>::at");
	cr_expect_str_eq(shorten("std::__1::operator<< <std::__1::less<int> >"),
			 "std::operator<< <std::less<int> >");
	cr_expect_str_eq(shorten("std::__1::operator< <int>"), "std::operator< <int>");
	cr_expect_str_eq(shorten("std::chrono::_V2::steady_clock::now"),
			 "std::chrono::steady_clock::now");
	cr_expect_str_eq(shorten("std::filesystem::__cxx11::path::f"),
			 "std::filesystem::path::f");
}

Test(standard, durations)
{
	cr_expect_str_eq(
		shorten("f<std::chrono::duration<long, std::ratio<1l, 1000l> > >"),
		"f<std::chrono::milliseconds>");
	cr_expect_str_eq(
		shorten("f<std::chrono::duration<long long, std::ratio<1l, 1l> > >"),
		"f<std::chrono::seconds>");
	cr_expect_str_eq(shorten("std::chrono::duration<double, std::ratio<1l, 1l> >::x"),
			 "std::chrono::duration<double>::x");
}

Test(standard, everything_else_stays)
{
	static const char *const names[] = {
		"std::vector<int, my::allocator<int> >::at",
		"std::vector<int, std::allocator<char> >::at",
		"std::map<int, A, std::less<int>, my::allocator<int> >::at",
		"std::vector<A<int>, std::allocator<A<char> > >::at",
		"my::std::vector<int, std::allocator<int> >::at",
		"::std::vector<int, std::allocator<int> >::at",
		"vector<int, std::allocator<int> >::at",
		"A<std::x>::vector<int, std::allocator<int> >::at",
		"__gnu_cxx::__normal_iterator<int*, std::vector<int> >",
		"std::__debug::vector<int, std::allocator<int> >",
		"std::_Vector_base<int, std::allocator<int> >::_M_allocate",
		"my::__cxx11::string<std::x>",
		"std::__cxx11",
		"std::__1x::f",
		"std::vector<int, std::allocator<int>, >",
		"std::vector<",
		"std::vector<>",
		"std::vector<int, >",
		"std::basic_ostream<char, >::get",
		"std::vector<int, std::allocator<int)",
		"std::",
		"std::less<>::operator()",
		"A<(std::x)<(8)>::f",
		"A<((std::x)>(b))>::g",
		"",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		cr_expect_str_eq(shorten(names[i]), names[i]);
}

Test(standard, what_is_done_is_not_done_again)
{
	cr_expect_str_eq(shorten("std::basic_string<char>::__1::x"), "std::string::x");
	cr_expect_str_eq(shorten("std::__1::__cxx11::list<int>"), "std::list<int>");
	cr_expect_str_eq(shorten("std::__1x:__1:::f"), "std::__1x:__1:::f");
	cr_expect_str_eq(shorten("std::basic_string<char>_view<char>"),
			 "std::string_view<char>");
}

Test(standard, brackets_deeper_than_any_name_has)
{
	struct text out = { 0 };
	size_t size;

	for (size_t i = 0; i < 1000; i++)
		text_string(&out, "std::vector<");
	text_string(&out, "int, std::allocator<int> >");
	size = out.size;
	standard_shorten(&out, 0);
	cr_expect_eq(out.size, size);
	text_release(&out);
}
