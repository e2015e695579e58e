/*
 * Stacks that the program makes and leaves by itself:
 *
 *	makecontext() -> coroutine -> layer -> leaf,	main -> resume -> leaf,
 *	main -> roomy -> leaf (a frame of any size),	main -> landing -> jumping -> leaf, longjmp()
 *
 * usage: contexts TIMES
 */
#include "frame.h"
#include <alloca.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

static ucontext_t here, there;
static jmp_buf back;
static volatile unsigned sink;

FRAME unsigned leaf(unsigned rounds)
{
	return busy(rounds);
}

FRAME unsigned layer(unsigned n)
{
	unsigned x = leaf(n);

	AFTER_CALL();
	return x + 1;
}

FRAME void coroutine(void)
{
	for (;;) {
		sink += layer(2000);
		swapcontext(&there, &here);
		AFTER_CALL();
	}
}

FRAME void resume(void)
{
	swapcontext(&here, &there);
	sink += leaf(2000);
	AFTER_CALL();
}

FRAME unsigned roomy(unsigned n)
{
	char *room = alloca(n % 1000 + 16);
	unsigned x;

	memset(room, (int)n, 16);
	x = leaf(2000);
	AFTER_CALL();
	return x + (unsigned)room[1];
}

FRAME void jumping(unsigned n)
{
	sink += leaf(2000);
	if (n > 0)
		longjmp(back, 1);
	AFTER_CALL();
}

FRAME void landing(unsigned n)
{
	if (setjmp(back) == 0)
		jumping(n);
	AFTER_CALL();
}

int main(int argc, char **argv)
{
	unsigned times = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	static char room[1 << 16];

	getcontext(&there);
	there.uc_stack.ss_sp = room;
	there.uc_stack.ss_size = sizeof(room);
	makecontext(&there, coroutine, 0);
	for (unsigned i = 0; i < times; i++) {
		resume();
		sink += roomy(i);
		landing(i);
	}
	return 0;
}
