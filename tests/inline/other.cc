#include "templates.hh"

volatile long deep = 3;
volatile float low = 3;

int never(volatile int *seed) // for a linker to drop
{
	return shapes::work<int, 99>(seed);
}

int other(volatile int *seed)
{
	return shapes::all(seed) + shapes::all(&deep) + shapes::all(&low);
}
