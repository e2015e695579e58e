#ifndef WRITE_RATIO_H
#define WRITE_RATIO_H

#include "base/text.h"
#include "tree/tree.h"

/*
 * What frames are coloured by where the tree has a ratio of two columns: of each frame the quotient of
 * what the two have in it and below. The scale goes from where 5 % of the own weight have less to
 * where 5 % have more, with what the whole tree has in the middle; a share's goes from 0 to 1.
 */
struct ratio_scale {
	const struct column_ratio *ratio; /* NULL: there is none */
	double *of_node; /* by node of the view; NAN: too little is known of it */
	double low, middle, high;
	bool of_time, by_time; /* the columns count ns */
};

/* 0, or -ENOMEM. @v has both columns; @unit: of its weight. */
int ratio_scale_make(const struct view *v, const char *unit, struct ratio_scale *ret);
void ratio_scale_release(struct ratio_scale *r); /* a zeroed one is fine */

/* A class of the default look, from blue to orange; where too little is known the grey one. */
uint8_t ratio_class(const struct ratio_scale *r, double value);

/* What the steps of a legend stand for: @step of RATIO_STEPS. */
enum { RATIO_STEPS = 5 };
double ratio_step(const struct ratio_scale *r, int step);

/* "1.42", "37 %", "12.5 µs" for each one, "1.73 k/s" */
void ratio_add(struct text *t, const struct ratio_scale *r, double value);

#endif
