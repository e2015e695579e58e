// truth fp: gcc -O2 -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth static: gcc -O2 -fno-omit-frame-pointer -static -I$HERE -o $BIN $SRC
// truth O2 (nofp): gcc -O2 -I$HERE -o $BIN $SRC
// A function whose code is chosen when the program starts; a call through a pointer; one that never returns.
#include "truth.h"
#include <setjmp.h>

static jmp_buf back;

void chosen(unsigned long n);

TRUTH_NOINLINE static void chosen_fast(unsigned long n)
{
	TRUTH_SPIN(n);
}

static void (*choose(void))(unsigned long)
{
	return chosen_fast;
}

void chosen(unsigned long n) __attribute__((ifunc("choose")));

TRUTH_NOINLINE static void calls_chosen(unsigned long n)
{
	chosen(n);
	TRUTH_STAY();
}

TRUTH_NOINLINE static void calls_pointer(void (*volatile function)(unsigned long),
					 unsigned long n)
{
	function(n);
	TRUTH_STAY();
}

__attribute__((noreturn)) TRUTH_NOINLINE static void leaves(unsigned long n)
{
	TRUTH_FRAMED_SPIN(n);
	longjmp(back, 1);
}

/* The return address is that of the function behind it. */
__attribute__((noreturn)) TRUTH_NOINLINE static void gives_up(unsigned long n)
{
	leaves(n);
}

TRUTH_NOINLINE static void behind(unsigned long n)
{
	TRUTH_FRAMED_SPIN(n);
}

TRUTH_NOINLINE static void tries(unsigned long n)
{
	if (!setjmp(back))
		gives_up(n);
}

int main(void)
{
	while (truth_more()) {
		TRUTH("main;calls_chosen;chosen_fast", calls_chosen(10 * TRUTH_MS));
		TRUTH("main;calls_pointer;behind", calls_pointer(behind, 10 * TRUTH_MS));
		TRUTH("main;tries;gives_up;leaves", tries(10 * TRUTH_MS));
	}
	return 0;
}
