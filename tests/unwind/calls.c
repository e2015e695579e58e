/*
 * Calls of functions that do nothing, through the PLT: main -> caller -> entries of the
 * PLT and callee_*. caller saves registers.
 *
 * usage: calls TIMES
 */
#include "callee.h"
#include "frame.h"
#include <stdlib.h>

FRAME unsigned caller(unsigned n)
{
	unsigned x = 0;

	for (unsigned i = 0; i < n; i++)
		x += callee_a(i) + callee_b(i + x) + callee_c(i);
	return x;
}

int main(int argc, char **argv)
{
	unsigned times = argc > 1 ? atoi(argv[1]) : 1;
	volatile unsigned sum = 0;

	while (times--)
		sum += caller(1000);
	return sum == 42;
}
