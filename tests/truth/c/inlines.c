// truth g: gcc -O2 -g -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth O2-g (nofp): gcc -O2 -g -I$HERE -o $BIN $SRC
// truth split: gcc -O2 -g -gsplit-dwarf -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth dwp: gcc -O2 -g -gsplit-dwarf -fno-omit-frame-pointer -I$HERE -o $BIN $SRC && llvm-dwp -e $BIN -o $BIN.dwp && rm -f *.dwo
// truth dwarf4: gcc -O2 -gdwarf-4 -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth clang: clang -O2 -g -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth clang-split: clang -O2 -g -gsplit-dwarf -fno-omit-frame-pointer -I$HERE -c -o $BIN.o $SRC && clang -o $BIN $BIN.o
// truth lto: gcc -O2 -g -flto -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth dwz: gcc -O2 -g -fno-omit-frame-pointer -I$HERE -o $BIN $SRC && dwz $BIN
// Inlined functions, two deep, of which only debug information tells.
#include "truth.h"

#define INLINE static inline __attribute__((always_inline))

INLINE void in_inner(unsigned long n)
{
	TRUTH_SPIN(n);
}

INLINE void in_outer(unsigned long n)
{
	in_inner(n);
}

INLINE void in_other(unsigned long n)
{
	TRUTH_SPIN(n);
}

TRUTH_NOINLINE static void leaf(unsigned long n)
{
	char room[64];

	__asm__ volatile("" : : "r"(room) : "memory");
	in_outer(n);
	__asm__ volatile("" : : "r"(room) : "memory");
}

TRUTH_NOINLINE static void leaf_two(unsigned long n)
{
	char room[64];

	__asm__ volatile("" : : "r"(room) : "memory");
	in_other(n);
	__asm__ volatile("" : : "r"(room) : "memory");
}

INLINE void in_caller(unsigned long n)
{
	leaf_two(n);
}

TRUTH_NOINLINE static void caller(unsigned long n)
{
	in_caller(n);
	TRUTH_STAY();
}

TRUTH_NOINLINE static void other_caller(unsigned long n)
{
	leaf(n);
	TRUTH_STAY();
}

int main(void)
{
	while (truth_more()) {
		TRUTH("main;other_caller;leaf;in_outer;in_inner",
		      other_caller(10 * TRUTH_MS));
		TRUTH("main;caller;in_caller;leaf_two;in_other", caller(10 * TRUTH_MS));
	}
	return 0;
}
