/*
 * leaf SECONDS, of processor time: caller() calls frameless(), which has no frame of its own: a frame pointer
 * still is that of caller(), so its return address, into main(), is all that a chain of frame
 * pointers has behind the leaf.
 */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static volatile uint64_t sink;

static __attribute__((noinline, optimize("omit-frame-pointer"))) uint64_t
frameless(uint64_t n)
{
	uint64_t sum = n;

	for (unsigned i = 0; i < 2000000; i++)
		sum = sum * 31 + (sum >> 7) + i;
	return sum;
}

static __attribute__((noinline)) uint64_t caller(uint64_t n)
{
	uint64_t sum = frameless(n);

	sink = sum;
	return sum + 1;
}

int main(int argc, char **argv)
{
	time_t seconds = argc > 1 ? atoi(argv[1]) : 1;
	struct timespec now;
	uint64_t n = 1;

	do {
		n = caller(n);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while (now.tv_sec < seconds);
	return n == 0;
}
