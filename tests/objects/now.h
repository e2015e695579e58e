#ifndef TESTS_OBJECTS_NOW_H
#define TESTS_OBJECTS_NOW_H

#include <time.h>

/* Seconds of work: what counts is the same on a busy machine. */
static inline double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#endif
