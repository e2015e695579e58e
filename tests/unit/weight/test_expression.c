#include "weight/expression.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static struct context ctx;

/* Names are single letters, whose slots are those of the alphabet, and "start.ret", slot 26. T is a text, and
 * of A nobody knows yet. */
static int find_letter(void *arg, struct context *c, const char *name, size_t size)
{
	(void)arg;
	if (size == 1 && name[0] >= 'a' && name[0] <= 'z')
		return name[0] - 'a';
	if (size == 1 && (name[0] == 'T' || name[0] == 'A'))
		return 27 | (name[0] == 'T' ? VALUE_TEXT : VALUE_ANY);
	if (size == 9 && memcmp(name, "start.ret", size) == 0)
		return 26;
	return fail(c, -ENODATA, "no field '%.*s'", (int)size, name);
}

static int parse(const char *text, struct expression *ret)
{
	ctx.error[0] = '\0';
	return expression_parse(&ctx, (struct slice){ text, strlen(text) }, find_letter,
				NULL, ret);
}

/* Of a = 1, b = 2, ..., z = 26, start.ret = -7, T = "FF". */
static int64_t value(const char *text)
{
	struct expression e;
	int64_t slots[28], ret;

	for (int i = 0; i < 26; i++)
		slots[i] = i + 1;
	slots[26] = -7;
	slots[27] = expression_text("FF\0S", 8);
	cr_assert_eq(parse(text, &e), 0, "%s: %s", text, ctx.error);
	ret = expression_value(&e, slots);
	expression_release(&e);
	return ret;
}

struct valued {
	const char *text;
	int64_t value;
};

static void expect(const struct valued *v, size_t count)
{
	for (size_t i = 0; i < count; i++)
		cr_expect_eq(value(v[i].text), v[i].value,
			     "%s is %" PRId64 ", not %" PRId64, v[i].text,
			     value(v[i].text), v[i].value);
}

#define EXPECT(...)                                                                      \
	do {                                                                             \
		static const struct valued v_[] = { __VA_ARGS__ };                       \
		expect(v_, sizeof(v_) / sizeof(*v_));                                    \
	} while (0)
#define C(expression)                                                                    \
	{                                                                                \
#expression, expression                                                  \
	}

Test(expression, operators_are_those_of_c)
{
	/* The compiler of C says what they are. */
	EXPECT(C(7 + 3), C(7 - 3), C(7 * 3), C(7 / 3), C(7 % 3), C(-7 / 3), C(-7 % 3),
	       C(7 & 3), C(7 | 8), C(7 ^ 2), C(7 << 3), C(7 >> 1), C(7 < 3), C(3 < 7),
	       C(7 <= 7), C(7 > 3), C(7 >= 8), C(7 == 7), C(7 != 7), C(1 && 2), C(0 && 2),
	       C(0 || 0), C(0 || 5), C(!5), C(!0), C(~5), C(-5), C(- -5), C(!!5), C(-~5));
}

Test(expression, what_binds_tighter_is_that_of_c)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wparentheses"
	EXPECT(C(2 + 3 * 4), C((2 + 3) * 4), C(20 - 5 - 3), C(100 / 10 / 5),
	       C(100 / 10 * 5), C(1 << 2 + 1), C(1 + 2 << 3), C(6 & 3 == 3),
	       C((6 & 3) == 3), C(1 | 2 ^ 3 & 4), C(1 || 0 && 0), C((1 || 0) && 0),
	       C(1 < 2 == 1), C(8 >> 1 >> 1), C(3 > 2 > 1), C(-2 * -3), C(!0 + 1),
	       C(~1 & 7), C(7 - -7), C(2 * 3 + 4 * 5 - 6 / 2 % 2));
#pragma GCC diagnostic pop
}

Test(expression, numbers_are_decimal_or_hexadecimal_with_64_bits)
{
	EXPECT({ "0", 0 }, { "0x1F", 31 }, { "0Xff", 255 }, { "010", 10 },
	       { "9223372036854775807", INT64_MAX }, { "0xffffffffffffffff", -1 },
	       { "18446744073709551615", -1 }, { "-4095", -4095 });
}

Test(expression, what_is_too_large_wraps)
{
	EXPECT({ "9223372036854775807 + 1", INT64_MIN },
	       { "-9223372036854775807 - 2", INT64_MAX }, { "0x4000000000000000 * 4", 0 },
	       { "-0x8000000000000000", INT64_MIN },
	       { "0x8000000000000000 / -1", INT64_MIN }, { "0x8000000000000000 % -1", 0 },
	       { "page_round(9223372036854775807)", INT64_MIN });
}

