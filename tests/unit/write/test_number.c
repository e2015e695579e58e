#include "write/number.h"

#include <criterion/criterion.h>
#include <stdio.h>

static void expect(struct text *t, const char *expected)
{
	cr_expect_str_eq(t->bytes, expected);
	text_release(t);
}

static void expect_fixed(double value, unsigned digits, const char *expected)
{
	struct text t = { 0 };

	number_fixed(&t, value, digits);
	expect(&t, expected);
}

static void expect_commas(double value, const char *expected)
{
	struct text t = { 0 };

	number_commas(&t, value);
	expect(&t, expected);
}

static void expect_pixels(double value, const char *expected)
{
	struct text t = { 0 };

	number_pixels(&t, value);
	expect(&t, expected);
}

static void expect_decimal(uint64_t value, unsigned decimals, const char *expected)
{
	struct text t = { 0 };

	number_decimal(&t, value, decimals);
	expect(&t, expected);
}

Test(number, rounding_is_half_to_even_of_the_exact_value)
{
	expect_fixed(0.5, 0, "0");
	expect_fixed(1.5, 0, "2");
	expect_fixed(2.5, 0, "2");
	expect_fixed(0.25, 1, "0.2");
	expect_fixed(0.75, 1, "0.8");
	expect_fixed(0.125, 2, "0.12");
	/* Not a half: the binary value is a little more, or a little less. */
	expect_fixed(0.15, 1, "0.1");
	expect_fixed(0.35, 1, "0.3");
	expect_fixed(1.005, 2, "1.00");
	expect_fixed(-0.001, 2, "-0.00");
	expect_fixed(-12.345, 2, "-12.35");
}

Test(number, fixed_is_what_printf_prints)
{
	char buf[64];
	uint64_t x = 88172645463325252u;

	for (int i = 0; i < 200000; i++) {
		double value;

		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		value = (double)(x >> 11) / (double)(1ull << (i % 53));
		value = value < 1e12 ? value : (double)(x % 200001) / 8000;
		for (unsigned digits = 0; digits <= 2; digits++) {
			snprintf(buf, sizeof(buf), "%.*f", (int)digits, value);
			expect_fixed(value, digits, buf);
		}
		cr_assert_eq(number_round(value), __builtin_nearbyint(value));
	}
}

Test(number, thousands_get_commas)
{
	expect_commas(0, "0");
	expect_commas(999, "999");
	expect_commas(1000, "1,000");
	expect_commas(1234568, "1,234,568");
	expect_commas(-1234, "-1,234");
	expect_commas(18446744073709551616.0, "18,446,744,073,709,551,616");
}

Test(number, pixels_have_no_zeros_at_the_end)
{
	expect_pixels(53, "53");
	expect_pixels(66.5, "66.5");
	expect_pixels(3 * 12.3, "36.9");
	expect_pixels(-4.25, "-4.25");
	expect_pixels(1600054, "1600054");
}

Test(number, decimals_are_printed_without_zeros_at_the_end)
{
	expect_decimal(12, 0, "12");
	expect_decimal(1250, 2, "12.5");
	expect_decimal(1200, 2, "12");
	expect_decimal(5, 3, "0.005");
	expect_decimal(0, 3, "0");
	expect_decimal(UINT64_MAX, 19, "1.8446744073709551615");
}
