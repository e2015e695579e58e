/*
 * main -> deep, 30 times, on pieces of a stack that is split: -fsplit-stack.
 *
 * usage: split TIMES
 */
#include "frame.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static unsigned times;
static volatile unsigned sink;

FRAME unsigned leaf(unsigned rounds)
{
	return busy(rounds);
}

FRAME unsigned deep(unsigned n)
{
	char room[500];
	unsigned x;

	memset(room, (int)n, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
	x = n ? deep(n - 1) : leaf(20000);
	AFTER_CALL();
	return x + (unsigned)room[3];
}

static void *thread(void *unused)
{
	for (unsigned i = 0; i < times; i++)
		sink += deep(30);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_attr_t attributes;
	pthread_t handle;

	times = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 1 << 15);
	if (pthread_create(&handle, &attributes, thread, NULL) != 0)
		return 77;
	pthread_join(handle, NULL);
	return 0;
}