Test(expression, a_division_by_0_is_0)
{
	EXPECT({ "7 / 0", 0 }, { "7 % 0", 0 }, { "0 / 0", 0 }, { "7 / (a - 1) + 3", 3 });
}

Test(expression, shifts_are_of_64_bits_and_keep_the_sign)
{
	EXPECT({ "1 << 63", INT64_MIN }, { "1 << 64", 1 }, { "1 << -1", INT64_MIN },
	       { "-1 >> 63", -1 }, { "-8 >> 1", -4 }, { "8 >> 1", 4 },
	       { "4096 << 2", 16384 });
}

Test(expression, comparisons_have_signs)
{
	EXPECT({ "-1 < 0", 1 }, { "0xffffffffffffffff < 0", 1 },
	       { "start.ret < 0 && start.ret >= -4095", 1 });
}

Test(expression, names_are_slots)
{
	EXPECT({ "a", 1 }, { "z - y", 1 }, { "start.ret", -7 }, { "max(0,start.ret)", 0 },
	       { "b*c+d", 10 }, { " \ta\n+ b ", 3 });
}

Test(expression, texts_are_compared)
{
	EXPECT({ "T == 'FF'", 1 }, { "T != 'FF'", 0 }, { "'FF' == T", 1 },
	       { "T == 'F'", 0 }, { "T == 'FFS'", 0 }, { "T == T", 1 },
	       { "(T) == ('FF') && a", 1 }, { "!(T == 'ab')+2", 3 },
	       { "min(T == 'FF', 2)", 1 }, { "A == 'FF'", 1 }, { "A + 1 == A + 1", 1 },
	       { "'12345678' == '12345678'", 1 }, { "'12345678' == '12345679'", 0 });
}

Test(expression, functions)
{
	EXPECT({ "min(3, 4)", 3 }, { "min(4, -3)", -3 }, { "max(3, 4)", 4 },
	       { "max ( -3 , -4 )", -3 }, { "min(1 + 2, max(5, 6) * 2)", 3 },
	       { "page_round(0)", 0 }, { "page_round(1)", 4096 },
	       { "page_round(4096)", 4096 }, { "page_round(4097)", 8192 },
	       { "-max(1, 2)", -2 });
}

Test(expression, states_of_threads_are_those_of_sched_switch)
{
	/* S D T t P I; R and R+; X Z. */
	static const int64_t blocked[] = { 1, 2, 4, 8, 0x40, 0x80, 0x101 };
	static const int64_t runnable[] = { 0, 0x100 };
	static const int64_t dead[] = { 0x10, 0x20, 0x110 };
	char text[64];

	for (size_t i = 0; i < 7; i++) {
		snprintf(text, sizeof(text), "blocked(%" PRId64 ")", blocked[i]);
		cr_expect_eq(value(text), 1, "%s", text);
		snprintf(text, sizeof(text), "runnable(%" PRId64 ")", blocked[i]);
		cr_expect_eq(value(text), 0, "%s", text);
	}
	for (size_t i = 0; i < 2; i++) {
		snprintf(text, sizeof(text),
			 "runnable(%" PRId64 ") && !blocked(%" PRId64 ")", runnable[i],
			 runnable[i]);
		cr_expect_eq(value(text), 1, "%s", text);
	}
	for (size_t i = 0; i < 3; i++) {
		snprintf(text, sizeof(text),
			 "runnable(%" PRId64 ") || blocked(%" PRId64 ")", dead[i],
			 dead[i]);
		cr_expect_eq(value(text), 0, "%s", text);
	}
}

/* Of a long one its reason is shown all the same. */
static void refused_for(const char *text, const char *why)
{
	struct expression e;

	cr_expect_eq(parse(text, &e), -EINVAL, "%.40s... is refused", text);
	cr_expect(strstr(ctx.error, why), "%s", ctx.error);
	cr_expect(expression_is_empty(&e));
}

static void refused(const char *text, const char *why)
{
	struct expression e;

	cr_expect_eq(parse(text, &e), -EINVAL, "'%s' is refused", text);
	cr_expect_str_eq(ctx.error, why);
	cr_expect(expression_is_empty(&e));
}

