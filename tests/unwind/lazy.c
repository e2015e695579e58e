#define _GNU_SOURCE
/*
 * Lazy binding, again and again: after each round the entries of the PLT are as
 * unresolved as at the start, so that most of the time goes to ld.so's resolver, whose
 * frame is found by a register that is none of the usual ones.
 *
 *	main -> bind_all -> (PLT) -> _dl_runtime_resolve_* -> _dl_fixup -> ...
 *
 * usage: lazy TIMES. Built with -z lazy and libraries of lazy_library.c.
 */
#include "frame.h"
#include <link.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARIES(x) x(a) x(b) x(c) x(d) x(e) x(f) x(g) x(h) x(i) x(j) x(k) x(l)
#define DECLARE(name)                                                                    \
	unsigned name##_1(void), name##_2(void), name##_3(void), name##_4(void);
#define CALL(name) sum += name##_1() + name##_2() + name##_3() + name##_4();

LIBRARIES(DECLARE)

/* Word 0 to 2 belong to ld.so, the others are where the entries of the PLT jump to. */
extern ElfW(Addr) _GLOBAL_OFFSET_TABLE_[];

static size_t entries(void)
{
	for (const ElfW(Dyn) *d = _DYNAMIC; d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_PLTRELSZ)
			return d->d_un.d_val / sizeof(ElfW(Rela));
	return 0;
}

FRAME unsigned bind_all(void)
{
	unsigned sum = 0;

	LIBRARIES(CALL)
	return sum;
}

int main(int argc, char **argv)
{
	unsigned times = argc > 1 ? atoi(argv[1]) : 1;
	size_t size = entries() * sizeof(ElfW(Addr));
	ElfW(Addr) *unresolved = malloc(size + 1);
	volatile unsigned sum = 0;

	if (!unresolved || size < 48 * sizeof(ElfW(Addr)))
		return 1;
	memcpy(unresolved, _GLOBAL_OFFSET_TABLE_ + 3, size);
	while (times--) {
		sum += bind_all();
		memcpy(_GLOBAL_OFFSET_TABLE_ + 3, unresolved, size);
	}
	return sum == 42;
}
