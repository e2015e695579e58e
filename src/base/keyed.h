#ifndef BASE_KEYED_H
#define BASE_KEYED_H

#include <stddef.h>
#include <stdint.h>

/* Ids by an address each, to be sorted together. */
struct keyed {
	uint64_t key;
	uint32_t id;
};

/* By key; equal keys keep their order. 0, or -ENOMEM. */
int keyed_sort(struct keyed *v, size_t count);

#endif
