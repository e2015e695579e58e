#ifndef WRITE_SWATCH_H
#define WRITE_SWATCH_H

#include "base/text.h"

/* In a legend: a square of one colour, and what that means behind it. */
struct swatch {
	double x, y; /* of the letters' line */
	double size; /* of the letters, and of the square */
	const char *label; /* NULL: there was no memory for it */
};

/* @look: attributes of the square. Where it failed @t has, too. */
void swatch_add(struct text *t, const struct swatch *s, const struct text *look);

#endif
