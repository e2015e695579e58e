#include "base/keyed.h"

#include <criterion/criterion.h>
#include <stdlib.h>

Test(keyed, equal_keys_keep_their_order)
{
	struct keyed v[] = { { 5, 0 }, { 3, 1 }, { 5, 2 }, { 3, 3 }, { 0, 4 } };
	static const uint32_t expected[] = { 4, 1, 3, 0, 2 };

	cr_assert_eq(keyed_sort(v, 5), 0);
	for (size_t i = 0; i < 5; i++)
		cr_assert_eq(v[i].id, expected[i]);
}

Test(keyed, all_64_bits_count)
{
	enum { COUNT = 5000 };
	struct keyed *v = calloc(COUNT, sizeof(*v));
	uint64_t key = 1;

	for (uint32_t i = 0; i < COUNT; i++) {
		key = key * 6364136223846793005u + 1442695040888963407u;
		v[i] = (struct keyed){ key >> (i % 64), i };
	}
	v[17].key = UINT64_MAX;
	cr_assert_eq(keyed_sort(v, COUNT), 0);
	for (size_t i = 1; i < COUNT; i++)
		cr_assert(v[i - 1].key < v[i].key ||
			  (v[i - 1].key == v[i].key && v[i - 1].id < v[i].id));
	cr_assert_eq(v[COUNT - 1].id, 17);
	free(v);
}

Test(keyed, nothing_is_sorted)
{
	cr_assert_eq(keyed_sort(NULL, 0), 0);
}
