// truth fp: gcc -O2 -fno-omit-frame-pointer -momit-leaf-frame-pointer -I$HERE -o $BIN $SRC
// truth O2 (nofp): gcc -O2 -I$HERE -o $BIN $SRC
// truth altstack: gcc -O2 -DALTSTACK -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -I$HERE -o $BIN $SRC
// truth altstack-O2 (nofp): gcc -O2 -DALTSTACK -I$HERE -o $BIN $SRC
// truth static: gcc -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -static -I$HERE -o $BIN $SRC
// truth musl: musl-gcc -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -I$HERE -o $BIN $SRC
// Handlers of signals: one that interrupts a leaf, one of raise().
#include "truth.h"
#include <signal.h>

static unsigned long rounds = 10 * TRUTH_MS;

TRUTH_NOINLINE static void leaf(unsigned long n)
{
	TRUTH_FRAMED_SPIN(n);
}

static void handler(int number)
{
	(void)number;
	leaf(rounds);
	TRUTH_STAY();
}

static void other_handler(int number)
{
	(void)number;
	leaf(rounds);
	leaf(rounds);
	TRUTH_STAY();
}

TRUTH_NOINLINE static void interrupted(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__asm__ volatile("int3");
#else
	raise(SIGTRAP);
#endif
}

TRUTH_NOINLINE static void caller(void)
{
	interrupted();
	TRUTH_STAY();
}

TRUTH_NOINLINE static void raises(void)
{
	raise(SIGUSR1);
	TRUTH_STAY();
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler };
#ifdef ALTSTACK
	stack_t stack = { .ss_sp = malloc(1 << 17), .ss_size = 1 << 17 };

	sigaltstack(&stack, NULL);
	action.sa_flags = SA_ONSTACK;
#endif
	sigaction(SIGTRAP, &action, NULL);
	action.sa_handler = other_handler;
	sigaction(SIGUSR1, &action, NULL);
	while (truth_more()) {
		TRUTH("main;caller;interrupted;...;handler;leaf", caller());
		TRUTH("main;raises;...;other_handler;leaf", raises());
		TRUTH("main;leaf", leaf(rounds));
	}
	return 0;
}
