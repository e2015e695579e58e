/* A shared object of plugins.c: plugin() works 20 ms in a function called NAME. */
#include <time.h>

static double processor_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static volatile unsigned sink;

__attribute__((noinline)) void NAME(void)
{
	double end = processor_time() + 0.02;

	do {
		for (unsigned i = 0; i < 20000; i++)
			sink += i * i;
	} while (processor_time() < end);
}

void plugin(void)
{
	NAME();
	sink++;
}
