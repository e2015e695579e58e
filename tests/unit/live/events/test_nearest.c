#include "live/events/nearest.h"

#include <criterion/criterion.h>
#include <string.h>

static const char *nearest_of(const char *word, const char *const *offered, size_t count)
{
	static struct nearest n;

	nearest_start(&n, word, strlen(word));
	for (size_t i = 0; i < count; i++)
		nearest_offer(&n, offered[i], strlen(offered[i]));
	return n.best;
}

static const char *const events[] = { "instructions", "cpu-clock",    "cycles",
				      "branches",     "cache-misses", "cs" };
enum { EVENTS = sizeof(events) / sizeof(*events) };

Test(nearest, a_slip_of_the_fingers_is_found)
{
	cr_assert_str_eq(nearest_of("cylces", events, EVENTS), "cycles");
	cr_assert_str_eq(nearest_of("cycle", events, EVENTS), "cycles");
	cr_assert_str_eq(nearest_of("CYCLES", events, EVENTS), "cycles");
	cr_assert_str_eq(nearest_of("cache-mises", events, EVENTS), "cache-misses");
	cr_assert_str_eq(nearest_of("instrctoins", events, EVENTS), "instructions");
}

Test(nearest, what_is_far_away_is_not_offered)
{
	cr_assert_str_eq(nearest_of("elephant", events, EVENTS), "");
	cr_assert_str_eq(nearest_of("", events, EVENTS), "");
	cr_assert_str_eq(nearest_of("x", events, EVENTS), "");
}

Test(nearest, words_of_any_length_are_safe)
{
	char word[300], other[300];

	memset(word, 'a', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	memcpy(other, word, sizeof(word));
	for (size_t size = 0; size < sizeof(word); size++) {
		struct nearest n;

		nearest_start(&n, word, size);
		nearest_offer(&n, other, size + 1 < sizeof(word) ? size + 1 : size);
		cr_assert_leq(strlen(n.best), NEAREST_MOST);
	}
}

Test(nearest, the_question_is_empty_where_nothing_is_near)
{
	char room[NEAREST_MOST + 32];
	struct nearest n;

	nearest_start(&n, "cylces", 6);
	cr_assert_str_eq(nearest_question(&n, room), "");
	nearest_offer(&n, "cycles", 6);
	cr_assert_str_eq(nearest_question(&n, room), ": did you mean 'cycles'?");
}