Test(expression, a_refusal_shows_where)
{
	refused("", "'': no value at its end");
	refused("a +", "'a +': no value at its end");
	refused("a b", "'a b': no operator at 'b'");
	refused("a = b", "'a = b': no operator at '= b'");
	refused("(a", "'(a': no ')' at its end");
	refused("a)", "'a)': no operator at ')'");
	refused("()", "'()': no value at ')'");
	refused("* 2", "'* 2': no value at '* 2'");
	refused("min 1", "'min 1': no '(' at '1'");
	refused("min(1)", "'min(1)': no second value at ')'");
	refused("min(1, 2", "'min(1, 2': no ')' at its end");
	refused("blocked(1, 2)", "'blocked(1, 2)': no ')' at ', 2)'");
	refused("0x", "'0x': not a number at its end");
	refused("0xg", "'0xg': not a number at 'g'");
	refused("12ab", "'12ab': not a number of 64 bits at 'ab'");
	refused("18446744073709551616",
		"'18446744073709551616': not a number of 64 bits at '6'");
	refused("0x10000000000000000",
		"'0x10000000000000000': not a number of 64 bits at '0'");
	refused("a $ b", "'a $ b': no operator at '$ b'");
	refused("1.5", "'1.5': no operator at '.5'");
}

Test(expression, a_text_is_nothing_but_compared)
{
	static const char number[] = ": a text is compared with a number";
	static const char only[] = ": a text is only compared, by == or !=, with another";
	static const char none[] = ": not a text of 1 to 8 characters, without spaces";

	refused("T == 1 || a",
		"'T == 1 || a': a text is compared with a number at ' || a'");
	refused_for("a == 'FF'", number);
	refused_for("'a' != min(1, 2)", number);
	refused_for("T == (a + 1)", number);
	refused_for("T == 'FF' == 'FF'", number);
	refused_for("T", only);
	refused_for("'FF'", only);
	refused_for("!T", only);
	refused_for("-'FF'", only);
	refused_for("T + 1", only);
	refused_for("1 + (T)", only);
	refused_for("T < 'FF'", only);
	refused_for("T && a", only);
	refused_for("a && T", only);
	refused_for("A && T", only);
	refused_for("page_round(T)", only);
	refused_for("max(1, T)", only);
	refused_for("T == ''", none);
	refused_for("T == '123456789'", none);
	refused_for("T == 'a b'", none);
	refused_for("T == 'FF", none);
	refused_for("T == '", none);
}

Test(expression, a_name_that_is_not_known_says_so_itself)
{
	struct expression e;

	cr_expect_eq(parse("1 + foo", &e), -ENODATA);
	cr_expect_str_eq(ctx.error, "no field 'foo'");
	cr_expect(expression_is_empty(&e));
}

/* @count times @text, then @middle, then as often @end. */
static const char *around(const char *text, const char *middle, const char *end,
			  size_t count)
{
	static char made[1 << 17];
	size_t size = 0;

	for (size_t i = 0; i < count; i++)
		size += (size_t)sprintf(made + size, "%s", text);
	size += (size_t)sprintf(made + size, "%s", middle);
	for (size_t i = 0; i < count; i++)
		size += (size_t)sprintf(made + size, "%s", end);
	return made;
}

Test(expression, depth_has_a_limit)
{
	static const char deep[] = ": it is too deep at '";

	cr_expect_eq(value(around("(", "7", ")", 15)), 7);
	cr_expect_eq(value(around("!", "7", "", 30)), 1);
	for (size_t count = 32; count <= 8192; count *= 16) {
		refused_for(around("(", "7", ")", count), deep);
		refused_for(around("~", "7", "", count), deep);
		refused_for(around("min(1,", "7", ")", count), deep);
		refused_for(around("a&&(b||", "7", ")", count), deep);
	}
}

Test(expression, length_has_a_limit)
{
	/* 64 values and 63 operators; one more pair are 129 steps. */
	cr_expect_eq(value(around("1+", "1", "", 63)), 64);
	refused_for(around("1+", "1", "", 64), ": it is too long at its end");
	refused_for(around("1+", "1", "", 8192), ": it is too long at '");
}

Test(expression, what_has_no_steps_is_0)
{
	struct expression e = { 0 };

	cr_expect(expression_is_empty(&e));
	cr_expect_eq(expression_value(&e, NULL), 0);
	expression_release(&e);
}
