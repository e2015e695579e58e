/*
 * Works for a while in a function of a known name: spin SECONDS [stay]
 *
 * With "stay" it then waits to be killed, so that its maps are still there. Compiled with
 * -DWORK=name the function has another name, in another build of the same program.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "now.h"

#ifndef WORK
#define WORK known_work
#endif

static volatile unsigned long sum;

__attribute__((noinline)) void WORK(void)
{
	for (unsigned long i = 0; i < 1000000; i++)
		sum += i;
}

int main(int argc, char **argv)
{
	double end = now() + (argc > 1 ? atof(argv[1]) : 0.2);

	while (now() < end)
		WORK();
	if (argc > 2 && strcmp(argv[2], "stay") == 0)
		pause();
	return 0;
}
