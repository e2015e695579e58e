/*
 * The stack machine of DWARF 5, 2.5, for rules of call frame information. Each group of
 * operations says whether an operation is its own, and the last resort is to fail. .bad
 * is sticky: a group goes on with zeros after an error, and the loop stops after each
 * operation.
 *
 * Values are as wide as addresses of the machine: what is pushed is cut to 32 bits where
 * they have as many, and sign-extended again where an operation is signed. The CFA is
 * there first for the rules of registers (DWARF 5, 6.4.2.3). Expressions can jump
 * backwards, so MOST_STEPS bounds each one, and the caller's count all of a stack.
 */
#include "cfi/expression.h"

#include <dwarf.h>

#include "base/encoded.h"

enum {
	MOST_VALUES = 64,
	MOST_STEPS = 1000, /* they can loop; the longest that is known has 13 */
};

struct evaluation {
	const struct expression_context *context;
	struct cursor c;
	const uint8_t *start;
	uint64_t stack[MOST_VALUES];
	unsigned count;
	bool bad;
};

static void push(struct evaluation *s, uint64_t value)
{
	if (s->count == MOST_VALUES) {
		s->bad = true;
		return;
	}
	s->stack[s->count++] = s->context->machine->word == 8 ? value : (uint32_t)value;
}

static uint64_t pop(struct evaluation *s)
{
	if (s->count == 0) {
		s->bad = true;
		return 0;
	}
	return s->stack[--s->count];
}

/* The value @depth below the top. */
static uint64_t peek(struct evaluation *s, unsigned depth)
{
	if (depth >= s->count) {
		s->bad = true;
		return 0;
	}
	return s->stack[s->count - 1 - depth];
}

static int64_t as_signed(const struct evaluation *s, uint64_t value)
{
	return s->context->machine->word == 8 ? (int64_t)value : (int32_t)value;
}

static void push_register(struct evaluation *s, uint64_t reg, int64_t offset)
{
	const struct registers *regs = s->context->regs;

	if (reg == s->context->machine->pc)
		push(s, regs->pc + (uint64_t)offset);
	else if (reg < REGISTERS_MOST && regs->known >> reg & 1)
		push(s, regs->value[reg] + (uint64_t)offset);
	else
		s->bad = true;
}

static void dereference(struct evaluation *s, unsigned size)
{
	uint64_t address = pop(s), value;

	if (s->bad || (size != 1 && size != 2 && size != 4 && size != 8) ||
	    size > s->context->machine->word ||
	    !s->context->read(s->context->read_arg, address, size, &value)) {
		s->bad = true;
		return;
	}
	push(s, value);
}

static void jump(struct evaluation *s, bool taken)
{
	int64_t distance = (int16_t)cursor_u16(&s->c);
	int64_t at = s->c.p - s->start + distance;

	if (!taken)
		return;
	if (at < 0 || at > s->c.end - s->start)
		s->bad = true;
	else
		s->c.p = s->start + at;
}

static uint64_t shift(const struct evaluation *s, uint8_t op, uint64_t value,
		      uint64_t bits)
{
	int64_t number = as_signed(s, value);

	if (bits >= 8u * s->context->machine->word)
		return op == DW_OP_shra && number < 0 ? UINT64_MAX : 0;
	if (op == DW_OP_shl)
		return value << bits;
	return op == DW_OP_shr ? value >> bits : (uint64_t)(number >> bits);
}

static uint64_t divide(struct evaluation *s, uint8_t op, uint64_t a, uint64_t b)
{
	int64_t divisor = as_signed(s, b);

	if (b == 0) {
		s->bad = true;
		return 0;
	}
	if (op == DW_OP_mod)
		return a % b;
	return divisor == -1 ? -a : (uint64_t)(as_signed(s, a) / divisor);
}

/* Operations that take two values and leave one. */
static bool run_binary(struct evaluation *s, uint8_t op)
{
	uint64_t b = peek(s, 0), a = peek(s, 1), value;
	int64_t signed_a = as_signed(s, a), signed_b = as_signed(s, b);

	switch (op) {
	case DW_OP_and:
		value = a & b;
		break;
	case DW_OP_or:
		value = a | b;
		break;
	case DW_OP_xor:
		value = a ^ b;
		break;
	case DW_OP_plus:
		value = a + b;
		break;
	case DW_OP_minus:
		value = a - b;
		break;
	case DW_OP_mul:
		value = a * b;
		break;
	case DW_OP_div:
	case DW_OP_mod:
		value = divide(s, op, a, b);
		break;
	case DW_OP_shl:
	case DW_OP_shr:
	case DW_OP_shra:
		value = shift(s, op, a, b);
		break;
	case DW_OP_eq:
		value = signed_a == signed_b;
		break;
	case DW_OP_ge:
		value = signed_a >= signed_b;
		break;
	case DW_OP_gt:
		value = signed_a > signed_b;
		break;
	case DW_OP_le:
		value = signed_a <= signed_b;
		break;
	case DW_OP_lt:
		value = signed_a < signed_b;
		break;
	case DW_OP_ne:
		value = signed_a != signed_b;
		break;
	default:
		return false;
	}
	pop(s);
	pop(s);
	push(s, value);
	return true;
}

