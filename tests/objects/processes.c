/*
 * Processes and threads that become others: processes SECONDS. Each does that much work in a
 * function of its own.
 *
 *	forked		a child that executes nothing
 *	executed	a child of vfork() that executes this program again
 *	threaded	a child in which a thread that is not the first one does so
 *	renamed		a thread that gives itself a name
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "now.h"

static volatile unsigned long sum;
static const char *seconds;

#define WORK(name)                                                                       \
	__attribute__((noinline)) void name(void);                                       \
	__attribute__((noinline)) void name(void)                                        \
	{                                                                                \
		for (unsigned long i = 0; i < 100000; i++)                               \
			sum += i;                                                        \
	}

WORK(forked_work)
WORK(executed_work)
WORK(threaded_work)
WORK(renamed_work)

static void work(void (*function)(void))
{
	double end = now() + atof(seconds);

	while (now() < end)
		function();
}

static void execute(const char *what)
{
	execl("/proc/self/exe", "processes", seconds, what, (char *)NULL);
	_exit(1);
}

static void *execute_from_thread(void *arg)
{
	execute(arg);
	return NULL;
}

static void *rename_thread(void *arg)
{
	(void)arg;
	prctl(PR_SET_NAME, "renamed");
	work(renamed_work);
	return NULL;
}

static void run_thread(void *(*function)(void *), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, function, arg) == 0)
		pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	seconds = argc > 1 ? argv[1] : "0.1";
	if (argc > 2) {
		work(strcmp(argv[2], "executed") == 0 ? executed_work : threaded_work);
		return 0;
	}
	if (fork() == 0) {
		work(forked_work);
		_exit(0);
	}
	wait(NULL);
	if (vfork() == 0)
		execute("executed");
	wait(NULL);
	if (fork() == 0) {
		prctl(PR_SET_NAME, "before");
		run_thread(execute_from_thread, "threaded");
		_exit(1);
	}
	wait(NULL);
	run_thread(rename_thread, NULL);
	return 0;
}
