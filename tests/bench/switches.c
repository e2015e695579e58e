/*
 * switches SECONDS RATE: two processes on processor 0 that wake each other through pipes, so many switches
 * a second, in bursts of a millisecond. Prints the ns of processor time, user and system, that each of
 * them took, as a line for each 20 ms.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { WINDOWS_MOST = 10000 };

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static __attribute__((noinline)) int give(int fd)
{
	return write(fd, "x", 1) == 1;
}

static __attribute__((noinline)) int take(int fd)
{
	char c;

	return read(fd, &c, 1) == 1;
}

int main(int argc, char **argv)
{
	double length = argc > 1 ? atof(argv[1]) : 1,
	       rate = argc > 2 ? atof(argv[2]) : 50000;
	static double windows[WINDOWS_MOST];
	int there[2], back[2], count = 0;
	double begin, trips = 0;
	clockid_t other;
	cpu_set_t first;
	pid_t pid;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sched_setaffinity(0, sizeof(first), &first) < 0 || pipe(there) < 0 ||
	    pipe(back) < 0)
		return 1;
	pid = fork();
	if (pid == 0) {
		close(there[1]);
		while (take(there[0]))
			give(back[1]);
		_exit(0);
	}
	close(there[0]);
	if (pid < 0 || clock_getcpuclockid(pid, &other) != 0)
		return 1;
	begin = seconds(CLOCK_MONOTONIC);
	for (; count < WINDOWS_MOST && seconds(CLOCK_MONOTONIC) - begin < length;
	     count++) {
		double used = seconds(CLOCK_PROCESS_CPUTIME_ID) + seconds(other),
		       before = trips;
		double end = seconds(CLOCK_MONOTONIC) - begin + 0.02, now;

		while ((now = seconds(CLOCK_MONOTONIC) - begin) < end) {
			/* What could not be done in time is not made up for. */
			if (trips < now * rate / 2 - rate / 500)
				trips = now * rate / 2 - rate / 500, before = -1;
			for (; trips < now * rate / 2; trips++)
				if (!give(there[1]) || !take(back[0]))
					return 1;
			usleep(1000);
		}
		used = seconds(CLOCK_PROCESS_CPUTIME_ID) + seconds(other) - used;
		windows[count] = before < 0 ? 0 : used / (2 * (trips - before)) * 1e9;
	}
	for (int i = 0; i < count; i++)
		if (windows[i] > 0)
			printf("%.1f\n", windows[i]);
	return 0;
}
