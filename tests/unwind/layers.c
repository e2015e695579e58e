/*
 * main -> outer -> middle -> inner -> leaf, for layouts of an executable: middle saves
 * registers, inner has a frame of more than a page, leaf has none.
 *
 * usage: layers TIMES
 */
#include "frame.h"
#include <stdlib.h>
#include <string.h>

FRAME unsigned leaf(unsigned rounds)
{
	return busy(rounds);
}

FRAME unsigned inner(unsigned n)
{
	char room[5000];
	unsigned x;

	memset(room, n, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
	x = leaf(5000);
	AFTER_CALL();
	return x + room[n % sizeof(room)];
}

FRAME unsigned middle(unsigned a, unsigned b, unsigned c, unsigned d)
{
	unsigned x = inner(a);

	x = inner(b + x) * c + inner(c) * d;
	AFTER_CALL();
	return x + a + b + c + d;
}

FRAME unsigned outer(unsigned n)
{
	unsigned x = middle(n, n + 1, n + 2, n + 3);

	AFTER_CALL();
	return x * 3;
}

int main(int argc, char **argv)
{
	unsigned times = argc > 1 ? atoi(argv[1]) : 1;
	volatile unsigned sum = 0;

	while (times--)
		sum += outer(times);
	return sum == 42;
}
