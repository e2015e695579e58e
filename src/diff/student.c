/*
 * Two-sided probabilities of t are values of the incomplete beta function (Abramowitz and Stegun,
 * 26.5.27), which a continued fraction gives to the last digits in some ten steps (26.5.8, by
 * Lentz's method). Critical values are searched for: they are asked for once a comparison.
 */
#include "diff/student.h"

#include <math.h>

/* The continued fraction of the incomplete beta function. */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300, enough = 1e-15;
	double c = 1, d = 1 - (a + b) * x / (a + 1), h;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	h = d;
	for (int m = 1; m <= 500; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		const double terms[] = { even, odd };
		double step = 1;

		for (int i = 0; i < 2; i++) {
			d = 1 + terms[i] * d;
			c = 1 + terms[i] / c;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = fabs(c) < tiny ? tiny : c;
			step = d * c;
			h *= step;
		}
		if (fabs(step - 1) < enough)
			break;
	}
	return h;
}

/* lgamma() leaves its sign in a variable that all threads share. */
static double log_gamma(double x)
{
	int sign;

	return lgamma_r(x, &sign);
}

double student_two_sided(double t, double freedom)
{
	const double b = 0.5;
	double a = freedom / 2, x, front;

	t = fabs(t);
	if (isnan(t) || t == 0)
		return 1;
	if (isinf(t))
		return 0;
	/* From there on the two are the same to six digits. */
	if (isinf(freedom) || freedom > 1e6)
		return erfc(t / sqrt(2));
	x = freedom / (freedom + t * t);
	front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) +
		    b * log1p(-x));
	/* The fraction converges fast on one side of the mean only. */
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_critical(double probability, double freedom)
{
	double low = 0, high = 1;

	while (student_two_sided(high, freedom) > probability && high < 1e12)
		high *= 2;
	for (int i = 0; i < 100; i++) {
		double middle = (low + high) / 2;

		if (student_two_sided(middle, freedom) > probability)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}
