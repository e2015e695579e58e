#ifndef WRITE_PAGE_H
#define WRITE_PAGE_H

#include "base/text.h"
#include "write/class_colours.h"
#include "write/layout.h"
#include "write/write.h"

/*
 * The document around the frames: what the file begins with, the texts that stand at
 * fixed places, style and script of the viewer. It looks right with the script, the
 * style or both blocked: attributes say what has to be said.
 */
struct page {
	const struct layout *layout;
	const struct ff_graph_options *options;
	bool html; /* the document is a page around the picture */
	const char *background[2]; /* colours at the top and at the bottom */
	bool classes; /* the default look */
	bool chart; /* likewise, which are all it has */
	bool difference; /* its script and style have what these need */
	bool heat; /* likewise: its data says when it was */
	bool strip; /* the picture shows that, too */
	bool plain; /* and its background, which follows the page's */
	enum page_theme theme; /* of what is drawn where no style counts */
	const bool *used; /* by class of the default look */
	double below; /* pixels under flamegraph.pl's picture */
	uint64_t nodes, drawn, hidden; /* frames */
	double whole; /* what is 100 %, if not the root; else 0 */
	const char *description;
};

/* The viewer's style, and that of a page whose colours follow the system's. */
void page_style(struct text *t, const struct page *p);

/* The viewer's script, as it stands in the element of either form. */
void page_add_script(struct text *t, const struct page *p);

/* Everything up to the first frame. */
void page_begin(struct text *t, const struct page *p);
/* The viewer, in SVG. It begins while a browser reads what stands behind it: that of a chart is before the
 * data, of which it needs a part to show something, the other one is a part of page_end(). */
void page_viewer(struct text *t, const struct page *p);
/* Everything behind the data. */
void page_end(struct text *t, const struct page *p);

/* A picture with one sentence, complete. */
void page_error(struct text *t, const struct page *p, const char *sentence);

/* The @row'th line under flamegraph.pl's picture: where its text stands. */
double page_line(const struct page *p, unsigned row);
/* How high @rows such lines are. */
double page_lines_height(const struct layout *l, unsigned rows);

#endif
