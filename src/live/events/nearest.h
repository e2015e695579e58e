#ifndef LIVE_EVENTS_NEAREST_H
#define LIVE_EVENTS_NEAREST_H

#include "base/edit_distance.h"

/*
 * The word that somebody may have meant: of those offered, the one with the fewest letters
 * left out, added, replaced or swapped with their neighbour, as long as these are few.
 */
enum { NEAREST_MOST = EDIT_DISTANCE_MOST };

struct nearest {
	const char *word; /* what was written */
	size_t size;
	unsigned distance; /* of .best; more than is near where there is none */
	char best[NEAREST_MOST + 1]; /* "": nothing is near */
};

/* @word outlives it. */
void nearest_start(struct nearest *n, const char *word, size_t size);
void nearest_offer(struct nearest *n, const char *word, size_t size);

/* ": did you mean 'cycles'?" or ""; in @room. */
const char *nearest_question(const struct nearest *n, char room[NEAREST_MOST + 32]);

#endif
