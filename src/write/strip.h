#ifndef WRITE_STRIP_H
#define WRITE_STRIP_H

#include "base/text.h"
#include "weight/weight.h"
#include "write/page.h"

/*
 * The strip of time as who has no script sees it, above the frames: the viewer's columns and rows, fewer of
 * them where these are many, in four steps of colour.
 */
struct strip {
	struct text paths; /* elements, the palest first */
	struct text says; /* what a column and a cell is */
	struct text end; /* of time */
	struct text marks,
		phases; /* where these begin, a path, and which there are; "": none */
	unsigned columns, rows;
	double shown; /* columns: of the last one there may be a part */
	double row_height; /* pixels */
	double height; /* of all that is drawn, labels included; 0: nothing is */
};

/* Of options with heat that has something. 0, or -ENOMEM: to be released in either case. */
int strip_make(const struct write_options *options, const struct layout *l,
	       enum page_theme theme, struct strip *ret);
void strip_release(struct strip *s);

void strip_add(struct text *t, const struct strip *s, const struct page *p);

/* Rules of a style for pages that are dark. */
void strip_add_dark(struct text *t);

#endif
