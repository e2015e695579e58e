/*
 * What the programs share whose waits, bytes and calls are known. Each prints what it
 * has seen of itself, a line for a weight:
 *
 *	MODE TOLERANCE WEIGHT FRAME;FRAME;...
 *
 * flamefold --mode MODE has WEIGHT, give or take TOLERANCE percent (0: exactly), in
 * stacks with these frames in this order, whatever is between them; "$" is their end.
 */
#ifndef TESTS_MODES_KNOWN_H
#define TESTS_MODES_KNOWN_H

#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define NOINLINE __attribute__((noinline, noclone))
/* Behind a call at a function's end: it is no jump, and the function is in the stack. */
#define AFTERWARDS() __asm__ volatile("" ::: "memory")

enum { TIMES = 3, EXACT = 0 }; /* percent */

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static inline uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* How often this thread has blocked. */
static inline long times_blocked(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

/* Works for @ns of this thread's processor time, or a little more. */
static inline void work_ns(uint64_t ns)
{
	static volatile uint64_t sink;
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (unsigned i = 0; i < 20000; i++)
			sink = sink * 31 + i;
}

static inline void sleep_ns(uint64_t ns)
{
	struct timespec t = { .tv_sec = (time_t)(ns / 1000000000),
			      .tv_nsec = (long)(ns % 1000000000) };

	nanosleep(&t, NULL);
}

/* Where that is permitted, no ordinary thread takes the processor away from this one: what
 * happens between two looks at the clock is what is between them in the program. */
static inline void keep_processor(void)
{
	sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ .sched_priority = 1 });
}

static inline void say(const char *mode, int percent, uint64_t weight, const char *frames)
{
	printf("%s %d %" PRIu64 " %s\n", mode, percent, weight, frames);
}

#endif
