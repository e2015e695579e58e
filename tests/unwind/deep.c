/*
 * A known chain of calls through frames of different sizes:
 *
 *	main -> large -> small -> large ... -> work	DEPTH of large and small
 *
 * usage: deep DEPTH TIMES
 */
#include "frame.h"
#include <stdlib.h>

FRAME unsigned small(unsigned depth);

FRAME unsigned work(unsigned rounds)
{
	LEAF();
	return busy(rounds);
}

FRAME unsigned large(unsigned depth)
{
	volatile unsigned room[50];
	unsigned x;

	room[depth % 50] = depth;
	x = depth > 1 ? small(depth - 1) : work(2000);
	AFTER_CALL();
	return x + room[depth % 50];
}

FRAME unsigned small(unsigned depth)
{
	unsigned x = depth > 1 ? large(depth - 1) : work(2000);

	AFTER_CALL();
	return x + 1;
}

int main(int argc, char **argv)
{
	unsigned depth = argc > 1 ? atoi(argv[1]) : 40,
		 times = argc > 2 ? atoi(argv[2]) : 1;
	volatile unsigned sum = 0;

	while (times--)
		sum += large(depth);
	return sum == 42;
}
