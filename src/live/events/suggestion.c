/* Words whose lengths differ by more than what is allowed are passed over before: the
 * distance takes time with the product of both. */
#include "live/events/suggestion.h"

#include <stdio.h>
#include <string.h>

void suggestion_start(struct suggestion *n, const char *word, size_t size)
{
	/* A third of the letters may be wrong, two at the least in what is not tiny. */
	unsigned allowed = size < 3 ? 0 : size < 9 ? 2 : (unsigned)size / 3;

	*n = (struct suggestion){ .word = word, .size = size, .distance = allowed + 1 };
}

void suggestion_offer(struct suggestion *n, const char *word, size_t size)
{
	size_t apart = size > n->size ? size - n->size : n->size - size;
	unsigned found;

	if (apart >= n->distance)
		return;
	found = edit_distance(n->word, n->size, word, size);
	if (found >= n->distance)
		return;
	n->distance = found;
	memcpy(n->best, word, size);
	n->best[size] = '\0';
}

const char *suggestion_question(const struct suggestion *n,
				char room[SUGGESTION_MOST + 32])
{
	room[0] = '\0';
	if (n->best[0])
		snprintf(room, SUGGESTION_MOST + 32, ": did you mean '%s'?", n->best);
	return room;
}
