/*
 * The walk keeps, for each depth, which of the sorted addresses can still be in it: a
 * range [first, last) of their indexes. The ranges of a DIE narrow that by bisection,
 * and every address in them is given to that call. Children come behind their parents,
 * so the innermost call is the last to write. A DIE that holds none of the addresses is
 * not gone into: that is nearly all of a unit.
 *
 *	depth 0   unit          0 ......... 9
 *	depth 1   main              3 ... 7
 *	depth 2     f                 4 5
 *
 * The first walk takes functions where C and C++ have them, in namespaces. For addresses
 * that it leaves over, if there are any, a second one goes into everything that can hold
 * a function. What the abbreviation of a DIE says (it has no addresses; it is a
 * declaration) is remembered by its code, because it holds for thousands.
 */
#include "dwarf/calls.h"

#include <dwarf.h>
#include <errno.h>
#include <string.h>

enum { ADDRESSES_A_STEP = 16 };

void debug_calls_release(struct debug_calls *c)
{
	array_release(&c->asked.addresses);
	array_release(&c->asked.innermost);
	array_release(&c->rest.addresses);
	array_release(&c->rest.innermost);
	array_release(&c->rest_indexes);
	array_release(&c->list);
}

enum cover {
	COVER_UNKNOWN, /* it has no ranges */
	COVER_NOTHING,
	COVER_SOME,
};

/* The code of a DIE's abbreviation; 0 where it is a large one. */
static unsigned lowest_code(const Dwarf_Die *die)
{
	const uint8_t *p = die->addr;
	unsigned code = p[0] < 0x80 ? p[0] : (p[0] & 0x7fu) | (unsigned)p[1] << 7;

	return code < CALL_CODES ? code : 0;
}

/* Gives the addresses in the ranges of a DIE to @call, unless that is CALL_NONE, and
 * leaves those around them all in @in. */
static enum cover cover(struct debug_calls *c, struct die_facts *facts, uint32_t call,
			struct call_scope *in)
{
	uint32_t first = in->last, last = in->first;
	uint64_t low, high, given = 0;
	struct die_ranges r;

	die_ranges_begin(&r, c->base, facts);
	if (r.kind == RANGES_NONE)
		return COVER_UNKNOWN;
	while (die_ranges_next(&r, &low, &high)) {
		uint32_t i = in->first, end = in->last;

		/* The first address at or after the range's. */
		while (i < end) {
			uint32_t middle = i + (end - i) / 2;

			if (c->asked.addresses.v[middle] < low)
				i = middle + 1;
			else
				end = middle;
		}
		if (i < first)
			first = i;
		for (; i < in->last && c->asked.addresses.v[i] < high; i++, given++)
			if (call != CALL_NONE)
				c->asked.innermost.v[i] = call;
		if (i > last)
			last = i;
	}
	debug_meter_add(c->names->meter, r.steps + given / ADDRESSES_A_STEP);
	in->first = first;
	in->last = last;
	return first < last ? COVER_SOME : COVER_NOTHING;
}

/* Takes the addresses that a function or an inlined call holds. 1: go into it; 0: do
 * not; -ENOMEM. */
static int visit_code(struct debug_calls *c, Dwarf_Die *die, struct call_scope *in,
		      uint32_t caller)
{
	uint32_t next = (uint32_t)c->list.count;
	unsigned code = lowest_code(die);
	struct die_facts facts;
	struct debug_call *call;
	enum cover found;

	in->call = CALL_NONE;
	if (c->known[code] & CALL_WITHOUT_ADDRESSES)
		return 0;
	die_read(die, &facts);
	found = cover(c, &facts, next, in);
	if (found == COVER_UNKNOWN && code)
		c->known[code] |= CALL_WITHOUT_ADDRESSES;
	if (found != COVER_SOME)
		return 0;
	call = array_add(&c->list);
	if (!call)
		return -ENOMEM;
	call->caller = caller;
	call->function = *die;
	call->file = (uint32_t)die_number(&facts, DIE_CALL_FILE);
	call->line = (uint32_t)die_number(&facts, DIE_CALL_LINE);
	in->call = next;
	return 1;
}

/* Functions in functions (a lambda, and those of Ada, Fortran, GNU C) lie elsewhere than
 * what they are in. */
static int visit_function(struct debug_calls *c, Dwarf_Die *die, struct call_scope *in)
{
	unsigned code = lowest_code(die);
	uint8_t known;
	int found;

	in->first = 0;
	in->last = (uint32_t)c->asked.addresses.count;
	in->in_function = true;
	found = visit_code(c, die, in, CALL_NONE);
	if (found != 0 || !c->thorough)
		return found;
	in->first = 0;
	in->last = (uint32_t)c->asked.addresses.count;
	known = c->known[code] & (CALL_DECLARED | CALL_DEFINED);
	if (!known)
		known = dwarf_hasattr(die, DW_AT_declaration) ? CALL_DECLARED
							      : CALL_DEFINED;
	if (code)
		c->known[code] |= known;
	return known != CALL_DECLARED;
}

