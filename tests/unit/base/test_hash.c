#include "base/hash.h"

#include <criterion/criterion.h>

static bool find(const struct hash_set *set, uint64_t hash, uint32_t wanted)
{
	uint64_t i = hash_start(hash);
	uint32_t id;

	while ((id = hash_find(set, hash, &i)) != HASH_NONE)
		if (id == wanted)
			return true;
	return false;
}

Test(hash, a_set_finds_what_was_added_and_nothing_else)
{
	struct hash_set set = { 0 };

	cr_assert_not(find(&set, 1, 0), "an empty set holds nothing");
	for (uint32_t id = 0; id < 5000; id++)
		cr_assert(hash_add(&set, hash_bytes(&id, sizeof(id)), id));
	for (uint32_t id = 0; id < 5000; id++)
		cr_assert(find(&set, hash_bytes(&id, sizeof(id)), id), "id %u", id);
	for (uint32_t id = 5000; id < 10000; id++)
		cr_assert_not(find(&set, hash_bytes(&id, sizeof(id)), id), "id %u", id);
	cr_assert_eq(set.count, 5000);
	hash_release(&set);
	cr_assert_null(set.slots);
}

Test(hash, equal_hashes_are_all_found)
{
	struct hash_set set = { 0 };

	for (uint32_t id = 0; id < 1000; id++)
		cr_assert(hash_add(&set, UINT64_MAX, id));
	for (uint32_t id = 0; id < 1000; id++)
		cr_assert(find(&set, UINT64_MAX, id));
	hash_release(&set);
}

Test(hash, the_largest_id_is_told_from_none)
{
	struct hash_set set = { 0 };

	cr_assert(hash_add(&set, 7, HASH_NONE - 1));
	cr_assert(find(&set, 7, HASH_NONE - 1));
	hash_release(&set);
}

Test(hash, bytes_hash_by_value_and_by_length)
{
	char a[] = "abcd", b[] = "abcd";

	cr_assert_eq(hash_bytes(a, 4), hash_bytes(b, 4));
	cr_assert_neq(hash_bytes(a, 4), hash_bytes(a, 3));
	cr_assert_neq(hash_bytes("abcd", 4), hash_bytes("abce", 4));
}

Test(hash, a_map_gives_the_newest_value_of_a_key)
{
	struct hash_map map = { 0 };

	cr_assert_null(hash_map_get(&map, 0));
	for (uint64_t key = 0; key < 5000; key++)
		cr_assert(hash_map_set(&map, key << 32, (uint32_t)key));
	for (uint64_t key = 0; key < 5000; key += 2)
		cr_assert(hash_map_set(&map, key << 32, 1));
	cr_assert_eq(map.count, 5000);
	for (uint64_t key = 0; key < 5000; key++)
		cr_assert_eq(*hash_map_get(&map, key << 32), key % 2 ? key : 1);
	cr_assert_null(hash_map_get(&map, 12345));
	hash_map_release(&map);
}

Test(hash, a_map_takes_every_key)
{
	uint64_t keys[] = { 0, 1, UINT64_MAX, UINT64_MAX - 1, 1ull << 63 };
	struct hash_map map = { 0 };

	for (uint32_t i = 0; i < 5; i++)
		cr_assert(hash_map_set(&map, keys[i], i));
	for (uint32_t i = 0; i < 5; i++)
		cr_assert_eq(*hash_map_get(&map, keys[i]), i);
	hash_map_release(&map);
}

Test(hash, numbers_that_follow_each_other_spread_over_all_bits)
{
	uint64_t always = UINT64_MAX, ever = 0;

	for (uint64_t key = 1; key < 1000; key++) {
		always &= hash_u64(key << 12);
		ever |= hash_u64(key << 12);
	}
	cr_assert_eq(ever, UINT64_MAX);
	cr_assert_eq(always, 0);
}

/* As far as the slots of a table that is two thirds full: chance has about two steps a key. */
Test(hash, lists_of_numbers_are_found_in_few_steps)
{
	enum { SLOTS = 1 << 15, KEYS = SLOTS / 3 * 2 };
	static bool taken[SLOTS];
	uint64_t steps = 0;

	for (uint32_t key = 0; key < KEYS; key++) {
		uint64_t i = hash_step(hash_step(hash_secret.key, key & 127), key >> 7);

		for (; taken[i % SLOTS]; i++)
			steps++;
		taken[i % SLOTS] = true;
	}
	cr_assert_lt(steps, 5 * (uint64_t)KEYS);
}

Test(hash, the_secret_is_there_before_main)
{
	uint8_t bits = 0;

	for (size_t i = 0; i < sizeof(hash_secret.bytes); i++)
		bits |= hash_secret.bytes[i];
	cr_assert_eq(bits, UINT8_MAX);
	cr_assert_neq(hash_secret.odd[0], hash_secret.odd[1]);
	cr_assert(hash_secret.odd[0] & hash_secret.odd[1] & 1);
}
