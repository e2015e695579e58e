/*
 * Runs the instructions of call frame information (DWARF 5, 6.4.2), a row at a time: how
 * the CFA is found, and where the caller's registers are, from one address on. The same
 * machine serves rows of a few registers, for tables, and all of them, for whole steps:
 * a column says which registers are kept, and the rest cost nothing.
 */
#include "cfi/row.h"

#include "cfi/entry.h"
#include "cfi/pointer.h"

/* Newer than libdw's <dwarf.h>. */
enum {
	CFA_MIPS_advance_loc8 = 0x1d,
	CFA_AARCH64_negate_ra_state_with_pc = 0x2c,
	CFA_AARCH64_negate_ra_state = 0x2d,
};

/* Compilers nest two or three deep. */
enum { MOST_REMEMBERED = 256 };

static void no_columns(const struct machine *m, uint8_t count, struct cfi_columns *ret)
{
	ret->machine = m;
	ret->count = count;
	memset(ret->of, CFI_ELSE, sizeof(ret->of));
}

void cfi_columns_few(const struct machine *m, struct cfi_columns *ret)
{
	no_columns(m, CFI_FEW, ret);
	ret->of[m->ra] = CFI_RA;
	ret->of[m->fp] = CFI_FP;
	ret->of[m->sp] = CFI_SP;
}

void cfi_columns_all(const struct machine *m, struct cfi_columns *ret)
{
	no_columns(m, CFI_ALL, ret);
	for (uint8_t i = 0; i < m->registers; i++)
		ret->of[i] = (uint8_t)(CFI_ALL_FIRST + i);
}

static struct cfi_rule *rule_of(struct cfi_run *r, uint64_t reg)
{
	return &r->row[reg < REGISTERS_MOST ? r->columns->of[reg] : CFI_ELSE];
}

static void set_number(struct cfi_rule *rule, enum cfi_how how, uint64_t reg,
		       int64_t number)
{
	*rule = (struct cfi_rule){ (uint8_t)how, (uint32_t)reg, { number } };
	if (reg > UINT32_MAX)
		rule->how = CFI_ODD;
}

/* Offsets are multiples of the data alignment. */
static void set_factored(struct cfi_run *r, struct cfi_rule *rule, enum cfi_how how,
			 int64_t number)
{
	if (__builtin_mul_overflow(number, r->cie->data_align, &number))
		how = CFI_ODD;
	set_number(rule, how, rule->size, number);
}

static void set_register_saved(struct cfi_run *r, uint64_t reg, int64_t number)
{
	set_factored(r, rule_of(r, reg), CFI_SAVED, number);
}

static void set_expression(struct cfi_run *r, struct cfi_rule *rule, enum cfi_how how)
{
	uint64_t size = read_uleb(&r->c);
	const uint8_t *bytes = cursor_bytes(&r->c, size);

	*rule = (struct cfi_rule){ (uint8_t)how,
				   (uint32_t)size,
				   { .expression = bytes } };
}

static void restore_initial(struct cfi_run *r, uint64_t reg)
{
	struct cfi_rule *rule = rule_of(r, reg);

	*rule = r->initial[rule - r->row];
}

static bool remember_state(struct cfi_run *r)
{
	size_t count = r->columns->count;

	if (r->remembered.count >= MOST_REMEMBERED * count)
		return false;
	if (!array_reserve(&r->remembered, count)) {
		r->no_memory = true;
		return false;
	}
	memcpy(r->remembered.v + r->remembered.count, r->row, count * sizeof(*r->row));
	r->remembered.count += count;
	return true;
}

/* The CFA comes back too, as compilers expect. */
static bool recall_state(struct cfi_run *r)
{
	size_t count = r->columns->count;

	if (r->remembered.count == 0)
		return false;
	r->remembered.count -= count;
	memcpy(r->row, r->remembered.v + r->remembered.count, count * sizeof(*r->row));
	return true;
}

/*
 * Where the CFA is an expression the standard forbids to set its register alone. Assembly
 * does it (libgcrypt), and means the offset from before, as debuggers and libgcc take it.
 */
