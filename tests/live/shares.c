/*
 * shares SECONDS THREADS: every thread works for that much processor time, 60, 30 and 10 % of it
 * in three functions. At the end the nanoseconds of each are printed, as the kernel counted them:
 *
 *	share_60 5999871234
 *	share_30 ...
 *	share_10 ...
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS_MOST = 64, UNIT = 2000000 /* ns */ };

static uint64_t enough; /* ns of each thread */
static uint64_t spent[THREADS_MOST][3];
static volatile uint64_t sink;

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Works for @ns of this thread's processor time or a little more; how much it was. The clock is
 * seldom asked: its functions hide their caller from frame pointers. */
static inline __attribute__((always_inline)) uint64_t work(uint64_t ns)
{
	uint64_t start = now(CLOCK_THREAD_CPUTIME_ID), end = start;

	while (end - start < ns) {
		for (unsigned i = 0; i < 200000; i++)
			sink = sink * 31 + i;
		end = now(CLOCK_THREAD_CPUTIME_ID);
	}
	return end - start;
}

static __attribute__((noinline)) uint64_t share_60(uint64_t unit)
{
	return work(6 * unit);
}

static __attribute__((noinline)) uint64_t share_30(uint64_t unit)
{
	return work(3 * unit);
}

static __attribute__((noinline)) uint64_t share_10(uint64_t unit)
{
	return work(unit);
}

static void *thread(void *arg)
{
	uint64_t *mine = arg, unit = UNIT;

	/* Turns of different lengths: no clock keeps step with them. */
	while (now(CLOCK_THREAD_CPUTIME_ID) < enough) {
		mine[0] += share_60(unit);
		mine[1] += share_30(unit);
		mine[2] += share_10(unit);
		unit = UNIT + (unit * 7919 + 1) % UNIT;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "share_60", "share_30", "share_10" };
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	int threads = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t ids[THREADS_MOST];

	if (threads < 1 || threads > THREADS_MOST)
		return 2;
	enough = (uint64_t)(seconds * 1e9);
	for (int i = 0; i < threads; i++)
		if (pthread_create(&ids[i], NULL, thread, spent[i]) != 0)
			return 1;
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	for (int i = 0; i < 3; i++) {
		uint64_t sum = 0;

		for (int j = 0; j < threads; j++)
			sum += spent[j][i];
		printf("%s %" PRIu64 "\n", names[i], sum);
	}
	return 0;
}
