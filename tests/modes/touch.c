/*
 * touch: writes to each page of a new mapping, once and once more. The first time each is a fault, unless
 * the kernel gives more than one page at a time.
 */
#include <sys/mman.h>

#include "known.h"

enum { PAGES = 3000 };

NOINLINE static void touch_pages(volatile char *from)
{
	for (int i = 0; i < PAGES; i++)
		from[(size_t)i * 4096] = 1;
	AFTERWARDS();
}

NOINLINE static void touch_again(volatile char *from)
{
	touch_pages(from);
	AFTERWARDS();
}

int main(void)
{
	volatile char *pages = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED ||
	    madvise((void *)pages, PAGES * 4096, MADV_NOHUGEPAGE) != 0)
		return 1;
	touch_pages(pages);
	touch_again(pages);
	say("faults", EXACT, PAGES, "main;touch_pages");
	say("faults", EXACT, 0, "touch_again");
	return 0;
}
