#ifndef SYMBOL_TIDY_H
#define SYMBOL_TIDY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/*
 * A name as it is shown, of one who may have written its parameters with it. `;` separates frames and becomes `:`, quotes go, control
 * characters become `?`, and parameter lists are left out:
 *
 *	foo(int) const                      foo
 *	std::function<void (int)>::f        as it is: inside of brackets
 *	(anonymous namespace)::f            as it is
 *	net/http.(*Client).Do               as it is: a Go method
 *	f(int)::{lambda(char)#1}::operator()    f::{lambda(char)#1}::operator()
 */
void tidy_name(const char *name, size_t size, struct text *out);

/* The same, with parameters. */
void tidy_whole_name(const char *name, size_t size, struct text *out);

/* Only what would break a line of output: no part of the name is left out. */
void tidy_characters(const char *name, size_t size, struct text *out);

/*
 * The same as stackcollapse-perf.pl does it to a line of perf script,
 *
 *	    7f2b name+0x1c (/usr/lib/libfoo.so)
 *
 * mistakes included: everything from the first `(` on goes, a path with ` (` in it
 * moves the border. @line starts with the name. Names that it splits at `->` into
 * several frames are one here, with the `;` between its parts. False where it leaves
 * the frame out.
 */
bool tidy_line(const char *line, size_t size, const char *pc, bool addrs,
	       struct text *out);

/* What it takes for the module of such a line; *@size bytes. */
const char *tidy_module(const char *line, size_t length, size_t *size);

#endif
