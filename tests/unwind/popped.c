/*
 * main -> outer -> small -> tiny: functions with frame pointers, two of them so short that they
 * are about to return in a good part of the samples. Their rows do not say that rbp was popped.
 *
 * usage: popped TIMES
 */
#include "frame.h"
#include <stdlib.h>

static volatile unsigned sum;

FRAME unsigned tiny(unsigned n)
{
	return n + 1;
}

FRAME unsigned small(unsigned n)
{
	return tiny(n) + tiny(n + 1);
}

FRAME unsigned outer(unsigned times)
{
	while (times--)
		sum += small(times);
	AFTER_CALL();
	return sum;
}

int main(int argc, char **argv)
{
	return outer(argc > 1 ? (unsigned)atoi(argv[1]) : 1) == 42;
}