static bool execute_cfa(struct cfi_run *r, uint8_t op)
{
	struct cfi_rule *cfa = &r->row[CFI_CFA];
	uint64_t reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = read_uleb(&r->c);
		set_number(cfa, CFI_REGISTER, reg, (int64_t)read_uleb(&r->c));
		break;
	case DW_CFA_def_cfa_sf:
		set_number(cfa, CFI_REGISTER, read_uleb(&r->c), 0);
		set_factored(r, cfa, cfa->how, read_sleb(&r->c));
		break;
	case DW_CFA_def_cfa_expression:
		set_expression(r, &r->row[CFI_EXPRESSION], CFI_VALUE_EXPRESSION);
		cfa->how = CFI_VALUE_EXPRESSION;
		break;
	case DW_CFA_def_cfa_register:
		reg = read_uleb(&r->c);
		if (cfa->how != CFI_UNDEFINED)
			set_number(cfa, CFI_REGISTER, reg, cfa->number);
		break;
	case DW_CFA_def_cfa_offset:
		cfa->number = (int64_t)read_uleb(&r->c);
		break;
	default: /* DW_CFA_def_cfa_offset_sf */
		set_factored(r, cfa, cfa->how, read_sleb(&r->c));
		break;
	}
	return cfa->how != CFI_UNDEFINED;
}

static bool execute_value(struct cfi_run *r, uint8_t op)
{
	uint64_t reg = read_uleb(&r->c);
	struct cfi_rule *rule = rule_of(r, reg);

	switch (op) {
	case DW_CFA_offset_extended:
		set_register_saved(r, reg, (int64_t)read_uleb(&r->c));
		return true;
	case DW_CFA_offset_extended_sf:
		set_register_saved(r, reg, read_sleb(&r->c));
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		set_register_saved(r, reg, (int64_t)-read_uleb(&r->c));
		return true;
	case DW_CFA_val_offset:
		set_factored(r, rule, CFI_VALUE, (int64_t)read_uleb(&r->c));
		return true;
	case DW_CFA_val_offset_sf:
		set_factored(r, rule, CFI_VALUE, read_sleb(&r->c));
		return true;
	case DW_CFA_expression:
		set_expression(r, rule, CFI_SAVED_EXPRESSION);
		return true;
	case DW_CFA_val_expression:
		set_expression(r, rule, CFI_VALUE_EXPRESSION);
		return true;
	case DW_CFA_restore_extended:
		restore_initial(r, reg);
		return true;
	case DW_CFA_undefined:
		set_number(rule, CFI_UNDEFINED, 0, 0);
		return true;
	case DW_CFA_same_value:
		set_number(rule, CFI_SAME, 0, 0);
		return true;
	case DW_CFA_register:
		set_number(rule, CFI_REGISTER, read_uleb(&r->c), 0);
		return true;
	default:
		return false;
	}
}

/* Where the row ends, at most the end of the function. */
static void advance_location(struct cfi_run *r, uint64_t delta)
{
	if (__builtin_mul_overflow(delta, r->cie->code_align, &delta) ||
	    delta > r->end - r->from)
		delta = r->end - r->from;
	r->to = r->from + delta;
}

static bool execute(struct cfi_run *r, uint8_t op)
{
	uint64_t to;

	switch (op) {
	case DW_CFA_advance_loc ... DW_CFA_advance_loc + 0x3f:
		advance_location(r, op & 0x3f);
		break;
	case DW_CFA_offset ... DW_CFA_offset + 0x3f:
		set_register_saved(r, op & 0x3f, (int64_t)read_uleb(&r->c));
		break;
	case DW_CFA_restore ... DW_CFA_restore + 0x3f:
		restore_initial(r, op & 0x3f);
		break;
	case DW_CFA_nop:
		break;
	case DW_CFA_set_loc:
		if (!read_pointer(&r->c, r->cie->encoding, r->section, &to) ||
		    to < r->from)
			return false;
		r->to = to < r->end ? to : r->end;
		break;
	case DW_CFA_advance_loc1:
		advance_location(r, cursor_u8(&r->c));
		break;
	case DW_CFA_advance_loc2:
		advance_location(r, cursor_u16(&r->c));
		break;
	case DW_CFA_advance_loc4:
		advance_location(r, cursor_u32(&r->c));
		break;
	case CFA_MIPS_advance_loc8:
		advance_location(r, cursor_u64(&r->c));
		break;
	case DW_CFA_GNU_args_size: /* for exceptions */
		read_uleb(&r->c);
		break;
	case DW_CFA_remember_state:
		return remember_state(r);
	case DW_CFA_restore_state:
		return recall_state(r);
	case CFA_AARCH64_negate_ra_state:
	case CFA_AARCH64_negate_ra_state_with_pc:
		r->row[CFI_SIGNED].how ^= CFI_SAME;
		return r->columns->machine->link;
	case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_sf:
	case DW_CFA_def_cfa_expression:
	case DW_CFA_def_cfa_register:
	case DW_CFA_def_cfa_offset:
	case DW_CFA_def_cfa_offset_sf:
		return execute_cfa(r, op) && !r->c.bad;
	default:
		return execute_value(r, op) && !r->c.bad;
	}
	return !r->c.bad;
}

