#ifndef SYMBOL_PARAMETERS_H
#define SYMBOL_PARAMETERS_H

#include "base/text.h"

/*
 * Parameter lists are taken out of names, from @start on; what stands in brackets stays.
 *
 * Of C++, as libiberty prints it without the function's own parameters: those of the
 * functions around it.
 *
 *	f(int)::{lambda(char)#1}::operator()	f::{lambda(char)#1}::operator()
 *	A::operator void (*)(int)		as it is
 */
void parameters_cut_cplus(struct text *name, size_t start);

/* Of D: its own, too.
 *
 *	a.f!(int delegate(char)).f(int).g(int[]) const	a.f!(int delegate(char)).f.g
 */
void parameters_cut_d(struct text *name, size_t start);

#endif
