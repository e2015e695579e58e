/*
 * Preloaded: allocation number FAIL_AT of the process fails, all others go on, and those that
 * are made behind its back when it has ended: gcov cannot do without.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *p, size_t size);

static atomic_long made, at = -1;

static int fails(void)
{

	if (at < 0)
		at = getenv("FAIL_AT") ? atol(getenv("FAIL_AT")) : 0;
	if (atomic_fetch_add(&made, 1) + 1 != at)
		return 0;
	errno = ENOMEM;
	return 1;
}

static void stop(void)
{
	at = 0;
}

static int (*main_of)(int, char **, char **);

/* The loader has registered what ends the program's files; this is called before that. */
static int main_and_stop(int argc, char **argv, char **envp)
{
	atexit(stop);
	return main_of(argc, argv, envp);
}

typedef int start_main(int (*main)(int, char **, char **), int argc, char **argv,
		       void (*init)(void), void (*fini)(void), void (*end)(void),
		       void *stack);

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
		      void (*init)(void), void (*fini)(void), void (*end)(void),
		      void *stack)
{
	start_main *next = (start_main *)dlsym(RTLD_NEXT, "__libc_start_main");

	main_of = main;
	return next(main_and_stop, argc, argv, init, fini, end, stack);
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *p, size_t size)
{
	return fails() ? NULL : __libc_realloc(p, size);
}
