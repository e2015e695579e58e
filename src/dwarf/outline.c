/*
 * A file has DIEs in preorder, and scopes are added in that order. So they are sorted by
 * where they lie, and the last one that begins at or before a DIE is the DIE itself, or
 * the innermost scope of the outline that it can be in. From that scope down, the child
 * around the DIE is searched for at each level. Cost: a bisection, and a pass over the
 * children on the way down.
 */
#include "dwarf/outline.h"

#include <dwarf.h>
#include <errno.h>

#include "dwarf/die_walk.h"

enum {
	BYTES_A_STEP = 16,
	MOST_SCOPES = 1 << 20, /* of a unit; names of a hostile one lack some */
};

void outline_begin(struct outline *o, struct Dwarf_CU *cu)
{
	o->cu = cu;
	o->scopes.count = 0;
}

void outline_release(struct outline *o)
{
	array_release(&o->scopes);
	*o = (struct outline){ 0 };
}

bool outline_goes_into(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module;
}

bool outline_has(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_subprogram:
		return true;
	default:
		return false;
	}
}

int outline_add(struct outline *o, const Dwarf_Die *die, uint32_t parent)
{
	struct scope *scope;

	if (o->scopes.count >= MOST_SCOPES)
		return 0;
	scope = array_add(&o->scopes);
	if (!scope)
		return -ENOMEM;
	*scope = (struct scope){ die->addr, parent };
	return 0;
}

int outline_read(struct outline *o, Dwarf_Die *cu, struct debug_meter *meter)
{
	uint32_t inside[DIE_DEPTH_MOST + 1] = { SCOPE_NONE };
	struct die_walk w;
	size_t depth;

	outline_begin(o, cu->cu);
	depth = die_walk_begin(&w, cu, meter);
	while (depth > 0) {
		Dwarf_Die *die = &w.open[depth - 1];
		int tag = dwarf_tag(die);

		if (outline_has(tag) && outline_add(o, die, inside[depth - 1]) < 0)
			return -ENOMEM;
		if (outline_goes_into(tag))
			inside[depth] = (uint32_t)o->scopes.count - 1;
		depth = die_walk_next(&w, outline_goes_into(tag));
	}
	return 0;
}

/* From the unit to a scope, and with it. */
static size_t add_scopes(const struct outline *o, uint32_t scope, Dwarf_Die *path,
			 size_t most)
{
	size_t count = 0, at;

	for (uint32_t i = scope; i != SCOPE_NONE; i = o->scopes.v[i].parent)
		count++;
	if (count > most)
		return 0;
	at = count;
	for (uint32_t i = scope; i != SCOPE_NONE; i = o->scopes.v[i].parent)
		path[--at] =
			(Dwarf_Die){ .addr = (void *)o->scopes.v[i].die, .cu = o->cu };
	return count;
}

size_t outline_path(const struct outline *o, const Dwarf_Die *die, Dwarf_Die *path,
		    size_t most, struct debug_meter *meter)
{
	const uint8_t *at = die->addr;
	size_t low = 0, high = o->scopes.count, count;
	uint32_t scope;

	/* The last scope that begins at or before the DIE. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (o->scopes.v[middle].die <= at)
			low = middle + 1;
		else
			high = middle;
	}
	scope = low ? (uint32_t)low - 1 : SCOPE_NONE;
	if (scope != SCOPE_NONE && o->scopes.v[scope].die == at)
		return add_scopes(o, o->scopes.v[scope].parent, path, most);
	count = add_scopes(o, scope, path, most);
	/* From there down, the child that is the DIE or has it below it. */
	while (count > 0 && count < most) {
		Dwarf_Die child, next;

		if (dwarf_child(&path[count - 1], &child) != 0 ||
		    (const uint8_t *)child.addr > at)
			return 0;
		while (dwarf_siblingof(&child, &next) == 0 &&
		       (const uint8_t *)next.addr <= at) {
			const uint8_t *from = child.addr, *to = next.addr;

			if (to <= from ||
			    !debug_meter_add(meter,
					     1 + (uint64_t)(to - from) / BYTES_A_STEP))
				return 0;
			child = next;
		}
		if (child.addr == at)
			return count;
		path[count++] = child;
	}
	return 0;
}
