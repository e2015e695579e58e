// truth fp: gcc -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -I$HERE -o $BIN $SRC
// truth leaf: gcc -O2 -fno-omit-frame-pointer -momit-leaf-frame-pointer -I$HERE -o $BIN $SRC
// truth O2 (nofp): gcc -O2 -I$HERE -o $BIN $SRC
// Coroutines by makecontext() and swapcontext(): each stack begins with the coroutine's function.
#include "truth.h"
#include <ucontext.h>

#define ROOM 65536

static ucontext_t home, first, second;

TRUTH_NOINLINE static void leaf(unsigned long n)
{
	TRUTH_FRAMED_SPIN(n);
}

TRUTH_NOINLINE static void work(unsigned long n)
{
	leaf(n);
	TRUTH_STAY();
}

static void first_coroutine(void)
{
	for (;;) {
		TRUTH("first_coroutine;work;leaf", work(10 * TRUTH_MS));
		swapcontext(&first, &home);
	}
}

static void second_coroutine(void)
{
	for (;;) {
		TRUTH("second_coroutine;leaf", leaf(10 * TRUTH_MS));
		swapcontext(&second, &home);
	}
}

static void make(ucontext_t *context, void (*function)(void))
{
	getcontext(context);
	context->uc_stack.ss_sp = malloc(ROOM);
	context->uc_stack.ss_size = ROOM;
	context->uc_link = &home;
	makecontext(context, function, 0);
}

int main(void)
{
	make(&first, first_coroutine);
	make(&second, second_coroutine);
	while (truth_more()) {
		swapcontext(&home, &first);
		swapcontext(&home, &second);
		TRUTH("main;leaf", leaf(10 * TRUTH_MS));
	}
	return 0;
}
