#ifndef SYMBOL_CLONE_H
#define SYMBOL_CLONE_H

#include <stddef.h>

/*
 * What compilers and linkers append where they make several functions of one:
 *
 *	f.isra.0  f.constprop.1.cold  f.part.0  f.llvm.123  f.lto_priv.0  f.__uniq.12
 *	f(int) [clone .isra.0] [clone .cold]
 *
 * The bytes of @name without that: @size where there is none. Go has functions of its
 * own with such names; its objects are the caller's business.
 */
size_t clone_base(const char *name, size_t size);

#endif
