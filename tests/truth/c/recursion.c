// truth fp: gcc -O2 -fno-omit-frame-pointer -momit-leaf-frame-pointer -I$HERE -o $BIN $SRC
// truth O2 (nofp): gcc -O2 -I$HERE -o $BIN $SRC
// truth vla (nofp): gcc -O2 -DVLA -I$HERE -o $BIN $SRC
// Recursion, alone and of two functions; with VLA each frame has a size of its own.
#include "truth.h"

#ifdef VLA
#define KEEP(n)                                                                          \
	char room[(n) % 7 * 16 + 16];                                                    \
	__asm__ volatile("" : : "r"(room) : "memory")
#else
#define KEEP(n) TRUTH_STAY()
#endif

TRUTH_NOINLINE static void leaf(unsigned long n)
{
	TRUTH_SPIN(n);
}

TRUTH_NOINLINE static void down(int depth, unsigned long n)
{
	KEEP(depth);
	if (depth > 1)
		down(depth - 1, n);
	else
		leaf(n);
	TRUTH_STAY();
}

TRUTH_NOINLINE static void even(int depth, unsigned long n);

TRUTH_NOINLINE static void odd(int depth, unsigned long n)
{
	KEEP(depth);
	even(depth - 1, n);
	TRUTH_STAY();
}

TRUTH_NOINLINE static void even(int depth, unsigned long n)
{
	KEEP(depth);
	if (depth)
		odd(depth - 1, n);
	else
		leaf(n);
	TRUTH_STAY();
}

int main(void)
{
	while (truth_more()) {
		TRUTH("main;down x40;leaf", down(40, 10 * TRUTH_MS));
		TRUTH("main;down x3;leaf", down(3, 10 * TRUTH_MS));
		TRUTH("main;even;odd;even;odd;even;leaf", even(4, 10 * TRUTH_MS));
	}
	return 0;
}
