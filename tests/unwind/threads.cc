/*
 * A thread of the C++ library, which begins in a function of it that keeps no frame pointer:
 *
 *	worker -> leaf
 *
 * usage: threads TIMES
 */
#include <cstdlib>
#include <thread>

#include "frame.h"

static volatile unsigned sink;

FRAME static unsigned leaf(unsigned rounds)
{
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
	return busy(rounds);
}

FRAME static void worker(unsigned times)
{
	while (times--)
		sink = sink + leaf(3000);
}

int main(int argc, char **argv)
{
	std::thread(worker, argc > 1 ? (unsigned)atoi(argv[1]) : 1).join();
	return 0;
}
