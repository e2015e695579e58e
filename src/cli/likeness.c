/*
 * Optimal string alignment, an edit distance in which two neighbours that changed places
 * count one, O(n * m) with three rows of the table. Of equally near names the one that
 * begins alike for longer counts, since people seldom mistype first letters.
 */
#include "cli/likeness.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 32 /* of names; longer words are none of them */ };

void likeness_init(struct likeness *l, const char *word, size_t size)
{
	*l = (struct likeness){ .word = word,
				.size = size,
				.slips = (size < 5 ? 1 : 2) + 1 };
}

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned count_slips(const char *a, size_t a_size, const char *b, size_t b_size)
{
	unsigned rows[3][LONGEST + 1];

	for (unsigned j = 0; j <= b_size; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a_size; i++) {
		unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3];
		const unsigned *two_above = rows[(i + 1) % 3];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= b_size; j++) {
			row[j] = above[j - 1] + !same(a[i - 1], b[j - 1]);
			row[j] = least(row[j], least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) &&
			    same(a[i - 2], b[j - 1]))
				row[j] = least(row[j], two_above[j - 2] + 1);
		}
	}
	return rows[a_size % 3][b_size];
}

static size_t same_beginning(const struct likeness *l, const char *name)
{
	size_t n = 0;

	while (n < l->size && name[n] && same(l->word[n], name[n]))
		n++;
	return n;
}

void likeness_try(struct likeness *l, const char *name)
{
	size_t size = strlen(name);
	unsigned slips;

	if (l->size > LONGEST || size > LONGEST)
		return;
	slips = count_slips(l->word, l->size, name, size);
	if (slips < l->slips || (slips == l->slips && l->best &&
				 same_beginning(l, name) > same_beginning(l, l->best))) {
		l->slips = slips;
		l->best = name;
	}
}
