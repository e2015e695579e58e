/*
 * main -> top -> mid -> leaf: built with frame pointers, but leaf has none unless with
 * -DLEAF_FRAME, so that a chain of frame pointers has no mid while leaf runs.
 *
 * usage: leaf TIMES
 */
#include "frame.h"
#include <stdlib.h>

FRAME unsigned leaf(unsigned rounds)
{
	LEAF();
	return busy(rounds);
}

FRAME unsigned mid(unsigned n)
{
	unsigned x = leaf(n);

	AFTER_CALL();
	return x + 1;
}

FRAME unsigned top(unsigned n)
{
	unsigned x = mid(n) + mid(n + 1);

	AFTER_CALL();
	return x + 1;
}

int main(int argc, char **argv)
{
	unsigned times = argc > 1 ? atoi(argv[1]) : 1;
	volatile unsigned sum = 0;

	while (times--)
		sum += top(3000);
	return sum == 42;
}
