#include "object/line.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "object/span.h"

struct line {
	Dwarf *dwarf;
	const struct object *o;
	ARRAY(struct span) ranges; /* id: index in units */
	ARRAY(Dwarf_Off) units; /* DIE offsets */
	struct spans spans;
};

/* Linkers leave the ranges of functions they dropped at address 0 or thereabouts:
 * what is no code of the object is none of those. */
static int add_range(struct line *l, uint32_t unit, uint64_t low, uint64_t high)
{
	struct span *range;

	if (high <= low || !object_is_code(l->o, low))
		return 0;
	range = array_add(&l->ranges);
	if (!range)
		return -ENOMEM;
	*range = (struct span){ low, high, unit };
	return 0;
}

/* 1 where the DIE had ranges, 0, or -ENOMEM. */
static int add_ranges_of(struct line *l, uint32_t unit, Dwarf_Die *die)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;
	int found = 0;

	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		if (add_range(l, unit, low, high) < 0)
			return -ENOMEM;
		found = 1;
	}
	return found;
}

/* A unit that does not say what it covers: its functions do. */
static int add_functions(struct line *l, uint32_t unit, Dwarf_Die *cu)
{
	Dwarf_Die child;

	if (dwarf_child(cu, &child) != 0)
		return 0;
	do {
		if (dwarf_tag(&child) == DW_TAG_subprogram &&
		    add_ranges_of(l, unit, &child) < 0)
			return -ENOMEM;
	} while (dwarf_siblingof(&child, &child) == 0);
	return 0;
}

static int add_unit(struct line *l, Dwarf_Die *cu)
{
	Dwarf_Off *unit = array_add(&l->units);
	uint32_t index = (uint32_t)l->units.count - 1;
	int found;

	if (!unit)
		return -ENOMEM;
	*unit = dwarf_dieoffset(cu);
	found = add_ranges_of(l, index, cu);
	return found == 0 ? add_functions(l, index, cu) : found;
}

static int read_units(struct line *l)
{
	Dwarf_Off at = 0, next;
	size_t header;

	while (dwarf_nextcu(l->dwarf, at, &next, &header, NULL, NULL, NULL) == 0) {
		Dwarf_Die cu;

		if (dwarf_offdie(l->dwarf, at + header, &cu) && add_unit(l, &cu) < 0)
			return -ENOMEM;
		if (next <= at)
			break;
		at = next;
	}
	return 0;
}

/* Several units claim a function that was compiled into each: the first one has it. */
static int compare(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return x->id > y->id ? -1 : x->id < y->id;
}

static int paint_ranges(struct line *l)
{
	struct painter painter = { .out = &l->spans };
	int err = 0;

	if (l->ranges.count > 0)
		qsort(l->ranges.v, l->ranges.count, sizeof(*l->ranges.v), compare);
	for (size_t i = 0; i < l->ranges.count && err == 0; i++)
		err = painter_add(&painter, &l->ranges.v[i]);
	if (err == 0)
		err = painter_finish(&painter);
	painter_release(&painter);
	return err;
}

int line_open(const struct object *o, const struct object *debug, struct line **ret)
{
	struct line *l = calloc(1, sizeof(*l));
	int err;

	if (!l)
		return -ENOMEM;
	l->o = o;
	l->dwarf = dwarf_begin_elf(debug->elf, DWARF_C_READ, NULL);
	err = l->dwarf ? read_units(l) : -ENODATA;
	if (err == 0)
		err = paint_ranges(l);
	array_release(&l->ranges);
	if (err < 0) {
		line_close(l);
		return err;
	}
	*ret = l;
	return 0;
}

void line_close(struct line *l)
{
	if (!l)
		return;
	dwarf_end(l->dwarf);
	array_release(&l->ranges);
	array_release(&l->units);
	spans_release(&l->spans);
	free(l);
}

bool line_find(const struct line *l, uint64_t address, struct text *out)
{
	const struct span *span = spans_find(&l->spans, address);
	const char *path, *slash;
	Dwarf_Line *line;
	Dwarf_Die cu;
	int number;

	if (!span || !dwarf_offdie(l->dwarf, l->units.v[span->id], &cu))
		return false;
	line = dwarf_getsrc_die(&cu, address);
	if (!line || dwarf_lineno(line, &number) != 0 || number <= 0)
		return false;
	path = dwarf_linesrc(line, NULL, NULL);
	if (!path)
		return false;
	slash = strrchr(path, '/');
	text_printf(out, "%s:%d", slash ? slash + 1 : path, number);
	return true;
}
