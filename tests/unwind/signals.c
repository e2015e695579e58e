/*
 * A signal over a leaf without a frame:
 *
 *	main -> interrupted -> leaf, signal, handler -> handle
 *
 * usage: signals TIMES [altstack]		the handler has a stack of its own
 */
#include "frame.h"
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

static volatile unsigned sink;

FRAME unsigned handle(unsigned rounds)
{
	LEAF();
	return busy(rounds);
}

FRAME void handler(int number)
{
	sink += handle(300000 + number);
	AFTER_CALL();
}

FRAME unsigned leaf(unsigned rounds)
{
	LEAF();
	return busy(rounds);
}

FRAME unsigned interrupted(unsigned n)
{
	unsigned x = leaf(n);

	AFTER_CALL();
	return x + 1;
}

int main(int argc, char **argv)
{
	static char room[1 << 16];
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	struct itimerval every = { { 0, 1000 }, { 0, 1000 } };
	unsigned times = argc > 1 ? atoi(argv[1]) : 1;

	if (argc > 2) {
		stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };

		action.sa_flags |= SA_ONSTACK;
		if (sigaltstack(&stack, NULL) != 0)
			return 1;
	}
	if (sigaction(SIGALRM, &action, NULL) != 0 ||
	    setitimer(ITIMER_REAL, &every, NULL) != 0)
		return 1;
	while (times--)
		sink += interrupted(3000);
	return 0;
}
