#include "unit/cfi/libdw_frame.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

void invented_registers(const struct machine *m, uint64_t pc, struct registers *ret)
{
	*ret = (struct registers){ .pc = pc };
	for (uint64_t i = 0; i < m->registers; i++) {
		ret->value[i] = hash_u64(i + 1);
		if (m->word == 4)
			ret->value[i] = (uint32_t)ret->value[i];
		ret->known |= (uint64_t)1 << i;
	}
	ret->value[m->pc] = pc;
}

uint64_t invented_memory(uint64_t address)
{
	return hash_u64(address ^ 0x1234567890abcdef);
}

bool read_invented(void *arg, uint64_t address, unsigned size, uint64_t *ret)
{
	(void)arg;
	*ret = invented_memory(address);
	if (size < 8)
		*ret &= ((uint64_t)1 << (8 * size)) - 1;
	return true;
}

struct values {
	const struct machine *machine;
	const struct registers *regs;
	const uint64_t *cfa;
	uint64_t stack[16];
	int count;
	bool bad, location; /* the result is where the value lies */
};

static void push(struct values *v, uint64_t value)
{
	if (v->count == 16)
		v->bad = true;
	else
		v->stack[v->count++] = v->machine->word == 4 ? (uint32_t)value : value;
}

static uint64_t pop(struct values *v)
{
	if (v->count == 0) {
		v->bad = true;
		return 0;
	}
	return v->stack[--v->count];
}

static uint64_t read_word(const struct values *v, uint64_t address)
{
	uint64_t value;

	read_invented(NULL, address, v->machine->word, &value);
	return value;
}

/* The operations that call frame information has in practice. */
static void run_op(struct values *v, const Dwarf_Op *op)
{
	uint64_t a;

	switch (op->atom) {
	case DW_OP_breg0 ... DW_OP_breg31:
		push(v, v->regs->value[op->atom - DW_OP_breg0] + op->number);
		return;
	case DW_OP_bregx:
		if (op->number >= REGISTERS_MOST)
			v->bad = true;
		else
			push(v, v->regs->value[op->number] + op->number2);
		return;
	case DW_OP_regx:
		v->location = false;
		push(v, op->number < REGISTERS_MOST ? v->regs->value[op->number] : 0);
		return;
	case DW_OP_call_frame_cfa:
		push(v, *v->cfa);
		return;
	case DW_OP_plus_uconst:
		push(v, pop(v) + op->number);
		return;
	case DW_OP_lit0 ... DW_OP_lit31:
		push(v, op->atom - DW_OP_lit0);
		return;
	case DW_OP_deref:
		push(v, read_word(v, pop(v)));
		return;
	case DW_OP_stack_value:
		v->location = false;
		return;
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
		push(v, op->number);
		return;
	}
	a = pop(v);
	switch (op->atom) {
	case DW_OP_and:
		push(v, pop(v) & a);
		return;
	case DW_OP_plus:
		push(v, pop(v) + a);
		return;
	case DW_OP_minus:
		push(v, pop(v) - a);
		return;
	case DW_OP_shl:
		push(v, pop(v) << a);
		return;
	case DW_OP_ge:
		push(v, (int64_t)pop(v) >= (int64_t)a);
		return;
	default:
		v->bad = true;
	}
}

static bool evaluate(const struct machine *m, const struct registers *regs,
		     const uint64_t *cfa, const Dwarf_Op *ops, size_t count,
		     uint64_t *ret)
{
	struct values v = { .machine = m, .regs = regs, .cfa = cfa, .location = cfa };

	for (size_t i = 0; i < count; i++)
		run_op(&v, &ops[i]);
	*ret = pop(&v);
	if (v.location)
		*ret = read_word(&v, *ret);
	return !v.bad;
}

static void find_value(Dwarf_Frame *frame, const struct machine *m, int reg,
		       const struct registers *regs, struct libdw_row *row)
{
	Dwarf_Op mem[3], *ops;
	size_t count;

	if (dwarf_frame_register(frame, reg, mem, &ops, &count) < 0)
		return;
	if (count > 0 && row->cfa_known &&
	    evaluate(m, regs, &row->cfa, ops, count, &row->value[reg]))
		row->known |= (uint64_t)1 << reg;
	else if (count == 0 && !ops)
		row->unchanged |= (uint64_t)1 << reg;
}

bool libdw_row(Dwarf_CFI *cfi, const struct machine *m, uint64_t address,
	       const struct registers *regs, struct libdw_row *ret)
{
	Dwarf_Frame *frame;
	Dwarf_Op *ops;
	size_t count;
	int ra;

	memset(ret, 0, sizeof(*ret));
	if (dwarf_cfi_addrframe(cfi, address, &frame) < 0)
		return false;
	if (dwarf_frame_cfa(frame, &ops, &count) == 0 && count > 0)
		ret->cfa_known = evaluate(m, regs, NULL, ops, count, &ret->cfa);
	ra = dwarf_frame_info(frame, NULL, NULL, &ret->signal);
	for (int i = 0; i < m->registers; i++)
		find_value(frame, m, i, regs, ret);
	ret->end = ra < m->registers && !((ret->known | ret->unchanged) >> ra & 1);
	free(frame);
	return true;
}

static bool is_base(const struct machine *m, const Dwarf_Op *op)
{
	uint64_t reg = op->number;

	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		reg = op->atom - DW_OP_breg0;
	else if (op->atom != DW_OP_bregx)
		return false;
	return reg == m->sp || reg == m->fp;
}

static bool cfa_is_simple(Dwarf_Frame *frame, const struct machine *m)
{
	Dwarf_Op *ops;
	size_t count;

	return dwarf_frame_cfa(frame, &ops, &count) == 0 && count > 0 &&
	       is_base(m, &ops[0]) && (count < 2 || ops[1].atom == DW_OP_deref) &&
	       (count < 3 || ops[2].atom == DW_OP_plus_uconst) && count <= 3;
}

static bool value_is_simple(Dwarf_Frame *frame, int reg, bool may_be_same)
{
	Dwarf_Op mem[3], *ops;
	size_t count;

	if (dwarf_frame_register(frame, reg, mem, &ops, &count) < 0)
		return false;
	if (count == 0)
		return may_be_same && !ops;
	return ops[0].atom == DW_OP_call_frame_cfa &&
	       (count == 1 || (count == 2 && ops[1].atom == DW_OP_plus_uconst));
}

/* The caller's stack pointer is the CFA. */
static bool sp_is_simple(Dwarf_Frame *frame, const struct machine *m)
{
	Dwarf_Op mem[3], *ops;
	size_t count;

	return dwarf_frame_register(frame, m->sp, mem, &ops, &count) == 0 && count == 2 &&
	       ops[0].atom == DW_OP_call_frame_cfa && ops[1].atom == DW_OP_stack_value;
}

bool libdw_row_is_simple(Dwarf_CFI *cfi, const struct machine *m, uint64_t address)
{
	Dwarf_Frame *frame;
	bool simple;

	if (dwarf_cfi_addrframe(cfi, address, &frame) < 0)
		return false;
	simple = cfa_is_simple(frame, m) && value_is_simple(frame, m->ra, m->link) &&
		 value_is_simple(frame, m->fp, true) && sp_is_simple(frame, m) &&
		 dwarf_frame_info(frame, NULL, NULL, &(bool){ false }) == m->ra;
	free(frame);
	return simple;
}
