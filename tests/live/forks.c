/*
 * Short processes: SECONDS times COUNT, COUNT a second where the machine is not too busy for that,
 * each of which works half a millisecond in child_work(); every other one as a program of its
 * own, which execs this file.
 *
 *	forks SECONDS COUNT
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static volatile unsigned sink;

__attribute__((noinline)) static void child_work(void)
{
	double end = seconds(CLOCK_PROCESS_CPUTIME_ID) + 0.0005;

	do {
		for (unsigned i = 0; i < 10000; i++)
			sink += i * i;
	} while (seconds(CLOCK_PROCESS_CPUTIME_ID) < end);
}

static void run_child(char **argv, int number)
{
	if (number % 2 == 0) {
		execl("/proc/self/exe", argv[0], "child", NULL);
		_exit(9);
	}
	child_work();
	_exit(0);
}

/* Never more than a few at once. */
static void collect(int *running, int most)
{
	while (*running > 0 && waitpid(-1, NULL, *running > most ? 0 : WNOHANG) > 0)
		--*running;
}

int main(int argc, char **argv)
{
	double begin = seconds(CLOCK_MONOTONIC);
	int number = 0, running = 0;

	if (argc == 2 && strcmp(argv[1], "child") == 0) {
		child_work();
		return 0;
	}
	if (argc != 3)
		return 2;
	while (number < atof(argv[1]) * atof(argv[2])) {
		if (number > (seconds(CLOCK_MONOTONIC) - begin) * atof(argv[2])) {
			usleep(200);
			collect(&running, 8);
			continue;
		}
		if (fork() == 0)
			run_child(argv, number);
		number++;
		running++;
		collect(&running, 8);
	}
	collect(&running, 0);
	printf("%d\n", number);
	return 0;
}
