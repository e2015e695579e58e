/*
 * Intervals that lie in one another become spans that lie side by side. They come sorted
 * by their start, like layers of paint: what begins later is on top, and where it ends
 * what is below shows again. A stack of those that are open is all that has to be kept,
 * so the work goes by their number alone.
 */
#include "base/span.h"

/* Also ends what ended before @until. */
static int paint_until(struct painter *p, uint64_t until)
{
	while (p->open.count > 0 && p->at < until) {
		struct span *top = array_last(&p->open);
		struct span *span;

		if (top->end <= p->at) {
			p->open.count--;
			continue;
		}
		span = array_add(&p->out->list);
		if (!span)
			return -ENOMEM;
		*span = (struct span){ p->at, top->end, top->id };
		if (span->end > until)
			span->end = until;
		p->at = span->end;
	}
	p->at = until;
	return 0;
}

int painter_add(struct painter *p, const struct span *in)
{
	struct span *top;

	if (in->end <= in->start)
		return 0;
	if (paint_until(p, in->start) < 0)
		return -ENOMEM;
	/* Symbols mostly begin where one ends. */
	while (p->open.count > 0 && array_last(&p->open)->end <= p->at)
		p->open.count--;
	top = array_add(&p->open);
	if (!top)
		return -ENOMEM;
	*top = *in;
	return 0;
}

int painter_finish(struct painter *p)
{
	return paint_until(p, UINT64_MAX);
}

void painter_release(struct painter *p)
{
	array_release(&p->open);
}

void spans_release(struct spans *s)
{
	array_release(&s->list);
}

const struct span *spans_find(const struct spans *s, uint64_t address)
{
	size_t low = 0, high = s->list.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->list.v[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == s->list.count || s->list.v[low].start > address)
		return NULL;
	return &s->list.v[low];
}
