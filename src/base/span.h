#ifndef BASE_SPAN_H
#define BASE_SPAN_H

#include "base/array.h"

/*
 * Intervals that overlap -> spans that do not. The innermost interval wins, and
 * what lies around it goes on after it:
 *
 *	outer   |---------------------|
 *	inner         |-----|
 *	spans   |outer|inner|outer----|
 */
struct span {
	uint64_t start, end; /* end exclusive */
	uint32_t id;
};

struct spans {
	ARRAY(struct span) list; /* by start, disjoint */
};

void spans_release(struct spans *s);

/* Paints intervals that come sorted by start; of equal starts the last one is the
 * innermost. A zeroed one is ready. */
struct painter {
	struct spans *out;
	ARRAY(struct span) open; /* outermost first */
	uint64_t at; /* everything below is painted */
};

/* 0, or -ENOMEM. */
int painter_add(struct painter *p, const struct span *in);
int painter_finish(struct painter *p);
void painter_release(struct painter *p);

/* The span that holds @address, from span *@at on, which moves: ask in ascending order.
 * NULL where none does. */
static inline const struct span *spans_next(const struct spans *s, uint64_t address,
					    size_t *at)
{
	while (*at < s->list.count && s->list.v[*at].end <= address)
		++*at;
	if (*at == s->list.count || s->list.v[*at].start > address)
		return NULL;
	return &s->list.v[*at];
}

/* The same for one address, by bisection. */
const struct span *spans_find(const struct spans *s, uint64_t address);

#endif
