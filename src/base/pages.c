/*
 * Memory in large pages. The kernel gives a page of 2 MiB in one exception where it
 * would take 512 for small ones, but only for memory that begins where a large page does
 * (Documentation/admin-guide/mm/transhuge.rst of Linux). So what is a large page or more
 * is mapped here, aligned, and grown by mapping anew; less is malloc()'s.
 */
#include "base/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LARGE ((size_t)2 << 20)
#define SMALL ((size_t)64 << 10)

/* What fills less than half of a large page at the end is left to small ones: memory that
 * nobody needs is not to be zeroed. The small ones have 64 KiB on some machines, and
 * munmap() takes no part of one. */
static size_t rounded(size_t size)
{
	size_t page = (size & (LARGE - 1)) >= LARGE / 2 ? LARGE : SMALL;

	return (size + page - 1) & ~(page - 1);
}

/* Less than a large page is malloc()'s. */
void *pages_take(size_t size)
{
	size_t all, before;
	char *p;

	if (size < LARGE)
		return calloc(1, size);
	if (size > SIZE_MAX - 2 * LARGE)
		return NULL;
	size = rounded(size);
	all = size + LARGE;
	p = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	/* It begins where a large page does: what lies around it of a larger piece is given
	 * back. */
	before = -(uintptr_t)p & (LARGE - 1);
	if (before)
		munmap(p, before);
	munmap(p + before + size, all - before - size);
	madvise(p + before, size, MADV_HUGEPAGE);
	return p + before;
}

void *pages_grow(void *p, size_t size, size_t used, size_t more)
{
	void *grown;

	if (more < LARGE)
		return realloc(p, more);
	grown = pages_take(more);
	if (!grown)
		return NULL;
	memcpy(grown, p, used);
	pages_give_back(p, size);
	return grown;
}

void pages_give_back(void *p, size_t size)
{
	if (size < LARGE)
		free(p);
	else if (p)
		munmap(p, rounded(size));
}

void *pages_room(size_t size)
{
	void *p;

	if (size < LARGE)
		return malloc(size ? size : 1);
	if (size > SIZE_MAX - LARGE || posix_memalign(&p, LARGE, rounded(size)) != 0)
		return NULL;
	madvise(p, rounded(size), MADV_HUGEPAGE);
	return p;
}

void *pages_zeroed(size_t count, size_t size)
{
	void *p;

	if (size && count >= LARGE / size) {
		p = count <= SIZE_MAX / size ? pages_room(count * size) : NULL;
		/* Not calloc(): it writes before anybody can ask for large pages. */
		return p ? memset(p, 0, count * size) : NULL;
	}
	return calloc(count, size);
}

void pages_expect(void *p, size_t size)
{
	uintptr_t start = ((uintptr_t)p + LARGE - 1) & ~(LARGE - 1);
	uintptr_t end = ((uintptr_t)p + size) & ~(LARGE - 1);

	if (end > start)
		madvise((void *)start, end - start, MADV_HUGEPAGE);
}
