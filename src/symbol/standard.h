#ifndef SYMBOL_STANDARD_H
#define SYMBOL_STANDARD_H

#include "base/text.h"

/*
 * Names of the C++ standard library as people write them, from @start on: without template
 * arguments that are the defaults, without inline namespaces, and by their short names
 * where they have one.
 *
 *	std::vector<int, std::allocator<int> >::at		std::vector<int>::at
 *	std::vector<int, my::allocator<int> >::at		as it is
 *	std::__cxx11::basic_string<char, std::char_traits<char>,
 *		std::allocator<char> >::append			std::string::append
 *	std::__1::map<int, A, std::__1::less<int>, ...>::find	std::map<int, A>::find
 *
 * What is not below std:: stays, and two closing brackets stay apart (std::set<A<int> >),
 * as in every other C++ name. A name of brackets that do not match is changed up to where
 * that is seen.
 */
void standard_shorten(struct text *name, size_t start);

#endif
