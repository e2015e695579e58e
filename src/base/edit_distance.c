/*
 * Optimal string alignment, the edit distance in which two neighbours that changed
 * places count one, O(n * m). Only three rows of its table are kept, as a step looks back
 * no further.
 */
#include "base/edit_distance.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static bool same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

unsigned edit_distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
	unsigned rows[3][EDIT_DISTANCE_MOST + 1];

	if (a_size > EDIT_DISTANCE_MOST || b_size > EDIT_DISTANCE_MOST)
		return UINT_MAX;
	for (size_t j = 0; j <= b_size; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= a_size; i++) {
		unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3];
		const unsigned *two_above = rows[(i + 1) % 3];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= b_size; j++) {
			row[j] = above[j - 1] + !same_letter(a[i - 1], b[j - 1]);
			row[j] = least(row[j], least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
			    same_letter(a[i - 2], b[j - 1]))
				row[j] = least(row[j], two_above[j - 2] + 1);
		}
	}
	return rows[a_size % 3][b_size];
}
