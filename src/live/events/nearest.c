/*
 * Optimal string alignment, the edit distance in which two neighbours that changed
 * places count one. Only three rows of its table are kept, as a step looks back no
 * further. Words whose lengths differ by more than what is allowed are passed over
 * before: cost is O(n * m) for each of the others, with both at most NEAREST_MOST.
 */
#include "live/events/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void nearest_start(struct nearest *n, const char *word, size_t size)
{
	/* A third of the letters may be wrong, two at the least in what is not tiny. */
	unsigned allowed = size < 3 ? 0 : size < 9 ? 2 : (unsigned)size / 3;

	*n = (struct nearest){ .word = word, .size = size, .distance = allowed + 1 };
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static bool same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static unsigned distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
	unsigned rows[3][NEAREST_MOST + 1];
	unsigned *before = rows[0], *last = rows[1], *row = rows[2];

	for (size_t j = 0; j <= b_size; j++)
		last[j] = (unsigned)j;
	for (size_t i = 1; i <= a_size; i++) {
		unsigned *oldest = before;

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= b_size; j++) {
			row[j] = last[j - 1] + !same_letter(a[i - 1], b[j - 1]);
			row[j] = least(row[j], least(last[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
			    same_letter(a[i - 2], b[j - 1]))
				row[j] = least(row[j], before[j - 2] + 1);
		}
		before = last;
		last = row;
		row = oldest;
	}
	return last[b_size];
}

void nearest_offer(struct nearest *n, const char *word, size_t size)
{
	size_t apart = size > n->size ? size - n->size : n->size - size;
	unsigned found;

	if (n->size > NEAREST_MOST || size > NEAREST_MOST || apart >= n->distance)
		return;
	found = distance(n->word, n->size, word, size);
	if (found >= n->distance)
		return;
	n->distance = found;
	memcpy(n->best, word, size);
	n->best[size] = '\0';
}

const char *nearest_question(const struct nearest *n, char room[NEAREST_MOST + 32])
{
	room[0] = '\0';
	if (n->best[0])
		snprintf(room, NEAREST_MOST + 32, ": did you mean '%s'?", n->best);
	return room;
}
