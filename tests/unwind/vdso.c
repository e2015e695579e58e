/*
 * The kernel's code in a process: main -> ask -> clock_gettime -> [vdso].
 *
 * usage: vdso TIMES
 */
#include "frame.h"
#include <stdlib.h>
#include <time.h>

FRAME long ask(unsigned times)
{
	struct timespec now;
	long sum = 0;

	while (times--) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		sum += now.tv_nsec;
	}
	return sum;
}

int main(int argc, char **argv)
{
	volatile long sum = ask(argc > 1 ? atoi(argv[1]) : 1);

	return sum == 42;
}
