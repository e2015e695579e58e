/*
 * All attributes of a DIE that are of use are taken by one pass over them: to ask libdw
 * for each of ten would be ten passes. Ranges are read here, one entry after another, so
 * that they can be counted as work, and so that the unit of a .dwo file has its bases
 * from its skeleton. They have three forms, each a function that makes one entry, below
 * one loop that leaves out what is no code:
 *
 *	low and high     one range; high is an address or, since DWARF 4, a size
 *	.debug_ranges    pairs; the highest address: a new base (DWARF 4, 2.17.3)
 *	.debug_rnglists  a code and its operands (DWARF 5, 2.17.3 and 7.25)
 *
 * Lists end where their section does, whatever they say.
 */
#include "dwarf/die.h"

#include <dwarf.h>
#include <string.h>

#include "base/encoded.h"

uint64_t die_constant(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attribute) ||
	    dwarf_formudata(&attribute, &value) != 0)
		return 0;
	return value;
}

static struct debug_base unit_base(const struct debug_image *image, Dwarf_Die *cu)
{
	struct debug_base b = { .image = image };
	Dwarf_Half version = 0;

	dwarf_cu_info(cu->cu, &version, NULL, NULL, NULL, NULL, &b.address_size,
		      &b.offset_size);
	b.version = version;
	b.lists = die_constant(cu, DW_AT_rnglists_base);
	return b;
}

void debug_base_of(struct debug_base *ret, const struct debug_image *image, Dwarf_Die *cu)
{
	struct debug_base b = unit_base(image, cu);
	Dwarf_Addr low;

	if (dwarf_lowpc(cu, &low) == 0)
		b.low = low;
	b.addresses =
		die_constant(cu, b.version < 5 ? DW_AT_GNU_addr_base : DW_AT_addr_base);
	*ret = b;
}

void debug_base_of_split(struct debug_base *ret, const struct debug_image *image,
			 Dwarf_Die *cu, const struct debug_base *skeleton)
{
	struct debug_base b = unit_base(image, cu);

	b.low = skeleton->low;
	/* Behind the only head there is (DWARF 5, 7.28). */
	if (b.lists == 0)
		b.lists = b.offset_size == 8 ? 20 : 12;
	*ret = b;
}

static int take_attribute(Dwarf_Attribute *in, void *arg)
{
	struct die_facts *f = arg;

	f->count++;
	f->last = in->valp;
	switch (in->code) {
	case DW_AT_low_pc:
		f->v[DIE_LOW] = *in;
		break;
	case DW_AT_high_pc:
		f->v[DIE_HIGH] = *in;
		break;
	case DW_AT_ranges:
		f->v[DIE_RANGES] = *in;
		break;
	case DW_AT_abstract_origin:
		f->v[DIE_ORIGIN] = *in;
		break;
	case DW_AT_specification:
		if (!die_has(f, DIE_ORIGIN))
			f->v[DIE_ORIGIN] = *in;
		break;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		f->v[DIE_LINKAGE_NAME] = *in;
		break;
	case DW_AT_name:
		f->v[DIE_NAME] = *in;
		break;
	case DW_AT_call_file:
		f->v[DIE_CALL_FILE] = *in;
		break;
	case DW_AT_call_line:
		f->v[DIE_CALL_LINE] = *in;
		break;
	case DW_AT_decl_file:
		f->v[DIE_DECL_FILE] = *in;
		break;
	case DW_AT_decl_line:
		f->v[DIE_DECL_LINE] = *in;
		break;
	default:
		break;
	}
	return DWARF_CB_OK;
}

void die_read(Dwarf_Die *die, struct die_facts *ret)
{
	for (int i = 0; i < DIE_ATTRIBUTES; i++)
		ret->v[i].form = 0;
	ret->count = 0;
	ret->last = die->addr;
	dwarf_getattrs(die, take_attribute, ret, 0);
	ret->bytes = (uint64_t)(ret->last - (const uint8_t *)die->addr);
}

uint64_t die_number(struct die_facts *f, enum die_attribute a)
{
	Dwarf_Word value;

	return die_has(f, a) && dwarf_formudata(&f->v[a], &value) == 0 ? value : 0;
}

static struct cursor section_cursor(const struct debug_image *image,
				    enum debug_section section, uint64_t offset)
{
	const struct debug_bytes *bytes = &image->sections[section];
	struct cursor c = cursor_of(bytes->p, bytes->size);

	c.swap = image->swapped;
	if (offset > bytes->size)
		c.bad = true;
	else
		c.p += offset;
	return c;
}

void die_ranges_at(struct die_ranges *r, const struct debug_base *base, uint64_t offset)
{
	bool pairs = base->version < 5;

	*r = (struct die_ranges){ .base = base,
				  .low = base->low,
				  .kind = pairs ? RANGES_PAIRS : RANGES_CODED };
	r->list = section_cursor(base->image, pairs ? DEBUG_RANGES : DEBUG_RNGLISTS,
				 offset);
}

