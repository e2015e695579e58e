#include "weight/weight.h"

#include <criterion/criterion.h>

Test(sample_log, the_log_of_a_worker_without_samples_adds_nothing)
{
	struct sample_log log = { 0 }, other = { 0 };
	struct kept_sample *added;

	/* With -fsanitize=undefined it fails where an address is made of no memory. */
	cr_assert_eq(sample_log_merge(&log, &other, NULL), 0);
	cr_assert(log.list.v == NULL && log.list.count == 0);
	added = array_add(&other.list);
	cr_assert_not_null(added);
	*added = (struct kept_sample){ .node = 1 };
	cr_assert_eq(sample_log_merge(&log, &other, (const uint32_t[]){ 0, 7 }), 0);
	cr_assert(log.list.count == 1 && log.list.v[0].node == 7);
	sample_log_release(&log);
	sample_log_release(&other);
}

/* Samples until the budget has no more for them. */
static size_t fill(struct sample_log *log, struct budget *budget)
{
	size_t count = 0;

	while (sample_log_allows(log, budget)) {
		struct kept_sample *added = array_add(&log->list);

		cr_assert_not_null(added);
		*added = (struct kept_sample){ .node = (uint32_t)count++ };
	}
	return count;
}

Test(sample_log, samples_are_kept_as_long_as_the_budget_has_memory)
{
	enum { MOST = 8 << 20 };
	struct sample_log log = { 0 }, other = { 0 };
	struct budget budget;
	size_t count;

	budget_init(&budget, MOST);
	count = fill(&log, &budget);
	cr_expect_geq(count * sizeof(struct kept_sample), MOST / 8);
	cr_expect_leq(count * sizeof(struct kept_sample), MOST);
	cr_expect_not(sample_log_allows(&other, &budget), "all have one budget");
	sample_log_release(&log);
	cr_expect_eq(budget.used, 0);
	/* What is merged has been allowed. */
	cr_expect_eq(fill(&other, &budget), count);
	cr_assert_eq(sample_log_merge(&log, &other, NULL), 0);
	sample_log_release(&other);
	cr_expect_gt(budget.used, MOST / 2);
	cr_expect_not(sample_log_allows(&log, &budget));
	sample_log_release(&log);
	cr_expect_eq(budget.used, 0);
	budget_release(&budget);
}
