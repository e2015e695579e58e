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
