/* Values of the tables of Abramowitz and Stegun, 26.10 and 26.1. */
#include "diff/student.h"

#include <criterion/criterion.h>
#include <math.h>

static void expect_near(double value, double expected)
{
	cr_expect(fabs(value - expected) < 1e-3 * expected, "%.9g is not %.9g", value,
		  expected);
}

Test(student, critical_values_are_those_of_tables)
{
	expect_near(student_critical(0.05, 1), 12.706);
	expect_near(student_critical(0.05, 10), 2.228);
	expect_near(student_critical(0.01, 38), 2.712);
	expect_near(student_critical(0.05, INFINITY), 1.960);
}

Test(student, probabilities_are_those_of_tables)
{
	expect_near(student_two_sided(12.706, 1), 0.05);
	expect_near(student_two_sided(-2.228, 10), 0.05);
	expect_near(student_two_sided(0.7, 10), 0.499891);
	expect_near(student_two_sided(3, INFINITY), 0.0026998);
}

Test(student, far_tails_do_not_vanish)
{
	/* 2 / (pi t) with one degree. */
	expect_near(student_two_sided(1e6, 1), 2 / M_PI / 1e6);
	cr_expect_gt(student_two_sided(20, 38), 0);
	cr_expect_eq(student_two_sided(INFINITY, 38), 0);
	cr_expect_eq(student_two_sided(NAN, 38), 1);
	cr_expect_eq(student_two_sided(0, 38), 1);
}
