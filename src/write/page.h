#ifndef WRITE_PAGE_H
#define WRITE_PAGE_H

#include "base/text.h"
#include "write/layout.h"

/*
 * The picture around the frames: what the file begins with, the texts that stand at
 * fixed places, style and script of the viewer. It looks right with the script, the
 * style or both blocked: attributes say what has to be said.
 */
struct page {
	const struct layout *layout;
	const char *title, *subtitle, *notes, *fonttype, *nametype;
	const char *background[2]; /* colours at the top and at the bottom */
	bool declare_encoding;
};

/* Everything up to the first frame. */
void page_begin(struct text *t, const struct page *p);
void page_end(struct text *t);

/* A picture with one sentence, complete. */
void page_error(struct text *t, const struct page *p, const char *sentence);

#endif
