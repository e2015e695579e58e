#include "base/edit_distance.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <string.h>

static unsigned apart(const char *a, const char *b)
{
	return edit_distance(a, strlen(a), b, strlen(b));
}

Test(edit_distance, each_slip_of_the_fingers_counts_one)
{
	cr_expect_eq(apart("cycles", "cycles"), 0u);
	cr_expect_eq(apart("cycle", "cycles"), 1u, "left out");
	cr_expect_eq(apart("cyccles", "cycles"), 1u, "added");
	cr_expect_eq(apart("cyvles", "cycles"), 1u, "replaced");
	cr_expect_eq(apart("cylces", "cycles"), 1u, "swapped");
	cr_expect_eq(apart("CYCLES", "cycles"), 0u, "case");
	cr_expect_eq(apart("kitten", "sitting"), 3u);
}

Test(edit_distance, nothing_is_as_far_away_as_a_word_is_long)
{
	cr_expect_eq(apart("", ""), 0u);
	cr_expect_eq(apart("", "abc"), 3u);
	cr_expect_eq(apart("abc", ""), 3u);
}

Test(edit_distance, words_of_any_length_are_safe)
{
	char word[100];

	memset(word, 'a', sizeof(word));
	for (size_t size = 0; size < sizeof(word); size++)
		cr_expect_eq(edit_distance(word, size, word, size),
			     size > EDIT_DISTANCE_MOST ? UINT_MAX : 0u);
}
