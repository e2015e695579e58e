/*
 * Which unit of the debug information an address belongs to. Every unit is asked for the
 * ranges of its code (DW_AT_ranges, DW_AT_low_pc), where it has none its functions are;
 * the ranges are sorted and painted over one another, the first unit on top. Before
 * libdw looks at a unit, its abbreviations are passed over here: some that no compiler
 * writes would take hours.
 */
#include "dwarf/units.h"

#include <dwarf.h>
#include <errno.h>

#include "base/encoded.h"
#include "dwarf/die.h"

/* libdw takes a thousand bytes of memory for a unit, fifty for the ten of an abbreviation. */
enum { BYTES_A_STEP = 16, ABBREVIATION_BYTES_A_STEP = 4, STEPS_A_UNIT = 64 };

/*
 * What no compiler writes and makes libdw slow: a DIE of few bytes with very many attributes,
 * whose values are in its abbreviation, and codes that are not 1, 2, 3... of which many share
 * a slot in its table.
 */
enum { ATTRIBUTES_FREE = 8, ATTRIBUTES_A_BYTE = 2, CODES_FREE = 1 << 16, CODES_EACH = 4 };

/*
 * Passes over abbreviations (DWARF 5, 7.5.3) up to the one with @code, 0: over all of them;
 * *@declared: where that begins behind its code. Bytes that were read, or as many as are
 * too much where one of them is as said above.
 */
static uint64_t pass_abbreviations(const struct debug_image *image, uint64_t offset,
				   uint64_t code, uint64_t *declared)
{
	const struct debug_bytes *bytes = &image->sections[DEBUG_ABBREV];
	struct cursor c = cursor_of(bytes->p, bytes->size);
	uint64_t found, count = 0;
	bool odd = false;

	*declared = bytes->size;
	if (offset >= bytes->size)
		return 0;
	c.p += offset;
	do {
		uint64_t attributes = 0, value_bytes = 0, name, form;

		found = read_uleb(&c);
		if (found == 0)
			break;
		if (found == code)
			*declared = (uint64_t)(c.p - bytes->p);
		read_uleb(&c); /* tag */
		cursor_u8(&c); /* has children */
		do {
			name = read_uleb(&c);
			form = read_uleb(&c);
			attributes++;
			/* These two have no bytes in the DIE. */
			if (form == DW_FORM_implicit_const)
				read_sleb(&c);
			else if (form != DW_FORM_flag_present)
				value_bytes++;
		} while (name || form);
		count++;
		odd |= attributes > ATTRIBUTES_FREE + ATTRIBUTES_A_BYTE * value_bytes ||
		       found > CODES_FREE + CODES_EACH * count;
	} while (found != code && !c.bad);
	return odd ? DEBUG_WORK_MOST * ABBREVIATION_BYTES_A_STEP
		   : (uint64_t)(c.p - bytes->p) - offset;
}

uint64_t debug_abbreviations(const struct debug_image *image, uint64_t offset,
			     uint64_t code)
{
	uint64_t declared;

	return pass_abbreviations(image, offset, code, &declared) /
	       ABBREVIATION_BYTES_A_STEP;
}

/* The head of a unit (DWARF 5, 7.5.1). */
struct head {
	uint64_t length, abbreviations;
	uint64_t declared; /* where the abbreviation of the first DIE is */
	uint16_t version;
	uint8_t type, offset_size, address_size;
};

/* False where it is not one that libdw reads. The cursor ends at the first DIE. */
static bool read_unit_header(struct cursor *c, struct head *h)
{
	*h = (struct head){ .length = cursor_u32(c), .offset_size = 4 };
	if (h->length == UINT32_MAX) {
		h->length = cursor_u64(c);
		h->offset_size = 8;
	}
	if (c->bad || h->length > cursor_left(c))
		return false;
	h->version = cursor_u16(c);
	if (h->version < 2 || h->version > 5)
		return false;
	/* DWARF 5 has put the size of an address before the offset, and added the type. */
	h->type = h->version < 5 ? DW_UT_compile : cursor_u8(c);
	if (h->version >= 5)
		h->address_size = cursor_u8(c);
	h->abbreviations = read_sized(c, h->offset_size);
	if (h->version < 5)
		h->address_size = cursor_u8(c);
	if (h->type == DW_UT_skeleton || h->type == DW_UT_split_compile)
		cursor_u64(c); /* id */
	if (h->type == DW_UT_type || h->type == DW_UT_split_type) {
		cursor_u64(c); /* signature */
		read_sized(c, h->offset_size);
	}
	return !c->bad && h->type >= DW_UT_compile && h->type <= DW_UT_split_type;
}

