/*
 * Calls of functions that do nothing, through the PLT: main -> caller -> entries of the
 * PLT and callee_*. caller saves registers. What the calls need is thrown out of all caches
 * first, by turns, so that they wait there and samples hit them.
 *
 * usage: calls TIMES
 */
#include "callee.h"
#include "frame.h"
#include <emmintrin.h>
#include <stdlib.h>

extern const char _GLOBAL_OFFSET_TABLE_[] __attribute__((visibility("hidden")));

static inline void forget(const char *p)
{
	_mm_clflush(p);
	_mm_clflush(p + 64);
}

static inline void forget_calls(unsigned turn)
{
#ifndef NO_PLT
	const char *entry;

	__asm__("lea callee_a@plt(%%rip), %0" : "=r"(entry));
	if (turn % 2)
		forget(entry);
	else
#endif
		forget(_GLOBAL_OFFSET_TABLE_);
	(void)turn;
}

FRAME unsigned caller(unsigned n)
{
	unsigned x = 0;

	for (unsigned i = 0; i < n; i++) {
		forget_calls(i);
		x += callee_a(i) + callee_b(i + x) + callee_c(i);
	}
	return x;
}

int main(int argc, char **argv)
{
	unsigned times = argc > 1 ? atoi(argv[1]) : 1;
	volatile unsigned sum = 0;

	while (times--)
		sum += caller(1000);
	return sum == 42;
}
