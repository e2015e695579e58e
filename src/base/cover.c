/*
 * Addresses that are covered are linked to the next one that may not be, and whoever
 * passes over them shortens the links on the way (the "find" of union-find with path
 * compression). Each address is covered once: all intervals together cost O((addresses +
 * intervals) * log addresses), however they overlap.
 *
 *	next   0 1 2 3 4      nothing is covered
 *	       0 2 3 3 4      [1, 3) was covered
 *	       0 3 3 3 4      somebody went from 1 on
 */
#include "base/cover.h"

#include <stdlib.h>

int cover_begin(struct cover *c, const uint64_t *addresses, size_t count,
		uint32_t *of_address)
{
	uint32_t *next = count < UINT32_MAX ? malloc((count + 1) * sizeof(*next)) : NULL;

	if (!next)
		return -ENOMEM;
	for (size_t i = 0; i <= count; i++)
		next[i] = (uint32_t)i;
	for (size_t i = 0; i < count; i++)
		of_address[i] = 0;
	*c = (struct cover){ addresses, count, next, of_address };
	return 0;
}

void cover_release(struct cover *c)
{
	free(c->next);
	*c = (struct cover){ 0 };
}

size_t cover_first(const uint64_t *addresses, size_t count, uint64_t from)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (addresses[middle] < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static size_t find_next(struct cover *c, size_t i)
{
	size_t found = i;

	while (c->next[found] != found)
		found = c->next[found];
	while (c->next[i] != found) {
		size_t then = c->next[i];

		c->next[i] = (uint32_t)found;
		i = then;
	}
	return found;
}

void cover_add(struct cover *c, uint64_t start, uint64_t end, uint32_t id)
{
	size_t i = find_next(c, cover_first(c->addresses, c->count, start));

	while (i < c->count && c->addresses[i] < end) {
		c->of_address[i] = id + 1;
		c->next[i] = (uint32_t)i + 1;
		i = find_next(c, i);
	}
}
