/*
 * Of equally near names the one that begins alike for longer counts, since people seldom
 * mistype first letters.
 */
#include "cli/name_suggestion.h"

#include <ctype.h>
#include <flamefold.h>
#include <string.h>

void name_suggestion_start(struct name_suggestion *n, const char *word, size_t size)
{
	/* One letter of a short word, two of others: with more everything is like
	 * something. */
	unsigned allowed = size < 5 ? 1 : 2;

	*n = (struct name_suggestion){ .word = word,
				       .size = size,
				       .distance = allowed + 1 };
}

static size_t same_beginning(const struct name_suggestion *n, const char *name)
{
	size_t i = 0;

	while (i < n->size && name[i] &&
	       tolower((unsigned char)n->word[i]) == tolower((unsigned char)name[i]))
		i++;
	return i;
}

void name_suggestion_offer(struct name_suggestion *n, const char *name)
{
	unsigned distance = ff_edit_distance(n->word, n->size, name, strlen(name));

	if (distance < n->distance ||
	    (distance == n->distance && n->best &&
	     same_beginning(n, name) > same_beginning(n, n->best))) {
		n->distance = distance;
		n->best = name;
	}
}
