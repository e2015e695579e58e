#include "base/array.h"

#include <criterion/criterion.h>

struct item {
	uint64_t a;
	char b;
};

Test(array, items_keep_their_values_while_it_grows)
{
	ARRAY(struct item) items = { 0 };

	for (uint64_t i = 0; i < 10000; i++) {
		struct item *item = array_add(&items);

		cr_assert(item);
		cr_assert(item->a == 0 && item->b == 0, "item %zu is zeroed", (size_t)i);
		*item = (struct item){ i, 'x' };
	}
	cr_assert_eq(items.count, 10000);
	for (uint64_t i = 0; i < 10000; i++)
		cr_assert_eq(items.v[i].a, i);
	cr_assert_eq(array_last(&items)->a, 9999);
	array_release(&items);
}

Test(array, reserve_makes_room_and_adds_nothing)
{
	ARRAY(uint32_t) numbers = { 0 };
	uint32_t *before;

	cr_assert(array_reserve(&numbers, 1000));
	cr_assert_eq(numbers.count, 0);
	cr_assert_geq(numbers.room, 1000);
	before = numbers.v;
	for (int i = 0; i < 1000; i++)
		cr_assert(array_add(&numbers));
	cr_assert_eq(numbers.v, before, "what was reserved does not move");
	array_release(&numbers);
}

Test(array, an_impossible_amount_is_refused_and_nothing_is_lost)
{
	ARRAY(uint64_t) numbers = { 0 };

	*array_add(&numbers) = 42;
	cr_assert_not(array_reserve(&numbers, SIZE_MAX / 8));
	cr_assert_not(array_reserve(&numbers, SIZE_MAX / 4));
	cr_assert_eq(numbers.count, 1);
	cr_assert_eq(numbers.v[0], 42);
	array_release(&numbers);
}

Test(array, release_leaves_an_empty_one)
{
	ARRAY(int) numbers = { 0 };

	array_release(&numbers);
	array_add(&numbers);
	array_release(&numbers);
	cr_assert(!numbers.v && !numbers.count && !numbers.room);
}
