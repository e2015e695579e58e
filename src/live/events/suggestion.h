#ifndef LIVE_EVENTS_SUGGESTION_H
#define LIVE_EVENTS_SUGGESTION_H

#include "base/edit_distance.h"

/*
 * The word that somebody may have meant: of those offered, the one with the fewest letters
 * left out, added, replaced or swapped with their neighbour, as long as these are few.
 */
enum { SUGGESTION_MOST = EDIT_DISTANCE_MOST };

struct suggestion {
	const char *word; /* what was written */
	size_t size;
	unsigned distance; /* of .best; more than is near where there is none */
	char best[SUGGESTION_MOST + 1]; /* "": nothing is near */
};

/* @word outlives it. */
void suggestion_start(struct suggestion *n, const char *word, size_t size);
void suggestion_offer(struct suggestion *n, const char *word, size_t size);

/* ": did you mean 'cycles'?" or ""; in @room. */
const char *suggestion_question(const struct suggestion *n,
				char room[SUGGESTION_MOST + 32]);

#endif
