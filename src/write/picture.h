#ifndef WRITE_PICTURE_H
#define WRITE_PICTURE_H

#include "write/classes.h"
#include "write/layout.h"
#include "write/nameattr.h"
#include "write/palette_map.h"
#include "write/sink.h"
#include "write/view.h"

/*
 * The frames of the static picture. Those that are wide enough have an element and a title
 * of their own; narrower ones are lines, a path a colour; what is too narrow for that, or
 * beyond more frames than browsers can show, is grey, neighbours together:
 *
 *	| main                                      |
 *	| parse        | read   ||||.......||       |
 *	  titles                  lines and grey
 */
struct picture {
	const struct write_input *in;
	const struct svg_options *options; /* no NULL and no 0 where there is a default */
	struct view view;
	struct layout layout;
	struct colouring colouring;
	struct nameattrs nameattrs;
	struct palette_map palette_map;
	bool classes; /* the default look */
	bool only_text; /* see struct class_subject */
	double unit; /* values of the view are divided by it */
	double total; /* what is 100 %: the root's value or --total */

	/* picture_lay_out() */
	double least; /* narrower frames are grey */
	double least_titled; /* narrower frames have no title */
	bool is_exact; /* the two are the same, as in flamegraph.pl */
	uint32_t rows; /* the last one that is drawn; frames beyond it are grey, too */
	double most_delta;
	uint64_t frames, drawn;
	uint32_t deepest; /* row */
};

/* -EINVAL with a sentence for a --minwidth that is none, or -ENOMEM. @total is set. */
int picture_lay_out(struct context *ctx, struct picture *p);

/* 0, or -ENOMEM. */
int picture_draw(struct picture *p, struct sink *sink);

/* What the data says of frames' colours in the file's own look. */
struct class_subject picture_subject(const struct picture *p, uint32_t function);

double picture_value(const struct picture *p, uint64_t units);

void picture_release(struct picture *p);

#endif
