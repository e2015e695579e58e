// truth fp: gcc -O2 -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth leaf: clang -O2 -fno-omit-frame-pointer -momit-leaf-frame-pointer -I$HERE -o $BIN $SRC
// truth static: gcc -O2 -fno-omit-frame-pointer -static -I$HERE -o $BIN $SRC
// Frameless leaves behind calls through pointers and through two ways into one function: the code alone does not tell.
#include "truth.h"

TRUTH_NOINLINE static void leaf_one(unsigned long n)
{
	TRUTH_SPIN(n);
}

TRUTH_NOINLINE static void leaf_two(unsigned long n)
{
	TRUTH_SPIN(n + 1);
}

static void (*volatile table[2])(unsigned long) = { leaf_one, leaf_two };

TRUTH_NOINLINE static void by_table(int which, unsigned long n)
{
	table[which](n);
	TRUTH_STAY();
}

TRUTH_NOINLINE static void by_argument(void (*function)(unsigned long), unsigned long n)
{
	function(n);
	TRUTH_STAY();
}

/* Jumps to the one or to the other. */
TRUTH_NOINLINE static void either(int which, unsigned long n)
{
	if (which)
		leaf_two(n);
	else
		leaf_one(n + 1);
}

TRUTH_NOINLINE static void calls_either(int which, unsigned long n)
{
	either(which, n);
	TRUTH_STAY();
}

int main(void)
{
	while (truth_more()) {
		TRUTH("main;by_table;leaf_one", by_table(0, 10 * TRUTH_MS));
		TRUTH("main;by_table;leaf_two", by_table(1, 10 * TRUTH_MS));
		TRUTH("main;by_argument;leaf_one", by_argument(leaf_one, 10 * TRUTH_MS));
		TRUTH("main;calls_either;leaf_two", calls_either(1, 10 * TRUTH_MS));
		TRUTH("main;calls_either;leaf_one", calls_either(0, 10 * TRUTH_MS));
	}
	return 0;
}