/* 1: go into it; 0: do not; -ENOMEM. @in is what is around it, and becomes its own. */
static int visit(struct debug_calls *c, Dwarf_Die *die, struct call_scope *in)
{
	int tag = dwarf_tag(die), err;
	struct die_facts facts;

	/* The second walk meets the same scopes again. */
	if (in->call == CALL_NONE && outline_has(tag) && !c->thorough) {
		err = outline_add(&c->names->outline, die, in->scope);
		if (err < 0)
			return err;
		in->scope = (uint32_t)c->names->outline.scopes.count - 1;
	}
	switch (tag) {
	case DW_TAG_subprogram:
		return visit_function(c, die, in);
	case DW_TAG_inlined_subroutine:
		return in->call == CALL_NONE ? 0 : visit_code(c, die, in, in->call);
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		if (in->call == CALL_NONE)
			return c->thorough;
		die_read(die, &facts);
		return cover(c, &facts, CALL_NONE, in) != COVER_NOTHING;
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return c->thorough && (c->into_classes || in->in_function);
	default:
		return outline_goes_into(tag);
	}
}

static int walk_unit(struct debug_calls *c, Dwarf_Die *cu)
{
	size_t depth = die_walk_begin(&c->walk, cu, c->names->meter);

	c->scopes[0] = (struct call_scope){
		.scope = SCOPE_NONE,
		.call = CALL_NONE,
		.last = (uint32_t)c->asked.addresses.count,
	};
	while (depth > 0) {
		struct call_scope *in = &c->scopes[depth];
		int into;

		*in = c->scopes[depth - 1];
		into = visit(c, &c->walk.open[depth - 1], in);
		if (into < 0)
			return into;
		depth = die_walk_next(&c->walk, into);
	}
	return 0;
}

/* The walk reads @asked: for the second one that is the rest. */
static void swap_rest(struct debug_calls *c)
{
	struct call_question asked = c->asked;

	c->asked = c->rest;
	c->rest = asked;
}

/* What the first walk has not found lies in a class (Rust, D), in another function, or
 * in none. */
static int find_rest(struct debug_calls *c, Dwarf_Die *cu)
{
	struct call_question *rest = &c->rest;
	int err;

	rest->addresses.count = rest->innermost.count = c->rest_indexes.count = 0;
	for (size_t i = 0; i < c->asked.addresses.count; i++) {
		if (c->asked.innermost.v[i] != CALL_NONE)
			continue;
		if (!array_reserve(&rest->addresses, 1) ||
		    !array_reserve(&rest->innermost, 1) ||
		    !array_reserve(&c->rest_indexes, 1))
			return -ENOMEM;
		*array_add(&rest->addresses) = c->asked.addresses.v[i];
		*array_add(&rest->innermost) = CALL_NONE;
		*array_add(&c->rest_indexes) = (uint32_t)i;
	}
	if (c->rest_indexes.count == 0)
		return 0;
	c->thorough = true;
	switch (dwarf_srclang(cu)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x2a: /* C++17 and C++20, of the list of languages for DWARF 6 */
	case 0x2b:
		/* Its methods are declared in classes and defined elsewhere, but for those
		 * of classes inside of functions. */
		c->into_classes = false;
		break;
	default:
		c->into_classes = true;
	}
	swap_rest(c);
	err = walk_unit(c, cu);
	swap_rest(c);
	c->thorough = false;
	for (size_t i = 0; i < c->rest_indexes.count; i++)
		c->asked.innermost.v[c->rest_indexes.v[i]] = c->rest.innermost.v[i];
	return err;
}

int debug_calls_find(struct debug_calls *c, Dwarf_Die *cu, const struct debug_base *base,
		     struct debug_names *names)
{
	int err;

	c->names = names;
	c->base = base;
	c->thorough = false;
	memset(c->known, 0, sizeof(c->known));
	c->list.count = c->asked.innermost.count = 0;
	if (!array_reserve(&c->asked.innermost, c->asked.addresses.count))
		return -ENOMEM;
	c->asked.innermost.count = c->asked.addresses.count;
	for (size_t i = 0; i < c->asked.innermost.count; i++)
		c->asked.innermost.v[i] = CALL_NONE;
	err = debug_names_begin(names, cu);
	if (err == 0)
		err = walk_unit(c, cu);
	if (err == 0)
		err = find_rest(c, cu);
	if (err == 0 && names->meter->spent)
		err = -ETIME;
	/* Names last: they need the whole outline, which the walk has made. */
	for (size_t i = 0; i < c->list.count && err == 0; i++)
		err = debug_names_find(names, &c->list.v[i].function, &c->list.v[i].name);
	return err;
}
