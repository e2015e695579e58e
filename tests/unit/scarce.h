#ifndef UNIT_SCARCE_H
#define UNIT_SCARCE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Memory that runs out, in the one file of a test program that includes this: allocation
 * number scarce_at of the thread fails, 0: none. Sanitizers have an allocator of their own.
 */
static _Thread_local long scarce_at;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SCARCE_NEVER true
#else
#define SCARCE_NEVER false

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *p, size_t size);

static bool scarce_fails(void)
{
	if (scarce_at == 0 || --scarce_at > 0)
		return false;
	errno = ENOMEM;
	return true;
}

__attribute__((visibility("default"))) void *malloc(size_t size)
{
	return scarce_fails() ? NULL : __libc_malloc(size);
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size)
{
	return scarce_fails() ? NULL : __libc_calloc(count, size);
}

__attribute__((visibility("default"))) void *realloc(void *p, size_t size)
{
	return scarce_fails() ? NULL : __libc_realloc(p, size);
}
#endif

#endif
