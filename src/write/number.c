/*
 * printf() would do, but for its decimal point, which is the locale's. Values are scaled
 * to whole numbers in long double, where a product with 100 is exact, rounded half to
 * even, and printed as integers. Numbers too large for that are printf()'s, without a
 * point.
 */
#include "write/number.h"

#include <inttypes.h>
#include <stdio.h>

static const uint32_t powers[] = { 1, 10, 100, 1000, 10000, 100000, 1000000 };

/* From here on we leave the digits to printf: "%.0f" has no point that a locale could
 * change, and nobody needs more than these. */
#define MANY_DIGITS 1e15

/* @value is not negative and below 2^63. */
static uint64_t round_half_even(long double value)
{
	uint64_t whole = (uint64_t)value;
	long double rest = value - whole;

	return whole + (rest > 0.5L || (rest == 0.5L && (whole & 1)));
}

double number_round(double value)
{
	/* Written so that a NaN is left as it is, too. */
	if (!(value > -MANY_DIGITS && value < MANY_DIGITS))
		return value;
	return value < 0 ? -(double)round_half_even(-value)
			 : (double)round_half_even(value);
}

double number_round_tenths(double value)
{
	if (!(value >= 0 && value < MANY_DIGITS))
		return value;
	return (double)round_half_even((long double)value * 10) / 10;
}

static bool is_beyond_digits(struct text *t, double value)
{
	if (value > -MANY_DIGITS && value < MANY_DIGITS)
		return false;
	text_printf(t, "%.0f", value);
	return true;
}

void number_fixed(struct text *t, double value, unsigned digits)
{
	uint64_t whole, rest;

	if (is_beyond_digits(t, value))
		return;
	if (__builtin_signbit(value)) {
		text_char(t, '-');
		value = -value;
	}
	/* 53 bits times 100 fit in the 64 of a long double: the product is exact. */
	whole = round_half_even((long double)value * powers[digits]);
	rest = whole % powers[digits];
	text_u64(t, whole / powers[digits]);
	if (!digits)
		return;
	text_char(t, '.');
	for (unsigned i = digits; i-- > 0; rest %= powers[i])
		text_char(t, (char)('0' + rest / powers[i]));
}

void number_pixels(struct text *t, double value)
{
	if (is_beyond_digits(t, value))
		return;
	if (value < 0) {
		text_char(t, '-');
		value = -value;
	}
	/* Six decimals of it fit in the 15 digits that a double has. */
	if (value < 1e9)
		number_decimal(t, round_half_even(value * 1e6), 6);
	else
		text_u64(t, round_half_even(value));
}

void number_commas(struct text *t, double whole)
{
	/* The largest double has 309 digits. */
	char digits[400];
	int size = snprintf(digits, sizeof(digits), "%.0f", whole < 0 ? -whole : whole);

	if (whole < 0)
		text_char(t, '-');
	for (int i = 0; i < size; i++) {
		if (i > 0 && (size - i) % 3 == 0)
			text_char(t, ',');
		text_char(t, digits[i]);
	}
}

void number_decimal(struct text *t, uint64_t value, unsigned decimals)
{
	char digits[40];
	int size;

	while (decimals > 0 && value % 10 == 0) {
		value /= 10;
		decimals--;
	}
	if (decimals == 0) {
		text_u64(t, value);
		return;
	}
	/* Zeros in front, so there is a digit before the point: 5 with 2 decimals is 005,
	 * then 0.05. */
	size = snprintf(digits, sizeof(digits), "%0*" PRIu64, (int)decimals + 1, value);
	text_add(t, digits, (size_t)size - decimals);
	text_char(t, '.');
	text_add(t, digits + size - decimals, decimals);
}
