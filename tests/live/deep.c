/*
 * deep DEPTH TIMES: so often down a recursion so deep, whose frames have some 300 bytes each, and a
 * bounded amount of work at its end. The work of a turn takes some 0.1 ms.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static volatile uint64_t sink;

static __attribute__((noinline)) uint64_t burn(uint64_t n)
{
	for (unsigned i = 0; i < 100000; i++)
		n = n * 31 + (n >> 7) + i;
	sink = n;
	return n;
}

static __attribute__((noinline)) uint64_t down(int depth)
{
	volatile char room[256];
	uint64_t found;

	room[0] = (char)depth;
	found = depth > 0 ? down(depth - 1) : burn((uint64_t)depth + 1);
	return found + (uint64_t)room[0];
}

int main(int argc, char **argv)
{
	int depth = argc > 1 ? atoi(argv[1]) : 10,
	    times = argc > 2 ? atoi(argv[2]) : 1000;
	uint64_t sum = 0;

	for (int i = 0; i < times; i++)
		sum += down(depth);
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
