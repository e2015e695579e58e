#ifndef SYMBOL_DEMANGLE_H
#define SYMBOL_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/*
 * A mangled name as its language writes it. None of the forms cuts a name inside of
 * brackets.
 *
 *	_ZZ1fiENKUlcE_clEc
 *	PERF     f(int)::{lambda(char)#1}::operator()
 *	SHORT    f::{lambda(char)#1}::operator()
 *	FULL     f(int)::{lambda(char)#1}::operator()(char) const
 */
enum demangle_form {
	DEMANGLE_PERF, /* what perf shows: C++, Rust, OCaml */
	/* And D; without parameters, also of the functions around it, and with the names of
	 * the C++ library in short (symbol/standard.h). */
	DEMANGLE_SHORT,
	DEMANGLE_FULL, /* and D; with parameters and what a template returns */
	DEMANGLE_NO,
};

/* Appends the name; false, and nothing is appended, where @name is not mangled or is too
 * much to take apart. What compilers append to the names of clones (.isra.0) is only there
 * in FULL, and only for C++. */
bool demangle(const char *name, size_t size, enum demangle_form form, struct text *out);

#endif
