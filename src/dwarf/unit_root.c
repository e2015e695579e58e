/*
 * A DIE's values stand in one section, their forms in another, and both are read side by
 * side (DWARF 5, 7.5.3):
 *
 *	.debug_abbrev  | code | tag | children | name, form | name, form | 0, 0 |
 *	.debug_info    | code |                | value      | value      |
 *
 * A value's form says how long it is, so each has to be understood to get to the next: a
 * form that is not known here, or an attribute that makes a range depend on another
 * file, is left to libdw.
 */
#include "dwarf/unit_root.h"

#include <dwarf.h>

#include "base/encoded.h"

struct root_reader {
	struct cursor values, forms;
	const struct unit_head *head;
	struct value {
		uint64_t value;
		uint16_t form; /* 0: there is none */
	} low, high, ranges, addresses, lists;
};

/* Of the numbers, those that a form has; false where it has none, or is not known. */
static bool read_form_value(struct root_reader *r, uint64_t form, uint64_t *ret)
{
	struct cursor *c = &r->values;

	*ret = 0;
	switch (form) {
	case DW_FORM_addr:
		*ret = read_sized(c, r->head->address_size);
		break;
	case DW_FORM_data1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		*ret = cursor_u8(c);
		break;
	case DW_FORM_data2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		*ret = cursor_u16(c);
		break;
	case DW_FORM_data4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
		*ret = cursor_u32(c);
		break;
	case DW_FORM_data8:
		*ret = cursor_u64(c);
		break;
	case DW_FORM_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_rnglistx:
	case DW_FORM_loclistx:
	case DW_FORM_GNU_str_index:
	case DW_FORM_GNU_addr_index:
		*ret = read_uleb(c);
		break;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_sec_offset:
		*ret = read_sized(c, r->head->offset_size);
		break;
	case DW_FORM_string:
		while (cursor_u8(c))
			;
		break;
	case DW_FORM_flag_present:
		break;
	case DW_FORM_implicit_const:
		*ret = (uint64_t)read_sleb(&r->forms);
		break;
	default:
		return false;
	}
	return !c->bad;
}

/* False, too, where it takes more to know what the unit covers than a root has. */
static bool read_root(const struct debug_image *image, const struct unit_head *head,
		      struct root_reader *r)
{
	const struct debug_bytes *info = &image->sections[DEBUG_INFO];
	const struct debug_bytes *abbreviations = &image->sections[DEBUG_ABBREV];
	uint64_t name, form;

	if (head->type != DW_UT_compile || head->end > info->size ||
	    head->die > head->end || head->declared > abbreviations->size)
		return false;
	*r = (struct root_reader){ .head = head };
	r->values = cursor_of(info->p + head->die, head->end - head->die);
	r->forms = cursor_of(abbreviations->p + head->declared,
			     abbreviations->size - head->declared);
	r->values.swap = image->swapped;
	read_uleb(&r->values); /* the code of its abbreviation */
	if (read_uleb(&r->forms) != DW_TAG_compile_unit)
		return false;
	cursor_u8(&r->forms); /* has children */
	for (;;) {
		struct value value;

		name = read_uleb(&r->forms);
		form = read_uleb(&r->forms);
		if (!name && !form)
			return !r->forms.bad && !r->values.bad;
		if (r->forms.bad || form > UINT16_MAX ||
		    !read_form_value(r, form, &value.value))
			return false;
		value.form = (uint16_t)form;
		switch (name) {
		case DW_AT_low_pc:
			r->low = value;
			break;
		case DW_AT_high_pc:
			r->high = value;
			break;
		case DW_AT_ranges:
			r->ranges = value;
			break;
		case DW_AT_addr_base:
		case DW_AT_GNU_addr_base:
			r->addresses = value;
			break;
		case DW_AT_rnglists_base:
			r->lists = value;
			break;
		case DW_AT_dwo_name:
		case DW_AT_GNU_dwo_name:
		case DW_AT_GNU_ranges_base:
			return false;
		default:
			break;
		}
	}
}

static bool is_offset(const struct value *v)
{
	return v->form == DW_FORM_sec_offset || v->form == DW_FORM_data4 ||
	       v->form == DW_FORM_data8;
}

bool unit_root_ranges(const struct debug_image *image, const struct unit_head *head,
		      struct debug_base *base, struct die_ranges *ret)
{
	struct root_reader r;
	uint64_t end;

	if (!read_root(image, head, &r))
		return false;
	/* An address by index stands in .debug_addr, perhaps of another file. */
	if ((r.low.form && r.low.form != DW_FORM_addr) ||
	    (r.addresses.form && !is_offset(&r.addresses)) ||
	    (r.lists.form && !is_offset(&r.lists)))
		return false;
	*base = (struct debug_base){ .image = image,
				     .low = r.low.value,
				     .addresses = r.addresses.value,
				     .lists = r.lists.value,
				     .version = head->version,
				     .address_size = head->address_size,
				     .offset_size = head->offset_size };
	if (r.ranges.form) {
		die_ranges_at(ret, base, r.ranges.value);
		return is_offset(&r.ranges);
	}
	if (!r.low.form)
		return false;
	switch (r.high.form) {
	case DW_FORM_addr:
		end = r.high.value;
		break;
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_udata:
		end = r.low.value + r.high.value; /* since DWARF 4: the size */
		break;
	default:
		return false;
	}
	*ret = (struct die_ranges){
		.base = base, .low = r.low.value, .high = end, .kind = RANGES_ONE
	};
	return true;
}
