/*
 * Functions without a frame in the midst of stacks, of which a chain of frame pointers knows where they return to,
 * but not who called them. hop says nothing of how to leave it, step does:
 *
 *	main -> by_hop -> hop -> work -> by_hop_leaf
 *	main -> by_step -> step -> work -> by_step_leaf
 *	main -> hop -> work -> main_leaf
 *	main -> to_leaf -> step -> bare_leaf, without a frame
 *	main -> jumps, which jumps to hop -> work -> jumps_leaf
 *
 * usage: passed TIMES
 */
#include "frame.h"
#include "hop.h"
#include <stdlib.h>

typedef unsigned function(unsigned n);

HOP_WITHOUT_ROWS(hop);
HOP(step);
unsigned hop(unsigned n, function *work);
unsigned step(unsigned n, function *work);

/* Its own worker with a framed leaf, in whose name the caller is. */
#define WORK_OF(name)                                                                    \
	FRAME unsigned name##_leaf(unsigned n)                                           \
	{                                                                                \
		__asm__ volatile("" : : "r"(__builtin_frame_address(0)));                \
		return busy(ROUNDS) + n;                                                 \
	}                                                                                \
	FRAME unsigned name##_work(unsigned n)                                           \
	{                                                                                \
		unsigned x = name##_leaf(n);                                             \
                                                                                         \
		AFTER_CALL();                                                            \
		return x + 1;                                                            \
	}
WORK_OF(by_hop)
WORK_OF(by_step)
WORK_OF(main)
WORK_OF(jumps)

FRAME unsigned bare_leaf(unsigned n)
{
	(void)n;
	return busy(ROUNDS);
}

#define CALLER(name, way, work)                                                          \
	FRAME unsigned name(unsigned n)                                                  \
	{                                                                                \
		unsigned x = way(n, work);                                               \
                                                                                         \
		AFTER_CALL();                                                            \
		return x + 1;                                                            \
	}
CALLER(by_hop, hop, by_hop_work)
CALLER(by_step, step, by_step_work)
CALLER(to_leaf, step, bare_leaf)

FRAME unsigned jumps(unsigned n)
{
	return hop(n, jumps_work);
}

int main(int argc, char **argv)
{
	unsigned times = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	volatile unsigned sum = 0;

	while (times--) {
		sum += by_hop(times) + by_step(times) + to_leaf(times);
		sum += hop(times, main_work) + jumps(times);
	}
	return sum == 42;
}
