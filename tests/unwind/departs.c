/*
 * Functions that keep a frame and leave it where that is not to be seen in their first rows: hop is called by
 * others than those whose frame it seems to have, or by who has no frame of its own any more.
 *
 *	main -> colder -> departs, whose cold part jumps to slow -> hop -> cold_work
 *	main -> jumper -> jumps, which jumps through a pointer to hop -> jump_work
 *	main -> calls -> (through a pointer) hop -> call_work
 *
 * usage: departs TIMES
 */
#include "frame.h"
#include "hop.h"
#include <stdlib.h>

typedef unsigned function(unsigned n);
typedef unsigned caller(unsigned n, function *work);

HOP(hop);
unsigned hop(unsigned n, function *work);
caller *volatile pointer = hop;

#define WORK(name)                                                                       \
	FRAME unsigned name(unsigned n)                                                  \
	{                                                                                \
		__asm__ volatile("" : : "r"(__builtin_frame_address(0)));                \
		return busy(ROUNDS) + n;                                                 \
	}
WORK(cold_work)
WORK(jump_work)
WORK(call_work)

FRAME __attribute__((cold)) unsigned slow(unsigned n)
{
	unsigned x = hop(n, cold_work);

	AFTER_CALL();
	return x + 1;
}

FRAME unsigned check(unsigned n)
{
	__asm__ volatile("" : "+r"(n));
	return n | 1;
}

FRAME __attribute__((cold)) unsigned check_again(unsigned n)
{
	__asm__ volatile("" : "+r"(n));
	return n | 1;
}

FRAME unsigned departs(unsigned n)
{
	unsigned x = check(n);

	if (__builtin_expect(x != 0, 0)) {
		x = check_again(x + 2);
		return slow(check_again(3 * x) + n);
	}
	return check(x + n) + n;
}

FRAME unsigned jumps(unsigned n)
{
	caller *to = pointer;

	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
	return to(n, jump_work);
}

FRAME unsigned calls(unsigned n)
{
	unsigned x = pointer(n, call_work);

	AFTER_CALL();
	return x + 1;
}

FRAME unsigned colder(unsigned n)
{
	unsigned x = departs(n);

	AFTER_CALL();
	return x + 1;
}

FRAME unsigned jumper(unsigned n)
{
	unsigned x = jumps(n);

	AFTER_CALL();
	return x + 1;
}

int main(int argc, char **argv)
{
	unsigned times = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	volatile unsigned sum = 0;

	while (times--)
		sum += colder(times) + jumper(times) + calls(times);
	return sum == 42;
}
