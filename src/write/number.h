#ifndef WRITE_NUMBER_H
#define WRITE_NUMBER_H

#include "base/text.h"

/*
 * Numbers as text. Every one is the same in any locale, and rounded as printf does
 * it: the exact binary value, half to even.
 */

/* "%.*f"; at most 2 digits behind the point. */
void number_fixed(struct text *t, double value, unsigned digits);

/* A size in pixels as Perl prints it: "53", "66.5". */
void number_pixels(struct text *t, double value);

/* A whole number, "1,234,568". */
void number_commas(struct text *t, double whole);

/* @value units of 10^-@decimals, at most 19, without zeros at the end. */
void number_decimal(struct text *t, uint64_t value, unsigned decimals);

/* To the next whole number, half to even. */
double number_round(double value);

/* The value of what number_fixed() prints with one digit. */
double number_round_tenths(double value);

#endif
