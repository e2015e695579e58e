#ifndef WRITE_LEGEND_H
#define WRITE_LEGEND_H

#include "write/page.h"
#include "write/picture.h"

/*
 * What the picture says in words: a sentence for those who cannot see it, which colour is
 * what, and what is not shown or not known.
 */
struct legend {
	struct text description;
	struct text colours; /* elements, "": none */
	struct text note;
};

/* 0, or -ENOMEM. The picture has been laid out. */
int legend_make(const struct picture *p, struct legend *ret);
void legend_release(struct legend *l);

/* Lines under flamegraph.pl's picture that are needed. */
unsigned legend_rows(const struct legend *l);

void legend_add(struct text *t, const struct legend *l, const struct page *p);

#endif
