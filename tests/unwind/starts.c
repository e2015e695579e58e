#define _GNU_SOURCE
/*
 * Where stacks begin that are not main's: threads, a child of vfork (on its parent's
 * stack), of clone (on a stack of its own) and of fork.
 *
 *	... -> threaded -> leaf,  main -> vforked -> leaf,  ... -> cloned -> leaf,
 *	main -> forked -> leaf
 *
 * usage: starts TIMES
 */
#include "frame.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned times;
static volatile unsigned sink;

FRAME unsigned leaf(unsigned rounds)
{
	return busy(rounds);
}

static inline void spend(void)
{
	for (unsigned i = 0; i < times; i++)
		sink += leaf(3000);
}

FRAME void *threaded(void *arg)
{
	spend();
	return arg;
}

FRAME int cloned(void *arg)
{
	spend();
	return arg != NULL;
}

FRAME void vforked(void)
{
	pid_t child = vfork();

	if (child == 0) {
		spend();
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

FRAME void forked(void)
{
	pid_t child = fork();

	if (child == 0) {
		spend();
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	static char room[1 << 18] __attribute__((aligned(16)));
	pthread_t thread;
	pid_t child;

	times = argc > 1 ? atoi(argv[1]) : 1;
	if (pthread_create(&thread, NULL, threaded, NULL) != 0)
		return 1;
	pthread_join(thread, NULL);
	vforked();
	child = clone(cloned, room + sizeof(room), SIGCHLD, NULL);
	waitpid(child, NULL, 0);
	forked();
	return 0;
}
