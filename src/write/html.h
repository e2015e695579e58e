#ifndef WRITE_HTML_H
#define WRITE_HTML_H

#include "write/page.h"

/* What stands around the picture in a page of its own: up to the picture, and behind it. */
void html_begin(struct text *t, const struct page *p);
void html_end(struct text *t, const struct page *p);

#endif
