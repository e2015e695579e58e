#include "input/deferred.h"
#include "input/input.h"

#include <criterion/criterion.h>

#include "base/budget.h"
#include "unit/limit.h"

static const uint64_t first[] = { 1, 2 }, second[] = { 3, 4, 5 };

static struct budget *budget;

static int add(struct deferred **d, uint32_t tid, uint64_t cookie, const uint8_t *chain,
	       uint64_t count)
{
	return deferred_add(d, budget,
			    &(struct deferred_chain){ tid, cookie, chain, count });
}

static const uint8_t *bytes(const uint64_t *chain)
{
	return (const uint8_t *)chain;
}

Test(deferred, of_two_chains_with_one_key_the_first_counts)
{
	struct deferred *d = NULL;
	struct sample sample;
	uint32_t count = 0;

	cr_assert_null(deferred_find(d, 7, 8, &count));
	cr_assert_eq(add(&d, 7, 8, bytes(first), 2), 0);
	cr_assert_eq(add(&d, 7, 8, bytes(second), 3), 0);
	cr_assert_eq(add(&d, 7, 9, bytes(second), 3), 0);
	sample.chain = deferred_find(d, 7, 8, &count);
	cr_assert_not_null(sample.chain);
	cr_expect(count == 2 && sample_chain(&sample, 1) == 2);
	sample.chain = deferred_find(d, 7, 9, &count);
	cr_assert_not_null(sample.chain);
	cr_expect(count == 3 && sample_chain(&sample, 2) == 5);
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
		cr_assert_eq(add(&d, 7, 8, bytes(first), 2), 0);
	cr_assert_not_null(deferred_find(d, 7, 8, &count));
	deferred_free(d);
}

Test(deferred, keys_and_chains_ask_the_budget_and_equal_chains_once)
{
	enum { LONG = 1000, MOST = 8 << 20 };
	static uint64_t chain[LONG];
	struct budget b;
	struct deferred *d = NULL;
	uint32_t count;
	uint64_t n;

	budget_init(&b, MOST);
	budget = &b;
	for (n = 0; n < 4096; n++)
		cr_assert_eq(add(&d, 7, n, bytes(chain), LONG), 0);
	cr_expect_lt(b.used, 1 << 20);
	for (; n < 8192; n++) {
		chain[0] = n;
		if (add(&d, 7, n, bytes(chain), LONG) > 0)
			break;
	}
	cr_expect_lt(n, 4096 + MOST / (16 * LONG), "%llu chains", (unsigned long long)n);
	cr_expect_gt(n, 4096 + MOST / (32 * LONG), "%llu chains", (unsigned long long)n);
	cr_expect_null(deferred_find(d, 7, n, &count));
	cr_assert_not_null(deferred_find(d, 7, n - 1, &count));
	cr_expect_eq(count, LONG);
	deferred_free(d);
	cr_expect_eq(b.used, 0);
	budget_release(&b);
	budget = NULL;
}