static bool run_constant(struct evaluation *s, uint8_t op)
{
	struct cursor *c = &s->c;

	switch (op) {
	case DW_OP_addr:
		push(s, read_sized(c, s->context->machine->word));
		return true;
	case DW_OP_const1u:
		push(s, cursor_u8(c));
		return true;
	case DW_OP_const1s:
		push(s, (uint64_t)(int8_t)cursor_u8(c));
		return true;
	case DW_OP_const2u:
		push(s, cursor_u16(c));
		return true;
	case DW_OP_const2s:
		push(s, (uint64_t)(int16_t)cursor_u16(c));
		return true;
	case DW_OP_const4u:
		push(s, cursor_u32(c));
		return true;
	case DW_OP_const4s:
		push(s, (uint64_t)(int32_t)cursor_u32(c));
		return true;
	case DW_OP_const8u:
	case DW_OP_const8s:
		push(s, cursor_u64(c));
		return true;
	case DW_OP_constu:
		push(s, read_uleb(c));
		return true;
	case DW_OP_consts:
		push(s, (uint64_t)read_sleb(c));
		return true;
	case DW_OP_lit0 ... DW_OP_lit31:
		push(s, op - DW_OP_lit0);
		return true;
	default:
		return false;
	}
}

static bool run_stack(struct evaluation *s, uint8_t op)
{
	uint64_t first, second, third; /* from the top */
	int64_t number;

	switch (op) {
	case DW_OP_dup:
		push(s, peek(s, 0));
		return true;
	case DW_OP_drop:
		pop(s);
		return true;
	case DW_OP_over:
		push(s, peek(s, 1));
		return true;
	case DW_OP_pick:
		push(s, peek(s, cursor_u8(&s->c)));
		return true;
	case DW_OP_swap:
		first = pop(s);
		second = pop(s);
		push(s, first);
		push(s, second);
		return true;
	case DW_OP_rot:
		first = pop(s);
		second = pop(s);
		third = pop(s);
		push(s, first);
		push(s, third);
		push(s, second);
		return true;
	case DW_OP_abs:
		number = as_signed(s, pop(s));
		push(s, number < 0 ? -(uint64_t)number : (uint64_t)number);
		return true;
	case DW_OP_neg:
		push(s, -pop(s));
		return true;
	case DW_OP_not:
		push(s, ~pop(s));
		return true;
	case DW_OP_plus_uconst:
		push(s, pop(s) + read_uleb(&s->c));
		return true;
	default:
		return run_binary(s, op);
	}
}

static bool run_place(struct evaluation *s, uint8_t op)
{
	uint64_t reg;

	switch (op) {
	case DW_OP_breg0 ... DW_OP_breg31:
		push_register(s, op - DW_OP_breg0, read_sleb(&s->c));
		return true;
	case DW_OP_bregx:
		reg = read_uleb(&s->c);
		push_register(s, reg, read_sleb(&s->c));
		return true;
	case DW_OP_call_frame_cfa:
		s->bad = s->bad || !s->context->cfa;
		push(s, s->context->cfa ? *s->context->cfa : 0);
		return true;
	case DW_OP_deref:
		dereference(s, s->context->machine->word);
		return true;
	case DW_OP_deref_size:
		dereference(s, cursor_u8(&s->c));
		return true;
	case DW_OP_skip:
		jump(s, true);
		return true;
	case DW_OP_bra:
		jump(s, pop(s) != 0);
		return true;
	case DW_OP_nop:
		return true;
	default:
		return run_stack(s, op);
	}
}

bool expression_run(const struct expression_context *context, const uint8_t *bytes,
		    size_t size, uint64_t *ret)
{
	struct evaluation s = { .context = context, .c = cursor_of(bytes, size) };
	uint64_t value;

	s.start = s.c.p;
	if (context->cfa)
		push(&s, *context->cfa);
	for (unsigned steps = 0; cursor_left(&s.c) > 0; steps++) {
		uint8_t op = cursor_u8(&s.c);

		if (context->left && (*context->left)-- == 0) {
			*context->left = 0;
			return false;
		}
		if (steps == MOST_STEPS || (!run_constant(&s, op) && !run_place(&s, op)))
			return false;
		if (s.bad || s.c.bad)
			return false;
	}
	value = pop(&s);
	if (s.bad)
		return false;
	*ret = value;
	return true;
}
