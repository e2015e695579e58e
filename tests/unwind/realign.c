/*
 * Frames that are not counted from the usual registers: main -> realigned -> variable ->
 * leaf. realigned aligns its stack to 32 bytes and takes room on it (DRAP: the CFA is in
 * memory), variable has an array whose size is known at run time only.
 *
 * usage: realign TIMES; built with -mavx2 -mstackrealign. Exit 77: no AVX2 here.
 */
#include "frame.h"
#include <alloca.h>
#include <stdlib.h>
#include <string.h>

typedef int eight __attribute__((vector_size(32)));

FRAME unsigned leaf(unsigned rounds)
{
	return busy(rounds);
}

FRAME unsigned variable(unsigned n)
{
	unsigned char room[n];
	unsigned x;

	memset(room, n, n);
	__asm__ volatile("" : : "r"(room) : "memory");
	x = leaf(3000);
	AFTER_CALL();
	return x + room[n / 2];
}

FRAME unsigned realigned(unsigned n, const eight *given)
{
	eight kept = *given + (int)n;
	unsigned char *room = alloca(n + 1);
	unsigned x;

	memset(room, n, n + 1);
	__asm__ volatile("" : "+m"(kept) : "r"(room) : "memory");
	x = variable(n % 500 + 7);
	AFTER_CALL();
	return x + kept[n % 8] + room[n];
}

int main(int argc, char **argv)
{
	static const eight one = { 1, 2, 3, 4, 5, 6, 7, 8 };
	unsigned times = argc > 1 ? atoi(argv[1]) : 1;
	volatile unsigned sum = 0;

	if (!__builtin_cpu_supports("avx2"))
		return 77;
	while (times--)
		sum += realigned(times % 1000, &one);
	return sum == 42;
}
