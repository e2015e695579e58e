/*
 * Counting sort by digits of 11 bits, lowest first. Addresses of one object differ
 * in three digits at most times; a digit that all keys share costs no pass.
 */
#include "base/keyed.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	DIGIT_BITS = 11,
	DIGITS = 1 << DIGIT_BITS,
	PASSES = (64 + DIGIT_BITS - 1) / DIGIT_BITS,
};

static size_t key_digit(uint64_t key, int pass)
{
	return key >> (pass * DIGIT_BITS) & (DIGITS - 1);
}

/* Equal digits keep their order, so that those of lower passes still hold. */
static void sort_digit(const struct keyed *from, struct keyed *to, size_t count, int pass)
{
	size_t starts[DIGITS] = { 0 };
	size_t sum = 0;

	for (size_t i = 0; i < count; i++)
		starts[key_digit(from[i].key, pass)]++;
	for (size_t d = 0; d < DIGITS; d++) {
		size_t n = starts[d];

		starts[d] = sum;
		sum += n;
	}
	for (size_t i = 0; i < count; i++)
		to[starts[key_digit(from[i].key, pass)]++] = from[i];
}

int keyed_sort(struct keyed *v, size_t count)
{
	struct keyed *from = v, *to, *room;
	uint64_t differ = 0; /* bits that are not the same in all keys */
	size_t sorted = 1;

	while (sorted < count && v[sorted - 1].key <= v[sorted].key)
		sorted++;
	if (sorted >= count)
		return 0;
	room = malloc(count * sizeof(*room));
	if (!room)
		return -ENOMEM;
	to = room;
	for (size_t i = 1; i < count; i++)
		differ |= v[i].key ^ v[0].key;
	for (int pass = 0; pass < PASSES; pass++) {
		struct keyed *was = from;

		if (key_digit(differ, pass) == 0)
			continue;
		sort_digit(from, to, count, pass);
		from = to;
		to = was;
	}
	if (from != v)
		memcpy(v, from, count * sizeof(*v));
	free(room);
	return 0;
}
