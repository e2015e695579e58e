// truth fp: gcc -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-builtin -I$HERE -o $BIN $SRC
// truth now: gcc -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-builtin -fno-plt -Wl,-z,now -I$HERE -o $BIN $SRC
// truth static: gcc -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-builtin -static -I$HERE -o $BIN $SRC
// truth O2 (nofp): gcc -O2 -fno-builtin -I$HERE -o $BIN $SRC
// truth musl: musl-gcc -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-builtin -I$HERE -o $BIN $SRC
// truth musl-static: musl-gcc -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-builtin -static -I$HERE -o $BIN $SRC
// Functions of the C library at the leaf, without frames of their own; and one that calls back.
#include "truth.h"

#define SIZE 65536
/* Compilers may not know what is in memory then. */
#define CHANGED() __asm__ volatile("" : : : "memory")

static char from[SIZE], to[SIZE];
static int numbers[4096];

TRUTH_NOINLINE static void copies(int n)
{
	for (int i = 0; i < n; i++) {
		memcpy(to, from, SIZE - 1);
		CHANGED();
	}
}

TRUTH_NOINLINE static void measures(int n)
{
	for (int i = 0; i < n; i++) {
		if (strlen(from) != SIZE - 1)
			abort();
		CHANGED();
	}
}

TRUTH_NOINLINE static void finds(int n)
{
	for (int i = 0; i < n; i++) {
		if (memchr(from, 'b', SIZE) == from)
			abort();
		CHANGED();
	}
}

TRUTH_NOINLINE static int order(const void *a, const void *b)
{
	TRUTH_SPIN(1000);
	return *(const int *)a - *(const int *)b;
}

TRUTH_NOINLINE static void sorts(int n)
{
	for (int i = 0; i < n; i++)
		numbers[i] = i * 7919 % 1009;
	qsort(numbers, (size_t)n, sizeof(*numbers), order);
	TRUTH_STAY();
}

TRUTH_NOINLINE static void uses(void (*function)(int), int n)
{
	function(n);
	TRUTH_STAY();
}

int main(void)
{
	memset(from, 'a', SIZE - 1);
	while (truth_more()) {
		TRUTH("main;uses;copies;~*mem*", uses(copies, 2000));
		TRUTH("main;uses;measures;~*strlen*", uses(measures, 4000));
		TRUTH("main;uses;finds;~*memchr*", uses(finds, 3000));
		TRUTH("main;uses;sorts;...;order", uses(sorts, 2000));
	}
	return 0;
}
