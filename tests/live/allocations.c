/*
 * allocations: asks for memory in functions of known names, frees some, and ends. What is not freed, in bytes:
 *
 *	lose_malloc	10 x 1000	lose_calloc	10 x 30		lose_realloc	10 x 700
 *	lose_aligned	640		lose_array	110		lose_in_thread	5 x 50
 *
 * An address of realloc() is freed, one that could not be had is nothing, and what the child of a fork() frees
 * is its copy. With an argument it becomes itself without one, and what was lost before is gone.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile kept[100];
static int count;

#define FUNCTION __attribute__((noinline)) static void
#define KEEP(what) kept[count++] = (what)

FUNCTION lose_malloc(void)
{
	KEEP(malloc(1000));
}
FUNCTION lose_calloc(void)
{
	KEEP(calloc(10, 3));
}
FUNCTION lose_realloc(void)
{
	void *p = malloc(7);

	KEEP(realloc(p, 700));
}
FUNCTION lose_aligned(void)
{
	KEEP(aligned_alloc(64, 640));
}
FUNCTION lose_array(void)
{
	KEEP(reallocarray(NULL, 10, 11));
}
FUNCTION free_all(void)
{
	void *volatile p = malloc(500);

	p = realloc(p, 1500);
	free(p);
	p = calloc(20, 20);
	free(p);
	free(NULL);
}
FUNCTION fail(void)
{
	KEEP(malloc((size_t)1 << 60));
}

static void *lose_in_thread(void *arg)
{
	for (int i = 0; i < 5; i++)
		KEEP(malloc(50));
	return arg;
}

FUNCTION lose_before(void)
{
	KEEP(malloc(12345));
}

int main(int argc, char **argv)
{
	char *const again[] = { argv[0], NULL };
	pthread_t thread;
	pid_t pid;

	if (argc > 1) {
		lose_before();
		execv("/proc/self/exe", again);
		return 1;
	}
	for (int i = 0; i < 10; i++) {
		lose_malloc();
		lose_calloc();
		lose_realloc();
		free_all();
	}
	lose_aligned();
	lose_array();
	fail();
	pthread_create(&thread, NULL, lose_in_thread, NULL);
	pthread_join(thread, NULL);
	pid = fork();
	if (pid == 0) {
		free(kept[0]);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	return 0;
}