int debug_units_read(struct debug_units *u, const struct debug_image *image,
		     struct debug_meter *meter)
{
	const struct debug_bytes *bytes = &image->sections[DEBUG_INFO];
	const struct debug_bytes *of_types = &image->sections[DEBUG_TYPES];
	struct cursor types = cursor_of(of_types->p, of_types->size);
	uint64_t at = 0, count = 0;

	/* Type units of DWARF 4: libdw makes a list of them all where one is referred to. */
	types.swap = image->swapped;
	for (; cursor_left(&types) > 0; count++) {
		uint64_t length = cursor_u32(&types);

		if (length == UINT32_MAX)
			length = cursor_u64(&types);
		cursor_bytes(&types, length);
	}
	if (!debug_meter_add(meter, STEPS_A_UNIT * count))
		return -ETIME;
	while (at < bytes->size) {
		struct cursor c = cursor_of(bytes->p + at, bytes->size - at), die;
		struct debug_unit *unit;
		uint64_t end, code, passed;
		struct head head;

		c.swap = image->swapped;
		if (!read_unit_header(&c, &head))
			break;
		end = at + (head.offset_size == 8 ? 12 : 4) + head.length;
		/* libdw will pass over the abbreviations in the same way. */
		die = c;
		code = read_uleb(&die);
		passed = pass_abbreviations(image, head.abbreviations, code,
					    &head.declared);
		if (!debug_meter_add(meter,
				     STEPS_A_UNIT + passed / ABBREVIATION_BYTES_A_STEP))
			return -ETIME;
		unit = array_add(&u->list);
		if (!unit)
			return -ENOMEM;
		*unit = (struct debug_unit){ .start = at };
		unit->head = (struct unit_head){ .die = (uint64_t)(c.p - bytes->p),
						 .end = end,
						 .declared = head.declared,
						 .version = head.version,
						 .type = head.type,
						 .address_size = head.address_size,
						 .offset_size = head.offset_size };
		at = end;
	}
	return 0;
}

struct indexing {
	struct debug_units *units;
	const struct debug_image *image;
	const struct debug_handle *handle;
	const struct object *o;
	struct debug_meter *meter;
	ARRAY(struct span) ranges;
};

static int add_die_ranges(struct indexing *x, uint32_t unit, struct die_ranges *r)
{
	uint64_t low, high;

	while (die_ranges_next(r, &low, &high)) {
		struct span *range;

		/* Linkers leave functions that they dropped at addresses of no code. */
		if (!object_is_code(x->o, low))
			continue;
		range = array_add(&x->ranges);
		if (!range)
			return -ENOMEM;
		*range = (struct span){ low, high, unit };
	}
	return debug_meter_add(x->meter, 1 + r->steps) ? 0 : -ETIME;
}

static int add_ranges(struct indexing *x, uint32_t unit, const struct debug_base *base,
		      Dwarf_Die *die)
{
	struct die_facts facts;
	struct die_ranges r;

	die_read(die, &facts);
	die_ranges_begin(&r, base, &facts);
	return add_die_ranges(x, unit, &r);
}

/* A unit that does not say what it covers: its functions do. */
static int add_functions(struct indexing *x, uint32_t unit, const struct debug_base *base,
			 Dwarf_Die *cu)
{
	const uint8_t *before = cu->addr;
	Dwarf_Off abbreviations;
	Dwarf_Die child;
	int err = 0;

	if (!dwarf_cu_die(cu->cu, &child, NULL, &abbreviations, NULL, NULL, NULL, NULL) ||
	    !debug_meter_add(x->meter, debug_abbreviations(x->image, abbreviations, 0)))
		return -ETIME;
	if (dwarf_child(cu, &child) != 0)
		return 0;
	do {
		uint64_t passed = (uint64_t)((const uint8_t *)child.addr - before);

		before = child.addr;
		if (!debug_meter_add(x->meter, 1 + passed / BYTES_A_STEP))
			return -ETIME;
		if (dwarf_tag(&child) == DW_TAG_subprogram)
			err = add_ranges(x, unit, base, &child);
	} while (err == 0 && dwarf_siblingof(&child, &child) == 0);
	return err;
}

