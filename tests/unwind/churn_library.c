/* A library of churn.c: -DLEFT or not. The frames of the two differ in size, so that the
 * rows of one lead nowhere in the other. */
#include "frame.h"

#ifdef LEFT
#define work left_work
#define leaf left_leaf
#define ROOM 40
#else
#define work right_work
#define leaf right_leaf
#define ROOM 400
#endif

FRAME unsigned leaf(unsigned n)
{
	return busy(n);
}

FRAME unsigned work(unsigned n)
{
	volatile unsigned room[ROOM];
	unsigned x;

	room[n % ROOM] = n;
	x = leaf(n);
	AFTER_CALL();
	return x + room[n % ROOM];
}
