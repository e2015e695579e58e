#include "live/events/suggestion.h"

#include <criterion/criterion.h>
#include <string.h>

static const char *suggestion_for(const char *word, const char *const *offered,
				  size_t count)
{
	static struct suggestion n;

	suggestion_start(&n, word, strlen(word));
	for (size_t i = 0; i < count; i++)
		suggestion_offer(&n, offered[i], strlen(offered[i]));
	return n.best;
}

static const char *const events[] = { "instructions", "cpu-clock",    "cycles",
				      "branches",     "cache-misses", "cs" };
enum { EVENTS = sizeof(events) / sizeof(*events) };

Test(suggestion, a_slip_of_the_fingers_is_found)
{
	cr_assert_str_eq(suggestion_for("cylces", events, EVENTS), "cycles");
	cr_assert_str_eq(suggestion_for("cycle", events, EVENTS), "cycles");
	cr_assert_str_eq(suggestion_for("CYCLES", events, EVENTS), "cycles");
	cr_assert_str_eq(suggestion_for("cache-mises", events, EVENTS), "cache-misses");
	cr_assert_str_eq(suggestion_for("instrctoins", events, EVENTS), "instructions");
}

Test(suggestion, what_is_far_away_is_not_offered)
{
	cr_assert_str_eq(suggestion_for("elephant", events, EVENTS), "");
	cr_assert_str_eq(suggestion_for("", events, EVENTS), "");
	cr_assert_str_eq(suggestion_for("x", events, EVENTS), "");
}

Test(suggestion, words_of_any_length_are_safe)
{
	char word[300], other[300];

	memset(word, 'a', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	memcpy(other, word, sizeof(word));
	for (size_t size = 0; size < sizeof(word); size++) {
		struct suggestion n;

		suggestion_start(&n, word, size);
		suggestion_offer(&n, other, size + 1 < sizeof(word) ? size + 1 : size);
		cr_assert_leq(strlen(n.best), SUGGESTION_MOST);
	}
}

Test(suggestion, the_question_is_empty_where_nothing_is_near)
{
	char room[SUGGESTION_MOST + 32];
	struct suggestion n;

	suggestion_start(&n, "cylces", 6);
	cr_assert_str_eq(suggestion_question(&n, room), "");
	suggestion_offer(&n, "cycles", 6);
	cr_assert_str_eq(suggestion_question(&n, room), ": did you mean 'cycles'?");
}
