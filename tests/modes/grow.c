/*
 * grow: makes the heap larger by brk() and maps memory, known sizes of both. A heap that becomes smaller, and a
 * mapping that fails, do not count.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "known.h"

NOINLINE static void grow_heap(intptr_t bytes)
{
	if (sbrk(bytes) == (void *)-1)
		exit(1);
	AFTERWARDS();
}

NOINLINE static void shrink_heap(intptr_t bytes)
{
	if (sbrk(-bytes) == (void *)-1)
		exit(1);
	AFTERWARDS();
}

NOINLINE static void *grow_maps(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	AFTERWARDS();
	return p;
}

int main(void)
{
	uint64_t heap = 0, maps = 0;

	for (int i = 1; i <= 50; i++) {
		grow_heap(i * 4096);
		heap += (uint64_t)i * 4096;
		if (i % 10 == 0)
			shrink_heap(8192);
	}
	for (size_t i = 1; i <= 50; i++) {
		/* What is mapped is pages. */
		size_t bytes = i * 10000;

		if (grow_maps(bytes) == MAP_FAILED)
			exit(1);
		maps += (bytes + 4095) / 4096 * 4096;
	}
	if (grow_maps((size_t)1 << 60) != MAP_FAILED)
		exit(1);
	say("brk", EXACT, heap, "grow_heap");
	say("mmap", EXACT, maps, "grow_maps");
	return 0;
}
