#ifndef CLI_NEAREST_NAME_H
#define CLI_NEAREST_NAME_H

#include <stddef.h>

/*
 * The name that a word, which is none, was meant to be: the one that is the fewest letters
 * away (ff_edit_distance()). One letter in short words, two in those of five letters or more.
 */
struct nearest_name {
	const char *word;
	size_t size;
	unsigned distance; /* of the best one; more than is near where there is none */
	const char *best; /* NULL: none is near */
};

void nearest_name_start(struct nearest_name *n, const char *word, size_t size);
void nearest_name_offer(struct nearest_name *n, const char *name);

#endif
