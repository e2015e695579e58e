#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include <stdint.h>

/* What a weight of that many decimals is multiplied by. */
static inline uint64_t power_of_ten(unsigned exponent)
{
	uint64_t power = 1;

	for (; exponent > 0; exponent--)
		power *= 10;
	return power;
}

#endif
