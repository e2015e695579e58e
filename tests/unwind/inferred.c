/*
 * Functions with frame pointers that call ones without a frame, in all ways that matter to who
 * infers the caller from the code. Every leaf has one caller, in whose name it is:
 *
 *	main -> main_leaf, and the C library calls main by a pointer
 *	main -> direct -> direct_leaf
 *	main -> again -> again -> again -> again_leaf
 *	main -> jumper, which jumps to landed -> landed_leaf
 *	main -> (by a pointer) pointed -> pointed_leaf
 *	main -> framed -> framed_leaf, which has a frame
 *	main -> fills -> memset() of the C library
 *
 * usage: inferred TIMES
 */
#include "frame.h"
#include <stdlib.h>
#include <string.h>

/* Of an argument on the stack a program of 32 bits would make a frame. */
#define LEAF_OF(name)                                                                    \
	FRAME unsigned name(unsigned n)                                                  \
	{                                                                                \
		(void)n;                                                                 \
		return busy(ROUNDS);                                                     \
	}
LEAF_OF(main_leaf)
LEAF_OF(direct_leaf)
LEAF_OF(again_leaf)
LEAF_OF(landed_leaf)
LEAF_OF(pointed_leaf)

FRAME unsigned framed_leaf(unsigned n)
{
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
	return busy(ROUNDS) + n;
}

FRAME unsigned direct(unsigned n)
{
	unsigned x = direct_leaf(n);

	AFTER_CALL();
	return x + 1;
}

FRAME unsigned again(unsigned n)
{
	unsigned x = n ? again(n - 1) : again_leaf(n);

	AFTER_CALL();
	return x + 1;
}

FRAME unsigned landed(unsigned n)
{
	unsigned x = landed_leaf(n);

	AFTER_CALL();
	return x + 1;
}

FRAME unsigned jumper(unsigned n)
{
	return landed(direct(n) + 1);
}

FRAME unsigned pointed(unsigned n)
{
	unsigned x = pointed_leaf(n);

	AFTER_CALL();
	return x + 1;
}

FRAME unsigned framed(unsigned n)
{
	unsigned x = framed_leaf(n);

	AFTER_CALL();
	return x + 1;
}

FRAME unsigned fills(unsigned n)
{
	static char room[1 << 16];

	memset(room, (int)n, sizeof(room));
	AFTER_CALL();
	return (unsigned)room[n % sizeof(room)];
}

int main(int argc, char **argv)
{
	unsigned times = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	unsigned (*volatile pointer)(unsigned) = pointed;
	volatile unsigned sum = 0;

	while (times--) {
		sum += direct(times) + again(2) + jumper(times) + pointer(times) +
		       framed(times);
		sum += main_leaf(times) + fills(times) + fills(times + 1);
	}
	return sum == 42;
}
