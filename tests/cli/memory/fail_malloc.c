/*
 * Preloaded: allocation number FAIL_AT of the process fails, all others go on, and those that
 * are made behind its back when it has ended: gcov cannot do without.
 */
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

/* What is registered first is called last. */
static __attribute__((constructor)) void start(void)
{
	atexit(stop);
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
