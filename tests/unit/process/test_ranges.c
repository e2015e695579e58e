#include "process/ranges.h"

#include <criterion/criterion.h>

Test(ranges, those_that_touch_become_one)
{
	struct ranges r = { 0 };

	cr_assert_not(ranges_overlap(&r, 0, UINT64_MAX));
	ranges_add(&r, 10, 20);
	ranges_add(&r, 30, 40);
	cr_assert(!ranges_overlap(&r, 0, 10) && !ranges_overlap(&r, 20, 30));
	cr_assert(ranges_overlap(&r, 0, 11) && ranges_overlap(&r, 19, 25));
	cr_assert_eq(r.list.count, 2);
	ranges_add(&r, 20, 30);
	cr_assert_eq(r.list.count, 1);
	cr_assert(r.list.v[0].start == 10 && r.list.v[0].end == 40);
	ranges_release(&r);
}

Test(ranges, are_the_addresses_that_were_added)
{
	enum { MOST = 300 };
	struct ranges r = { 0 };
	bool is[MOST] = { false };
	unsigned seed = 1;

	for (int i = 0; i < 2000; i++) {
		uint64_t start = (uint64_t)rand_r(&seed) % (MOST - 4);
		uint64_t end = start + 1 + (uint64_t)rand_r(&seed) % 4;
		bool any = false;

		if (i % 40 == 0) {
			ranges_release(&r);
			memset(is, 0, sizeof(is));
		}
		for (uint64_t k = start; k < end; k++)
			any |= is[k];
		cr_assert_eq(ranges_overlap(&r, start, end), any);
		ranges_add(&r, start, end);
		memset(is + start, 1, end - start);
		for (size_t k = 1; k < r.list.count; k++)
			cr_assert_gt(r.list.v[k].start, r.list.v[k - 1].end);
	}
	ranges_release(&r);
}

Test(ranges, very_many_are_taken_for_all_addresses)
{
	struct ranges r = { 0 };

	for (uint64_t i = 0; i < 100000; i++)
		ranges_add(&r, i * 16, i * 16 + 1);
	cr_assert(ranges_overlap(&r, 8, 9));
	cr_assert_lt(r.list.room, 10000u);
	ranges_release(&r);
}
