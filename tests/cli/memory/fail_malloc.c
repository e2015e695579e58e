/*
 * Preloaded: allocation number FAIL_AT of the process fails, all others go on.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *p, size_t size);

static int fails(void)
{
	static atomic_long made, at = -1;

	if (at < 0)
		at = getenv("FAIL_AT") ? atol(getenv("FAIL_AT")) : 0;
	if (atomic_fetch_add(&made, 1) + 1 != at)
		return 0;
	errno = ENOMEM;
	return 1;
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
