#ifndef SYMBOL_DEMANGLE_H
#define SYMBOL_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum demangle_set {
	DEMANGLE_PERF, /* what perf does: C++, Rust, OCaml */
	DEMANGLE_ALL, /* and D */
};

/* Appends the name as its language writes it, without parameters; false, and nothing
 * is appended, where @name is not mangled or is too much to take apart. */
bool demangle(const char *name, size_t size, enum demangle_set set, struct text *out);

#endif
