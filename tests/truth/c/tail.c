// truth fp: gcc -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -I$HERE -o $BIN $SRC
// truth leaf: gcc -O2 -fno-omit-frame-pointer -momit-leaf-frame-pointer -I$HERE -o $BIN $SRC
// truth O2 (nofp): gcc -O2 -I$HERE -o $BIN $SRC
// truth clang: clang -O2 -fno-omit-frame-pointer -momit-leaf-frame-pointer -I$HERE -o $BIN $SRC
// Tail calls: who jumped is gone from the stack; what is left is true.
#include "truth.h"

TRUTH_NOINLINE static void leaf(unsigned long n)
{
	TRUTH_SPIN(n);
}

TRUTH_NOINLINE static void framed_leaf(unsigned long n)
{
	TRUTH_FRAMED_SPIN(n);
}

TRUTH_NOINLINE static void jumps(unsigned long n)
{
	leaf(n + 1);
}

TRUTH_NOINLINE static void jumps_twice(unsigned long n)
{
	jumps(n + 1);
}

TRUTH_NOINLINE static void calls(unsigned long n)
{
	jumps(n);
	TRUTH_STAY();
}

TRUTH_NOINLINE static void calls_far(unsigned long n)
{
	jumps_twice(n);
	TRUTH_STAY();
}

TRUTH_NOINLINE static void jumps_framed(unsigned long n)
{
	framed_leaf(n + 1);
}

TRUTH_NOINLINE static void calls_framed(unsigned long n)
{
	jumps_framed(n);
	TRUTH_STAY();
}

TRUTH_NOINLINE static void calls_near(unsigned long n)
{
	leaf(n);
	TRUTH_STAY();
}

int main(void)
{
	while (truth_more()) {
		TRUTH("main;calls;leaf", calls(10 * TRUTH_MS));
		TRUTH("main;calls_far;leaf", calls_far(10 * TRUTH_MS));
		TRUTH("main;calls_framed;framed_leaf", calls_framed(10 * TRUTH_MS));
		TRUTH("main;calls_near;leaf", calls_near(10 * TRUTH_MS));
	}
	return 0;
}