static int add_unit(struct indexing *x, uint32_t index)
{
	struct debug_unit *unit = &x->units->list.v[index];
	size_t before = x->ranges.count;
	struct debug_base base;
	struct die_ranges r;
	uint8_t type = 0;
	Dwarf_Die cu;
	int err;

	/* Most units say all of it in their first DIE: no need to let libdw read them. */
	if (unit_root_ranges(x->image, &unit->head, &base, &r)) {
		unit->addresses = base.addresses;
		err = add_die_ranges(x, index, &r);
		if (err < 0 || x->ranges.count > before)
			return err;
	}
	if (!dwarf_offdie(x->handle->dwarf, unit->head.die, &cu) ||
	    dwarf_tag(&cu) == DW_TAG_partial_unit || dwarf_tag(&cu) == DW_TAG_type_unit)
		return 0;
	debug_base_of(&base, x->image, &cu);
	unit->addresses = base.addresses;
	dwarf_cu_info(cu.cu, NULL, &type, NULL, NULL, NULL, NULL, NULL);
	unit->skeleton = type == DW_UT_skeleton;
	/* The ranges of a .dwo file of DWARF 4 are in the object, from here on. */
	if (unit->skeleton && base.version < 5)
		unit->ranges = die_constant(&cu, DW_AT_GNU_ranges_base);
	err = add_ranges(x, index, &base, &cu);
	if (err == 0 && x->ranges.count == before && !dwarf_hasattr(&cu, DW_AT_ranges))
		err = add_functions(x, index, &base, &cu);
	return err;
}

/* By start; of equal ones the larger first; of those that are the same the first unit
 * last: it is painted over the others. */
static int compare_unit_ranges(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return x->id > y->id ? -1 : x->id < y->id;
}

/* The ranges of all units, and then the spans that are left of them. */
static int index_in_guard(void *arg)
{
	struct indexing *x = arg;
	struct painter painter = { .out = &x->units->spans };
	int err = 0;

	for (size_t i = 0; i < x->units->list.count && err == 0; i++)
		err = add_unit(x, (uint32_t)i);
	if (err < 0)
		return err;
	if (x->ranges.count > 0)
		qsort(x->ranges.v, x->ranges.count, sizeof(*x->ranges.v),
		      compare_unit_ranges);
	for (size_t i = 0; i < x->ranges.count && err == 0; i++)
		err = painter_add(&painter, &x->ranges.v[i]);
	if (err == 0)
		err = painter_finish(&painter);
	painter_release(&painter);
	return err;
}

int debug_units_index(struct debug_units *u, const struct debug_image *image,
		      const struct debug_handle *h, const struct object *o,
		      struct debug_meter *meter)
{
	struct indexing x = {
		.units = u, .image = image, .handle = h, .o = o, .meter = meter
	};
	int err = debug_guarded(index_in_guard, &x);

	array_release(&x.ranges);
	return err;
}

void debug_units_release(struct debug_units *u)
{
	array_release(&u->list);
	spans_release(&u->spans);
}

static struct debug_bytes section_part(const struct debug_bytes *section, uint64_t from,
				       uint64_t to)
{
	if (from > section->size)
		from = section->size;
	if (to > section->size)
		to = section->size;
	/* A section that is not there is NULL and has no bytes. */
	return (struct debug_bytes){ from ? section->p + from : section->p, to - from };
}

struct debug_bytes debug_unit_addresses(const struct debug_units *u, size_t unit,
					const struct debug_image *image)
{
	uint64_t from = u->list.v[unit].addresses, to = UINT64_MAX;

	for (size_t i = 0; i < u->list.count; i++) {
		const struct debug_unit *other = &u->list.v[i];

		if (other->skeleton && other->addresses > from && other->addresses < to)
			to = other->addresses;
	}
	return section_part(&image->sections[DEBUG_ADDR], from, to);
}

struct debug_bytes debug_unit_ranges(const struct debug_units *u, size_t unit,
				     const struct debug_image *image)
{
	uint64_t from = u->list.v[unit].ranges, to = UINT64_MAX;

	for (size_t i = 0; i < u->list.count; i++) {
		const struct debug_unit *other = &u->list.v[i];

		if (other->skeleton && other->ranges > from && other->ranges < to)
			to = other->ranges;
	}
	return section_part(&image->sections[DEBUG_RANGES], from, to);
}
