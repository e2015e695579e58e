/*
 * allocations: asks for memory in functions of known names, frees some, and ends. What is not freed, in bytes:
 *
 *	lose_malloc	10 x 1000	lose_calloc	10 x 30		lose_realloc	10 x 700
 *	lose_aligned	640		lose_array	110		lose_in_thread	5 x 50
 *	lose_unmoved	900		lose_posix	320		lose_page	800 + 90
 *
 * An address of realloc() is freed, unless that fails; one that could not be had is nothing, and what the child
 * of a fork() frees is its copy. With an argument it becomes itself without one, and what was lost before is gone.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile kept[100];
static int count;
/* Compilers know that no memory has so much. */
static volatile size_t too_much = (size_t)1 << 60, too_many = (size_t)1 << 62;

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
FUNCTION lose_page(void)
{
	KEEP(valloc(800));
	KEEP(pvalloc(90));
}
FUNCTION lose_array(void)
{
	KEEP(reallocarray(NULL, 10, 11));
}
FUNCTION lose_unmoved(void)
{
	void *p = malloc(900);

	if (!realloc(p, too_much) && !reallocarray(p, too_many, 8))
		KEEP(p);
}
FUNCTION lose_posix(void)
{
	void *p;

	if (posix_memalign(&p, 64, 320) == 0)
		KEEP(p);
}
FUNCTION free_all(void)
{
	void *volatile p = malloc(500);

	p = realloc(p, 1500);
	free(p);
	p = calloc(20, 20);
	p = realloc(p, 0);
	free(NULL);
}
FUNCTION fail(void)
{
	void *p;

	KEEP(malloc(too_much));
	KEEP(calloc(too_many, 8));
	KEEP(reallocarray(NULL, too_many, 8));
	KEEP(aligned_alloc(64, too_much));
	if (posix_memalign(&p, 3, 320) == 0 || posix_memalign(&p, 64, too_much) == 0)
		KEEP(p);
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
	lose_page();
	lose_array();
	lose_unmoved();
	lose_posix();
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
