#include "input/deferred.h"

#include <criterion/criterion.h>

#include "unit/limit.h"

static const uint64_t first[] = { 1, 2 }, second[] = { 3, 4, 5 };

static const uint8_t *bytes(const uint64_t *chain)
{
	return (const uint8_t *)chain;
}

Test(deferred, of_two_chains_with_one_key_the_first_counts)
{
	struct deferred *d = NULL;
	const uint64_t *chain;
	uint32_t count = 0;

	cr_assert_null(deferred_find(d, 7, 8, &count));
	cr_assert_eq(deferred_add(&d, 7, 8, bytes(first), 2), 0);
	cr_assert_eq(deferred_add(&d, 7, 8, bytes(second), 3), 0);
	cr_assert_eq(deferred_add(&d, 7, 9, bytes(second), 3), 0);
	chain = (const uint64_t *)deferred_find(d, 7, 8, &count);
	cr_assert_not_null(chain);
	cr_expect(count == 2 && chain[1] == 2);
	chain = (const uint64_t *)deferred_find(d, 7, 9, &count);
	cr_assert_not_null(chain);
	cr_expect(count == 3 && chain[2] == 5);
	cr_assert_null(deferred_find(d, 8, 8, &count));
	deferred_free(d);
}

/* The square of them is a minute of work; one after the other they are some milliseconds. */
Test(deferred, many_with_one_key_cost_no_more_than_others)
{
	struct deferred *d = NULL;
	uint32_t count;

	work_at_most(10);
	for (int i = 0; i < 500000; i++)
		cr_assert_eq(deferred_add(&d, 7, 8, bytes(first), 2), 0);
	cr_assert_not_null(deferred_find(d, 7, 8, &count));
	deferred_free(d);
}
