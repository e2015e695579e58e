#ifndef CLI_LIKENESS_H
#define CLI_LIKENESS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The name that a word, which is none, was meant to be: the one that takes the fewest slips of the
 * fingers, a letter too many, too few, another, or two in the wrong order. One slip in short
 * words, two in those of five letters or more. Case does not count.
 */
struct likeness {
	const char *word;
	size_t size;
	unsigned slips; /* of the best one */
	const char *
		best; /* NULL: none is near; of several the one that begins alike for longer */
};

void likeness_init(struct likeness *l, const char *word, size_t size);
void likeness_try(struct likeness *l, const char *name);

#endif
