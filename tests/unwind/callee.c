/* The library of calls.c. */
#include "callee.h"

unsigned callee_a(unsigned n)
{
	return n;
}

unsigned callee_b(unsigned n)
{
	return n + 1;
}

unsigned callee_c(unsigned n)
{
	return n + 2;
}
