/*
 * Below a DIE comes an entry of zero, which ends its children, and right behind that its
 * sibling. A walk that has been through the children has met that zero, and need not
 * look for it again:
 *
 *	f | child | child | 0 | g | ...
 *	                    ^ the walk is here: what follows is f's sibling
 *
 * .past holds that place. Where it is not known, as the children were passed over, libdw
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

/* The innermost becomes what follows its children. 1 where that is a DIE, 0 where it is
 * the end of its level. */
static int step_past(struct die_walk *w)
{
	Dwarf_Die next = { .addr = (void *)w->past, .cu = w->open[w->depth - 1].cu };

	/* Behind the unit or the section there are other bytes of the image, at least as
	 * many as levels. */
	if (*w->past == 0) {
		leave_die(w, w->past);
		return 0;
	}
	w->open[w->depth - 1] = next;
	return 1;
}

static int step_along(struct die_walk *w)
{
	Dwarf_Die next;
	int found = dwarf_siblingof(&w->open[w->depth - 1], &next);

	if (found == 0) {
		w->open[w->depth - 1] = next;
		return 1;
	}
	if (found < 0)
		return -1;
	/* Not promised by its interface, so it may be NULL. */
	leave_die(w, next.addr);
	return 0;
}

size_t die_walk_next(struct die_walk *w, bool into)
{
	int found = 0;

	if (into && go_down(w, &w->open[w->depth - 1]))
		return arrive(w);
	while (found == 0 && w->depth > 0)
		found = w->past ? step_past(w) : step_along(w);
	return found > 0 ? arrive(w) : 0;
}
