// truth realign (nofp): gcc -O2 -mavx -DREALIGN -I$HERE -o $BIN $SRC
// truth realign-fp: gcc -O2 -mavx -DREALIGN -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth alloca (nofp): gcc -O2 -DALLOCA -I$HERE -o $BIN $SRC
// truth protector: gcc -O2 -fstack-protector-all -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth patchable: gcc -O2 -fpatchable-function-entry=5 -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth large: gcc -O2 -mcmodel=large -fno-pie -no-pie -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth sections: gcc -O2 -ffunction-sections -Wl,--gc-sections,-z,separate-code -fuse-ld=lld -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth nocet: gcc -O2 -fcf-protection=none -Wl,--hash-style=sysv -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth noplt-relro: gcc -O2 -fno-plt -Wl,-z,now,-z,relro,--no-eh-frame-hdr -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth debugframe: gcc -O2 -g -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth debugframe-O2 (nofp): gcc -O2 -g -fno-asynchronous-unwind-tables -fno-unwind-tables -I$HERE -o $BIN $SRC
// Frames of other layouts: aligned by an expression, of any size, with a guard, in code of other models.
#include "truth.h"
#include <alloca.h>

TRUTH_NOINLINE static void keep(void *p, unsigned long n)
{
	__asm__ volatile("" : : "r"(p) : "memory");
	TRUTH_FRAMED_SPIN(n);
}

TRUTH_NOINLINE static void holds(int size, unsigned long n)
{
#ifdef REALIGN
	char room[64] __attribute__((aligned(64)));
#elif defined(ALLOCA)
	char *room = alloca((size_t)size);
#else
	char room[128];
#endif

	keep(room, n);
	(void)size;
	TRUTH_STAY();
}

TRUTH_NOINLINE static void many(int a, int b, int c, int d, int e, int f, int g,
				unsigned long n)
{
	holds(a + b + c + d + e + f + g, n);
	TRUTH_STAY();
}

/* Most of it is in a part far away. */
TRUTH_NOINLINE static void seldom(int size, unsigned long n)
{
	if (__builtin_expect(size == 12345, 0)) {
		holds(size, n);
		__builtin_unreachable();
	}
	holds(size, n);
	TRUTH_STAY();
}

int main(void)
{
	while (truth_more()) {
		TRUTH("main;many;holds;keep", many(1, 2, 3, 4, 5, 6, 70, 10 * TRUTH_MS));
		TRUTH("main;seldom;holds;keep", seldom(300, 10 * TRUTH_MS));
		TRUTH("main;keep", keep(NULL, 10 * TRUTH_MS));
	}
	return 0;
}
