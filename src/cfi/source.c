/*
 * Entries lie in the order in which the linker met them, so functions are sorted by
 * their beginning first. In nearly every object they are disjoint then, which one pass
 * finds out while it makes the spans; only else are they painted over one another.
 *
 * A second section is laid behind the first: both lists are sorted, and one pass over
 * them puts into each hole of the first what the second has there, in O(m + n).
 */
#include "cfi/source.h"

#include <errno.h>

#include "base/keyed.h"

static bool add_span(struct spans *to, uint64_t start, uint64_t end, uint32_t id)
{
	struct span *span = array_add(&to->list);

	if (span)
		*span = (struct span){ start, end, id };
	return span;
}

/* Of functions that overlap the one that starts later wins, and the other goes on behind
 * it. */
static int cut_overlaps(struct cfi_source *s)
{
	size_t count = s->functions.count;
	struct keyed *order = malloc((count + 1) * sizeof(*order));
	struct painter painter = { .out = &s->spans };
	const struct cfi_fde *fde;
	bool overlap = false;
	uint64_t end = 0;
	int err = -ENOMEM;

	if (!order || !array_reserve(&s->spans.list, count))
		goto out;
	for (size_t i = 0; i < count; i++)
		order[i] = (struct keyed){ s->functions.v[i].start, (uint32_t)i };
	err = keyed_sort(order, count);
	if (err < 0)
		goto out;
	for (size_t i = 0; i < count && !overlap; i++) {
		fde = &s->functions.v[order[i].id];
		overlap = fde->start < end;
		end = fde->end;
		s->spans.list.v[i] = (struct span){ fde->start, end, order[i].id };
	}
	if (!overlap) {
		s->spans.list.count = count;
		goto out;
	}
	for (size_t i = 0; i < count && err == 0; i++) {
		fde = &s->functions.v[order[i].id];
		err = painter_add(&painter,
				  &(struct span){ fde->start, fde->end, order[i].id });
	}
	if (err == 0)
		err = painter_finish(&painter);
	painter_release(&painter);
out:
	free(order);
	return err;
}

int cfi_source_read(struct cfi_source *s, const struct cfi_columns *columns,
		    const struct code_ranges *code)
{
	struct cfi_fde fde, *added;
	int err;

	cfi_reader_open(&s->reader, columns, &s->section);
	while ((err = cfi_reader_next(&s->reader, &fde)) == 1) {
		if (!code_ranges_clip(code, fde.start, &fde.end)) {
			s->reader.refused++;
			continue;
		}
		added = array_add(&s->functions);
		if (!added)
			return -ENOMEM;
		*added = fde;
	}
	return err < 0 ? err : cut_overlaps(s);
}

void cfi_source_release(struct cfi_source *s)
{
	cfi_reader_release(&s->reader);
	cfi_section_release(&s->section);
	array_release(&s->functions);
	spans_release(&s->spans);
}

/* The part of @from that lies in the hole from @start to @end; spans before @at end
 * below. */
static bool fill_hole(struct spans *to, const struct spans *from, size_t *at,
		      struct span hole)
{
	for (; *at < from->list.count; ++*at) {
		struct span part = from->list.v[*at];

		if (part.start >= hole.end)
			return true;
		if (part.start < hole.start)
			part.start = hole.start;
		if (part.end > hole.end)
			part.end = hole.end;
		if (part.start < part.end &&
		    !add_span(to, part.start, part.end, part.id + hole.id))
			return false;
		if (from->list.v[*at].end > hole.end)
			return true;
	}
	return true;
}

int spans_fill(struct spans *to, const struct spans *from, uint32_t tag)
{
	struct spans all = { 0 };
	struct span hole = { 0, 0, tag };
	size_t at = 0;
	bool fine = true;

	if (from->list.count == 0)
		return 0;
	if (!array_reserve(&all.list, to->list.count + from->list.count))
		return -ENOMEM;
	for (size_t i = 0; i < to->list.count && fine; i++) {
		const struct span *span = &to->list.v[i];

		hole.end = span->start;
		fine = fill_hole(&all, from, &at, hole) &&
		       add_span(&all, span->start, span->end, span->id);
		hole.start = span->end;
	}
	hole.end = UINT64_MAX;
	fine = fine && fill_hole(&all, from, &at, hole);
	if (!fine) {
		spans_release(&all);
		return -ENOMEM;
	}
	spans_release(to);
	*to = all;
	return 0;
}
