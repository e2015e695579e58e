#include <criterion/criterion.h>
#include <math.h>

#include "tree/arithmetic.h"

enum { BITS = 200000 };

static uint64_t state;

/* A xorshift generator: the same numbers in each run. */
static uint32_t some_number(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 20);
}

/* The chance of bit i, and the bit. */
static uint32_t chance_of(unsigned kind, unsigned i, bool *bit)
{
	uint32_t number = some_number();
	/* Carries need long rows of what is all but sure, and then the contrary. */
	uint32_t chances[] = { 1 + number % 65535, 65535, 1, i % 2 ? 65535 : 1, 32768 };
	uint32_t chance = chances[kind];

	*bit = number % 65536 < chance;
	if (kind == 1 && i % 10007 == 0)
		*bit = false;
	return chance;
}

static void check_kind(unsigned kind)
{
	struct bytes bytes = { 0 };
	struct arithmetic a = arithmetic_writer(&bytes);
	struct cursor from;
	double ideal = 0;
	bool bit;

	state = 88172645463325252;
	for (unsigned i = 0; i < BITS; i++) {
		uint32_t chance = chance_of(kind, i, &bit);

		ideal -= log2((bit ? chance : 65536 - chance) / 65536.0);
		cr_assert_eq(arithmetic_bit(&a, chance, bit), bit);
	}
	arithmetic_end(&a);
	cr_expect_leq(bytes.count, ideal / 8 * 1.005 + 8, "kind %u: %zu bytes, %.0f",
		      kind, bytes.count, ideal / 8);
	from = cursor_of(bytes.v, bytes.count);
	a = arithmetic_reader(&from);
	state = 88172645463325252;
	for (unsigned i = 0; i < BITS; i++) {
		uint32_t chance = chance_of(kind, i, &bit);

		cr_assert_eq(arithmetic_bit(&a, chance, !bit), bit, "kind %u, bit %u",
			     kind, i);
	}
	cr_expect_eq(cursor_left(&from), 0);
	cr_expect(!from.bad);
	bytes_release(&bytes);
}

Test(arithmetic, bits_come_back_and_cost_what_their_chance_says)
{
	for (unsigned kind = 0; kind < 5; kind++)
		check_kind(kind);
}

/* The low end of the range goes to 2^32 and above. */
Test(arithmetic, a_carry_goes_through_bytes_of_255)
{
	for (unsigned zeros = 0; zeros < 200; zeros++) {
		struct bytes bytes = { 0 };
		struct arithmetic a = arithmetic_writer(&bytes);
		struct cursor from;

		for (unsigned i = 0; i < 400; i++)
			arithmetic_bit(&a, i < zeros ? 65535 : 1 + 7 * i,
				       i < zeros ? i + 1 != zeros : i % 3 == 0);
		arithmetic_end(&a);
		from = cursor_of(bytes.v, bytes.count);
		a = arithmetic_reader(&from);
		for (unsigned i = 0; i < 400; i++)
			cr_assert_eq(
				arithmetic_bit(&a, i < zeros ? 65535 : 1 + 7 * i, false),
				i < zeros ? i + 1 != zeros : i % 3 == 0,
				"%u zeros, bit %u", zeros, i);
		bytes_release(&bytes);
	}
}

Test(arithmetic, what_is_cut_is_known)
{
	struct bytes bytes = { 0 };
	struct arithmetic a = arithmetic_writer(&bytes);
	struct cursor from;

	for (unsigned i = 0; i < 1000; i++)
		arithmetic_bit(&a, 20000, i % 3 == 0);
	arithmetic_end(&a);
	from = cursor_of(bytes.v, bytes.count - 1);
	a = arithmetic_reader(&from);
	for (unsigned i = 0; i < 1000; i++)
		arithmetic_bit(&a, 20000, false);
	cr_expect(from.bad);
	bytes_release(&bytes);
}
