#ifndef WRITE_PICTURE_H
#define WRITE_PICTURE_H

#include "write/change.h"
#include "write/classes.h"
#include "write/layout.h"
#include "write/nameattr.h"
#include "write/palette_map.h"
#include "write/ratio.h"
#include "write/sink.h"

/*
 * The frames of the static picture. Those that are wide enough have an element and a title
 * of their own; narrower ones are lines, a path a colour; what is too narrow for that, or
 * beyond more frames than browsers can show, is a run of neighbours: a line in a dark tint of
 * the widest of them, or grey in flamegraph.pl's colours.
 *
 *	| main                                      |
 *	| parse        | read   ||||.......||       |
 *	  titles                  lines and runs
 */
struct picture {
	const struct tree_source *in;
	const struct write_facts *facts; /* NULL: nothing is known */
	const struct ff_graph_options
		*options; /* no NULL and no 0 where there is a default */
	struct view view;
	struct layout layout;
	struct colouring colouring;
	struct nameattrs nameattrs;
	struct palette_map palette_map;
	bool classes; /* the default look, or that of a ratio */
	bool by_ratio; /* that of a ratio */
	struct ratio_scale ratio;
	enum page_theme theme; /* of what is drawn where no style counts */
	struct class_plan plan;
	const struct difference *difference; /* that it shows; NULL: see write_options */
	double most_change; /* of those that are no noise */
	struct change_moves *moves; /* of a difference, by test */
	double unit; /* values of the view are divided by it */
	double total; /* what is 100 %: the root's value or --total */

	/* picture_lay_out() */
	double least; /* narrower frames are in runs */
	double least_titled; /* narrower frames have no title */
	bool is_exact; /* the two are the same, as in flamegraph.pl */
	uint32_t rows; /* the last one that is drawn; frames beyond it are in runs, too */
	uint32_t before; /* column that the weight is compared with, or COLUMNS_MOST */
	double most_delta;
	uint64_t frames, drawn;
	uint32_t deepest; /* row */
};

/* -EINVAL with a sentence for a --minwidth that is none, or -ENOMEM. @total is set. */
int picture_lay_out(struct context *ctx, struct picture *p);

/* 0, or -ENOMEM. */
int picture_draw(struct picture *p, struct sink *sink);

/* Of a function of the input, and of a node of the view. */
uint8_t picture_class(const struct picture *p, uint32_t function);
uint8_t picture_class_of_node(const struct picture *p, uint32_t node);

double picture_value(const struct picture *p, uint64_t units);

void picture_release(struct picture *p);

#endif
