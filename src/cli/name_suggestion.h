#ifndef CLI_NAME_SUGGESTION_H
#define CLI_NAME_SUGGESTION_H

#include <stddef.h>

/*
 * The name that a word, which is none, was meant to be: the one that is the fewest letters
 * away (ff_edit_distance()). One letter in short words, two in those of five letters or more.
 */
struct name_suggestion {
	const char *word;
	size_t size;
	unsigned distance; /* of the best one; more than is near where there is none */
	const char *best; /* NULL: none is near */
};

void name_suggestion_start(struct name_suggestion *n, const char *word, size_t size);
void name_suggestion_offer(struct name_suggestion *n, const char *name);

#endif
