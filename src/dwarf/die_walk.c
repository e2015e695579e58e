/*
 * Below a DIE comes an entry of zero, which ends its children, and right behind that its
 * sibling. A walk that has been through the children has met that zero, and need not
 * look for it again:
 *
 *	f | child | child | 0 | g | ...
 *	                    ^ the walk is here: what follows is f's sibling
 *
 * .past points there. Where that is not known, as the children were passed over, libdw
 * finds the sibling. Each step goes forward in the file, or the walk ends: broken
 * siblings cannot lead it around in a circle.
 */
#include "dwarf/die_walk.h"

#include <dwarf.h>

enum { BYTES_A_STEP = 16 };

/* The walk goes forward only, so it ends, at the latest behind the unit, where there is
 * no DIE. */
static size_t arrive(struct die_walk *w)
{
	const uint8_t *at = w->open[w->depth - 1].addr;
	const uint8_t *before = w->at;

	w->past = NULL;
	w->at = at;
	if (at <= before || dwarf_tag(&w->open[w->depth - 1]) == DW_TAG_invalid)
		return 0;
	if (!debug_meter_add(w->meter, 1 + (uint64_t)(at - before) / BYTES_A_STEP))
		return 0;
	return w->depth;
}

static bool go_down(struct die_walk *w, Dwarf_Die *from)
{
	Dwarf_Die child;

	if (w->depth == DIE_DEPTH_MOST || dwarf_child(from, &child) != 0)
		return false;
	w->open[w->depth++] = child;
	return true;
}

size_t die_walk_begin(struct die_walk *w, Dwarf_Die *top, struct debug_meter *meter)
{
	w->depth = 0;
	w->past = NULL;
	w->at = top->addr;
	w->meter = meter;
	return go_down(w, top) ? arrive(w) : 0;
}

/* At the entry of zero that ends the children of a DIE: what follows is its sibling. */
static void leave_die(struct die_walk *w, const uint8_t *zero)
{
	w->past = zero ? zero + 1 : NULL;
	w->depth--;
}

size_t die_walk_next(struct die_walk *w, bool into)
{
	if (into && go_down(w, &w->open[w->depth - 1]))
		return arrive(w);
	while (w->depth > 0) {
		Dwarf_Die *innermost = &w->open[w->depth - 1], next;
		int found;

		/* Behind the unit or the section there are other bytes of the image, at
		 * least as many as levels, so this can be looked at. */
		if (w->past && *w->past == 0) {
			leave_die(w, w->past);
			continue;
		}
		if (w->past) {
			*innermost = (Dwarf_Die){ .addr = (void *)w->past,
						  .cu = innermost->cu };
			return arrive(w);
		}
		found = dwarf_siblingof(innermost, &next);
		if (found < 0)
			return 0;
		if (found == 0) {
			*innermost = next;
			return arrive(w);
		}
		/* Where the zero is, libdw tells, but does not promise: it may be NULL. */
		leave_die(w, next.addr);
	}
	return 0;
}
