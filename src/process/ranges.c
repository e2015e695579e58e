/*
 * A range that is added takes in those that it touches, so that ranges stay apart and a
 * bisection finds them. There are at most RANGES_MOST, since adding one moves what lies
 * behind it. More than that, or no memory, is taken for all addresses: who asks whether
 * something may overlap is told yes, which costs time and is never wrong.
 *
 *	before    |--a--|  |--b--|     |--c--|
 *	added         |------|
 *	after     |--------------|     |--c--|
 */
#include "process/ranges.h"

enum {
	RANGES_MOST = 1024, /* to add one moves those behind it */
};

void ranges_release(struct ranges *r)
{
	array_release(&r->list);
	r->all = false;
}

/* The first one that ends at or behind @address. */
static size_t first_reaching(const struct ranges *r, uint64_t address)
{
	size_t low = 0, high = r->list.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->list.v[middle].end < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool ranges_overlap(const struct ranges *r, uint64_t start, uint64_t end)
{
	/* Ends are exclusive: a range that ends at @start has none of the addresses.
	 * ranges_add() asks with @start itself, so that ranges which touch become one. */
	size_t i = first_reaching(r, start + 1);

	return r->all || (i < r->list.count && r->list.v[i].start < end);
}

void ranges_add(struct ranges *r, uint64_t start, uint64_t end)
{
	size_t i = first_reaching(r, start), joined = 0, behind;

	if (r->all)
		return;
	for (; i + joined < r->list.count && r->list.v[i + joined].start <= end;
	     joined++) {
		const struct range *with = &r->list.v[i + joined];

		if (with->start < start)
			start = with->start;
		if (with->end > end)
			end = with->end;
	}
	if (joined == 0 &&
	    (r->list.count == RANGES_MOST || !array_reserve(&r->list, 1))) {
		ranges_release(r);
		r->all = true;
		return;
	}
	/* One takes the place of those that it has joined. */
	behind = r->list.count - i - joined;
	memmove(&r->list.v[i + 1], &r->list.v[i + joined], behind * sizeof(*r->list.v));
	r->list.count = i + 1 + behind;
	r->list.v[i] = (struct range){ start, end };
}
