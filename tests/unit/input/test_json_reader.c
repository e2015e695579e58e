#include "input/json_reader.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static double number_of(const char *text, const char **why)
{
	struct json_reader j = json_reader_of(text, strlen(text));
	double value = json_read_number(&j);

	*why = j.why;
	cr_assert(*why || j.at == j.end, "%s", text);
	return value;
}

Test(json_reader, a_number_is_all_that_json_has_of_them)
{
	static const struct {
		const char *text;
		double value;
	} numbers[] = {
		{ "0", 0 },
		{ "-0", 0 },
		{ "30.5", 30.5 },
		{ "-12.25e2", -1225 },
		{ "1E+3", 1000 },
		{ "25e-1", 2.5 },
		{ "0.1", 0.1 },
		{ "0e99999", 0 },
		{ "1e-99999", 0 },
		{ "1e308", 1e308 },
		{ "18446744073709551616", 18446744073709551616.0 },
		{ "1234567890123456789012345678901", 1234567890123456789012345678901.0 },
		{ "0.0000000000000000000000000000001", 1e-31 },
		{ "1700000000.123456789012345678901234",
		  1700000000.123456789012345678901234 },
	};
	const char *why;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		double value = number_of(numbers[i].text, &why);

		cr_assert_null(why, "%s: %s", numbers[i].text, why);
		cr_assert_float_eq(value, numbers[i].value,
				   fabs(numbers[i].value) * 1e-15, "%s is %.17g",
				   numbers[i].text, value);
	}
}

Test(json_reader, what_is_no_number_is_none)
{
	static const char *const others[] = { "",     "-",     ".5",  "-.5e3", "1.",
					      "1.e3", "1e",    "1e+", "e5",    "nan",
					      "inf",  "1e309", "+1",  "\"1\"", "-e1" };
	const char *why;

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		cr_assert_eq(number_of(others[i], &why), 0);
		cr_assert_str_eq(why, "a number is missing", "%s", others[i]);
	}
}