void die_ranges_begin(struct die_ranges *r, const struct debug_base *base,
		      struct die_facts *f)
{
	Dwarf_Addr low, high;

	*r = (struct die_ranges){ .base = base };
	if (die_has(f, DIE_RANGES)) {
		uint64_t at = die_number(f, DIE_RANGES);
		uint64_t most = base->image->sections[DEBUG_RNGLISTS].size;
		bool indexed = f->v[DIE_RANGES].form == DW_FORM_rnglistx;

		/* By index: the offset stands among those at the unit's base (DWARF 5, 7.28). */
		if (indexed && (at > most || base->lists > most)) {
			at = UINT64_MAX;
		} else if (indexed) {
			struct cursor c =
				section_cursor(base->image, DEBUG_RNGLISTS,
					       base->lists + at * base->offset_size);

			at = read_sized(&c, base->offset_size);
			at = c.bad || at > most ? UINT64_MAX : base->lists + at;
		}
		die_ranges_at(r, base, at);
		return;
	}
	if (!die_has(f, DIE_LOW) || !die_has(f, DIE_HIGH) ||
	    dwarf_formaddr(&f->v[DIE_LOW], &low) != 0)
		return;
	/* A constant since DWARF 4: the size. */
	if (dwarf_formaddr(&f->v[DIE_HIGH], &high) != 0)
		high = low + die_number(f, DIE_HIGH);
	r->kind = RANGES_ONE;
	r->low = low;
	r->high = high;
}

/* The address with that index in the unit's part of .debug_addr (DWARF 5, 7.27). */
static uint64_t address_at(struct die_ranges *r, uint64_t index)
{
	const struct debug_base *b = r->base;
	struct cursor c;
	uint64_t value;

	if (index > b->image->sections[DEBUG_ADDR].size ||
	    b->addresses > b->image->sections[DEBUG_ADDR].size) {
		r->list.bad = true;
		return 0;
	}
	c = section_cursor(b->image, DEBUG_ADDR, b->addresses + index * b->address_size);
	value = read_sized(&c, b->address_size);
	r->list.bad |= c.bad;
	return value;
}

/* An entry of .debug_rnglists (DWARF 5, 7.25): 1 a range, 0 none, -1 the end. */
static int next_coded(struct die_ranges *r, uint64_t *low, uint64_t *high)
{
	struct cursor *c = &r->list;

	switch (cursor_u8(c)) {
	case DW_RLE_base_addressx:
		r->low = address_at(r, read_uleb(c));
		return c->bad ? -1 : 0;
	case DW_RLE_base_address:
		r->low = read_sized(c, r->base->address_size);
		return c->bad ? -1 : 0;
	case DW_RLE_startx_endx:
		*low = address_at(r, read_uleb(c));
		*high = address_at(r, read_uleb(c));
		break;
	case DW_RLE_startx_length:
		*low = address_at(r, read_uleb(c));
		*high = *low + read_uleb(c);
		break;
	case DW_RLE_offset_pair:
		*low = r->low + read_uleb(c);
		*high = r->low + read_uleb(c);
		break;
	case DW_RLE_start_end:
		*low = read_sized(c, r->base->address_size);
		*high = read_sized(c, r->base->address_size);
		break;
	case DW_RLE_start_length:
		*low = read_sized(c, r->base->address_size);
		*high = *low + read_uleb(c);
		break;
	default: /* DW_RLE_end_of_list, or nothing that is known */
		return -1;
	}
	return c->bad ? -1 : 1;
}

bool die_ranges_next(struct die_ranges *r, uint64_t *low, uint64_t *high)
{
	unsigned size = r->base->address_size;
	uint64_t highest = size == 4 ? UINT32_MAX : UINT64_MAX;

	for (;;) {
		uint64_t from = r->low, to = r->high;
		int found = 1;

		switch (r->kind) {
		case RANGES_NONE:
			return false;
		case RANGES_ONE:
			r->kind = RANGES_NONE;
			break;
		case RANGES_PAIRS:
			from = read_sized(&r->list, size);
			to = read_sized(&r->list, size);
			if (r->list.bad || (from == 0 && to == 0))
				return false;
			if (from == highest) {
				r->low = to;
				found = 0;
			}
			from += r->low;
			to += r->low;
			break;
		case RANGES_CODED:
			found = next_coded(r, &from, &to);
			if (found < 0)
				return false;
		}
		r->steps++;
		/* Linkers leave functions that they dropped below the code. */
		if (found == 0 || from < r->base->image->first_code || to <= from)
			continue;
		*low = from;
		*high = to;
		return true;
	}
}
