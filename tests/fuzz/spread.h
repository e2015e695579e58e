#ifndef FUZZ_SPREAD_H
#define FUZZ_SPREAD_H

#include <stdint.h>

/* A number made of another one, the same in each process: hash_u64() is not, and what was found could not be
 * looked at again. It is the step of splitmix64. */
static inline uint64_t spread(uint64_t number)
{
	number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
	number = (number ^ number >> 27) * 0x94d049bb133111eb;
	return number ^ number >> 31;
}

#endif
