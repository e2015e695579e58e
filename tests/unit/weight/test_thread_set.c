#include "weight/thread_set.h"

#include <criterion/criterion.h>

Test(thread_set, all_are_in_one_that_is_not_limited)
{
	struct thread_set set = { 0 };

	cr_expect(thread_set_has(&set, 12345));
}

Test(thread_set, has_those_that_were_added_and_not_removed)
{
	struct thread_set set = { .is_limited = true };

	cr_expect(!thread_set_has(&set, 0));
	cr_assert_eq(thread_set_add(&set, 64), 0);
	cr_assert_eq(thread_set_add(&set, 4194303), 0);
	cr_expect(thread_set_has(&set, 64));
	cr_expect(!thread_set_has(&set, 63));
	cr_expect(thread_set_has(&set, 4194303));
	thread_set_remove(&set, 64);
	cr_expect(!thread_set_has(&set, 64));
	thread_set_release(&set);
}

Test(thread_set, a_thread_that_has_gone_is_in_none)
{
	struct thread_set set = { .is_limited = true };

	cr_assert_eq(thread_set_add(&set, UINT32_MAX), 0);
	cr_expect(!thread_set_has(&set, UINT32_MAX));
	cr_expect_eq(set.words.count, 0);
	thread_set_release(&set);
}
