#ifndef WRITE_CHANGE_H
#define WRITE_CHANGE_H

#include "base/bytes.h"
#include "diff/diff.h"
#include "write/colour.h"

/* How a picture shows a difference whose noise is known. Nodes of views are those of its tree. */

/* Boxes are as wide as what the larger side has: the view is given these weights. 0, or -ENOMEM. */
int change_widen(const struct difference *d, struct view *v);

/* The largest of the differences that are no noise, or 0. */
double change_most(const struct difference *d);

struct colour change_colour(const struct difference *d, uint32_t node, double most);
/* Is the node on one side only, and that no noise, or that what it is below is? */
bool change_is_new(const struct difference *d, uint32_t node);
bool change_is_gone(const struct difference *d, uint32_t node);

/* How much more and less there is within each node, by the changes in it that are no noise, in parts
 * of the whole: each counts once, where it was found deepest. */
struct change_moves {
	double more, less;
};

/* *@ret: by test of the difference, to be freed. 0, or -ENOMEM. */
int change_find_moves(const struct difference *d, struct change_moves **ret);
/* Those of a node, of what was found. */
struct change_moves change_moves_of(const struct difference *d,
				    const struct change_moves *all, uint32_t node);
/* Is there about as much of both, so that their sum tells little of it? */
bool change_is_moved(const struct change_moves *m);

/* Attributes of what has an outline, of the lines over what is gone, and of the strips along what has
 * moved within a frame: of how much more, and how much less. */
#define CHANGE_NEW " stroke=\"#000\" stroke-width=\"1.5\""
#define CHANGE_GONE "fill=\"url(#gone-lines)\" pointer-events=\"none\""
#define CHANGE_MORE "fill=\"#b34700\" pointer-events=\"none\""
#define CHANGE_LESS "fill=\"#1f5fa8\" pointer-events=\"none\""

/* The pattern of these lines. */
void change_add_pattern(struct text *t);

/* "A 12.30 %, B 15.10 %: ▲ +2.80 points ± 0.90, q 0.001"; where it is noise, what would have been
 * found, too. */
void change_add_title(struct text *t, const struct difference *d, uint32_t node);
/* A sign and how much, behind a name; nothing where it is noise. */
void change_add_label(struct text *t, const struct difference *d, uint32_t node);

/* What the colours mean, with numbers: elements in a line at @y, letters of @size. */
void change_add_legend(struct text *t, const struct difference *d, double y, double size);
/* What has changed, in sentences, for those who cannot see it. 0, or -ENOMEM. */
int change_describe(struct text *t, const struct difference *d);

/* For the viewer: of each node that was tested what is known of its noise, with all below it and by
 * itself. @data: the view that is written, with B's weights. */
void change_add_measures(struct bytes *all, struct bytes *own, const struct difference *d,
			 const struct view *data);

#endif
