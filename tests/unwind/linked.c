/*
 * Calls from one object into another, of functions with frames that call leaves without one:
 *
 *	main -> lib_calls -> lib_leaf
 *	main -> own_calls -> own_leaf, both of the program
 *	main -> lib_inner -> lib_calls -> lib_leaf: the library calls through a slot of its own, too
 *	main -> lib_chosen, an IFUNC: chosen -> chosen_leaf
 *
 * usage: linked TIMES. Built twice: with -DLIBRARY a shared library.
 */
#include "frame.h"
#include <stdlib.h>

unsigned lib_calls(unsigned n);
unsigned lib_inner(unsigned n);
unsigned lib_chosen(unsigned n);

#ifdef LIBRARY
FRAME static unsigned lib_leaf(void)
{
	return busy(ROUNDS);
}

FRAME static unsigned chosen_leaf(void)
{
	return busy(ROUNDS + 1); /* or they would be one */
}

FRAME unsigned lib_calls(unsigned n)
{
	unsigned x = lib_leaf();

	AFTER_CALL();
	return x + n;
}

FRAME unsigned lib_inner(unsigned n)
{
	unsigned x = lib_calls(n);

	AFTER_CALL();
	return x + n;
}

FRAME static unsigned chosen(unsigned n)
{
	unsigned x = chosen_leaf();

	AFTER_CALL();
	return x + n;
}

static unsigned (*choose(void))(unsigned)
{
	return chosen;
}

unsigned lib_chosen(unsigned n) __attribute__((ifunc("choose")));
#else
FRAME static unsigned own_leaf(void)
{
	return busy(ROUNDS);
}

FRAME static unsigned own_calls(unsigned n)
{
	unsigned x = own_leaf();

	AFTER_CALL();
	return x + n;
}

int main(int argc, char **argv)
{
	unsigned times = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	volatile unsigned sum = 0;

	while (times--)
		sum += lib_calls(times) + own_calls(times) + lib_inner(times) +
		       lib_chosen(times);
	return sum == 42;
}
#endif