/*
 * The instructions that nearly all rows are made of, where their operand has one byte.
 * False for another, of which nothing was read. @c can live in registers: that halves the
 * time that a table takes.
 */
static inline bool execute_short(struct cfi_run *r, struct cursor *c)
{
	uint8_t op = c->p[0], operand = cursor_left(c) > 1 ? c->p[1] : 0x80;
	bool is_short = operand < 0x80;

	switch (op) {
	case DW_CFA_nop:
		break;
	case DW_CFA_advance_loc ... DW_CFA_advance_loc + 0x3f:
		advance_location(r, op & 0x3f);
		break;
	case DW_CFA_restore ... DW_CFA_restore + 0x3f:
		restore_initial(r, op & 0x3f);
		break;
	case DW_CFA_offset ... DW_CFA_offset + 0x3f:
		if (!is_short)
			return false;
		set_register_saved(r, op & 0x3f, operand);
		c->p++;
		break;
	case DW_CFA_def_cfa_offset:
		if (!is_short || r->row[CFI_CFA].how == CFI_UNDEFINED)
			return false;
		r->row[CFI_CFA].number = operand;
		c->p++;
		break;
	case DW_CFA_advance_loc1:
		if (!is_short)
			return false;
		advance_location(r, operand);
		c->p++;
		break;
	default:
		return false;
	}
	c->p++;
	return true;
}

bool cfi_run_next(struct cfi_run *r)
{
	struct cursor c = r->c;

	r->from = r->to;
	if (r->from >= r->end || r->broken)
		return false;
	while (cursor_left(&c) > 0 && r->to == r->from) {
		if (execute_short(r, &c))
			continue;
		r->c = c;
		if (!execute(r, cursor_u8(&r->c))) {
			r->broken = true;
			return false;
		}
		c = r->c;
	}
	r->c = c;
	if (r->to == r->from)
		r->to = r->end;
	return true;
}

void cfi_run_begin(struct cfi_run *r, const struct cfi_cie *cie,
		   const struct cfi_rule *initial, const struct cfi_fde *fde)
{
	r->cie = cie;
	r->initial = initial;
	r->c = cursor_of(r->section->bytes + fde->at, fde->size);
	memcpy(r->row, initial, r->columns->count * sizeof(*r->row));
	r->from = r->to = fde->start;
	r->end = fde->end;
	r->broken = false;
	r->remembered.count = 0;
}

/* These hold for whole functions: they cannot advance. */
bool cfi_run_initial(struct cfi_run *r, const struct cfi_cie *cie, struct cfi_rule *ret)
{
	const struct cfi_columns *columns = r->columns;

	/* What is not said is unchanged, but for the stack pointer, which is the CFA. */
	memset(ret, 0, columns->count * sizeof(*ret));
	for (uint8_t i = CFI_RA; i < columns->count; i++)
		ret[i].how = CFI_SAME;
	ret[columns->of[columns->machine->sp]].how = CFI_VALUE;
	r->cie = cie;
	r->initial = ret;
	r->c = cursor_of(r->section->bytes + cie->at, cie->size);
	memcpy(r->row, ret, columns->count * sizeof(*ret));
	r->remembered.count = 0;
	while (cursor_left(&r->c) > 0) {
		uint8_t op = cursor_u8(&r->c);
		bool advances = (op & 0xc0) == DW_CFA_advance_loc ||
				(op >= DW_CFA_set_loc && op <= DW_CFA_advance_loc4) ||
				op == CFA_MIPS_advance_loc8;

		if (advances || !execute(r, op))
			return false;
	}
	memcpy(ret, r->row, columns->count * sizeof(*ret));
	return true;
}

void cfi_run_release(struct cfi_run *r)
{
	array_release(&r->remembered);
}
