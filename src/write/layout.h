#ifndef WRITE_LAYOUT_H
#define WRITE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Where things are in the picture, in pixels. Pure arithmetic, in the order in which
 * flamegraph.pl does it, so that the last digit is the same.
 *
 *	         | 10                                     10 |
 *	    ypad1|                  title                    |
 *	   [ypad3|                 subtitle                  |]
 *	   [above|             strip of time                 |]
 *	         | [f]                                       |
 *	   height| [   main      ][       ]                  |
 *	   height| [            all                        ] |
 *	    ypad2| details                           matched |
 */
struct layout {
	unsigned width, frame_height;
	double font_size, font_width;
	bool inverted; /* the root is at the top */
	bool subtitle;
	double above; /* pixels, for what is over the frames */
	double total; /* what spans the whole width */

	/* layout_init() */
	double ypad1, ypad2, ypad3;
	double per_value; /* pixels */
	double height;
};

#define LAYOUT_XPAD 10

/* Everything but the height; the fields above are set by the caller. */
void layout_init(struct layout *l);

/* @depth: of the deepest frame drawn, the root's is 0. */
void layout_set_depth(struct layout *l, uint32_t depth);

/* @minwidth: pixels, or a percentage with a % behind. False where it is neither. */
bool layout_least_value(const struct layout *l, const char *minwidth, double *ret);

struct box {
	double x1, x2, y1, y2;
};

/* Where that which is over the frames begins. */
double layout_above(const struct layout *l);

struct box layout_frame(const struct layout *l, uint32_t depth, double start, double end);

/* How many characters fit in, at most UINT32_MAX. */
size_t layout_characters(const struct layout *l, const struct box *box);

#endif
