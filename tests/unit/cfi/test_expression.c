#include "cfi/expression.h"

#include <criterion/criterion.h>
#include <dwarf.h>
#include <elf.h>

enum { NOTHING_HERE = 0xdead };

/* Memory holds the address itself, but at one place. */
static bool read_address(void *arg, uint64_t address, unsigned size, uint64_t *ret)
{
	(void)arg;
	if (address == NOTHING_HERE)
		return false;
	*ret = size == 8 ? address : address & (((uint64_t)1 << (8 * size)) - 1);
	return true;
}

static bool run(unsigned machine, const uint8_t *bytes, size_t size, uint64_t *ret)
{
	static const uint64_t cfa = 0x7000;
	struct registers regs = { .known = 0xff, .pc = 0x1234 };
	struct expression_context context = {
		machine_by_elf(machine), &regs, read_address, NULL, &cfa, NULL
	};

	for (uint64_t i = 0; i < 8; i++)
		regs.value[i] = 0x100 + i;
	return expression_run(&context, bytes, size, ret);
}

#define OPS(...)                                                                         \
	(const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })

static void expect(uint64_t expected, const uint8_t *bytes, size_t size)
{
	uint64_t value = 0;

	cr_expect(run(EM_X86_64, bytes, size, &value), "operation %#x fails",
		  bytes[size - 1]);
	cr_expect_eq(value, expected, "%#jx, not %#jx, by %#x", (uintmax_t)value,
		     (uintmax_t)expected, bytes[size - 1]);
}

static void expect_32(uint64_t expected, const uint8_t *bytes, size_t size)
{
	uint64_t value = 0;

	cr_expect(run(EM_386, bytes, size, &value));
	cr_expect_eq(value, expected);
}

static void expect_failure(const uint8_t *bytes, size_t size)
{
	uint64_t value = 77;

	cr_expect_not(run(EM_X86_64, bytes, size, &value), "operation %#x does not fail",
		      bytes[size - 1]);
	cr_expect_eq(value, 77);
}

#define IS(value, ...) expect((uint64_t)(value), OPS(__VA_ARGS__))
#define IS_32(value, ...) expect_32((uint64_t)(value), OPS(__VA_ARGS__))
#define FAILS(...) expect_failure(OPS(__VA_ARGS__))

Test(expression, constants_are_read_in_every_size)
{
	IS(5, DW_OP_lit5);
	IS(31, DW_OP_lit31);
	IS(0xff, DW_OP_const1u, 0xff);
	IS(-1, DW_OP_const1s, 0xff);
	IS(0xfffe, DW_OP_const2u, 0xfe, 0xff);
	IS(-2, DW_OP_const2s, 0xfe, 0xff);
	IS(0xfffffffd, DW_OP_const4u, 0xfd, 0xff, 0xff, 0xff);
	IS(-3, DW_OP_const4s, 0xfd, 0xff, 0xff, 0xff);
	IS(-4, DW_OP_const8u, 0xfc, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff);
	IS(-4, DW_OP_const8s, 0xfc, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff);
	IS(300, DW_OP_constu, 0xac, 0x02);
	IS(-2, DW_OP_consts, 0x7e);
	IS(0x1122334455667788, DW_OP_addr, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22,
	   0x11);
	IS_32(0x55667788, DW_OP_addr, 0x88, 0x77, 0x66, 0x55);
}

Test(expression, registers_memory_and_the_cfa_are_read)
{
	IS(0x107, DW_OP_breg7, 0);
	IS(0x105, DW_OP_breg7, 0x7e);
	IS(0x108, DW_OP_bregx, 6, 2);
	IS(0x1235, DW_OP_breg16, 1);
	IS(0x7000, DW_OP_nop);
	IS(0x7000, DW_OP_drop, DW_OP_call_frame_cfa);
	IS(0x115, DW_OP_breg7, 14, DW_OP_deref);
	IS(0x15, DW_OP_breg7, 14, DW_OP_deref_size, 1);
	IS(0x115, DW_OP_breg7, 14, DW_OP_deref_size, 4);
	FAILS(DW_OP_breg8, 0);
	FAILS(DW_OP_bregx, 33, 0);
	FAILS(DW_OP_bregx, 0xff, 0xff, 0x7f, 0);
	FAILS(DW_OP_const2u, 0xad, 0xde, DW_OP_deref);
	FAILS(DW_OP_lit1, DW_OP_deref_size, 3);
	FAILS(DW_OP_lit1, DW_OP_deref_size, 9);
}

Test(expression, values_are_moved_on_the_stack)
{
	IS(2, DW_OP_lit1, DW_OP_lit2, DW_OP_dup, DW_OP_drop);
	IS(1, DW_OP_lit1, DW_OP_lit2, DW_OP_over);
	IS(2, DW_OP_lit1, DW_OP_lit2, DW_OP_pick, 0);
	IS(0x7000, DW_OP_lit1, DW_OP_lit2, DW_OP_pick, 2);
	IS(1, DW_OP_lit1, DW_OP_lit2, DW_OP_swap);
	/* 1 2 3 becomes 3 1 2. */
	IS(2, DW_OP_lit1, DW_OP_lit2, DW_OP_lit3, DW_OP_rot);
	IS(1, DW_OP_lit1, DW_OP_lit2, DW_OP_lit3, DW_OP_rot, DW_OP_drop);
	IS(3, DW_OP_lit1, DW_OP_lit2, DW_OP_lit3, DW_OP_rot, DW_OP_drop, DW_OP_drop);
}

Test(expression, arithmetic_is_that_of_addresses)
{
	IS(7, DW_OP_lit3, DW_OP_lit4, DW_OP_plus);
	IS(-1, DW_OP_lit3, DW_OP_lit4, DW_OP_minus);
	IS(12, DW_OP_lit3, DW_OP_lit4, DW_OP_mul);
	IS(-3, DW_OP_const1s, 0xf9, DW_OP_lit2, DW_OP_div);
	IS(1, DW_OP_lit7, DW_OP_lit3, DW_OP_mod);
	IS(-7, DW_OP_lit7, DW_OP_neg);
	IS(-8, DW_OP_lit7, DW_OP_not);
	IS(7, DW_OP_const1s, 0xf9, DW_OP_abs);
	IS(4, DW_OP_lit12, DW_OP_lit6, DW_OP_and);
	IS(14, DW_OP_lit12, DW_OP_lit6, DW_OP_or);
	IS(10, DW_OP_lit12, DW_OP_lit6, DW_OP_xor);
	IS(48, DW_OP_lit12, DW_OP_lit2, DW_OP_shl);
	IS(3, DW_OP_lit12, DW_OP_lit2, DW_OP_shr);
	IS(-2, DW_OP_const1s, 0xf8, DW_OP_lit2, DW_OP_shra);
	IS(0, DW_OP_lit12, DW_OP_const1u, 64, DW_OP_shl);
	IS(-1, DW_OP_const1s, 0xf8, DW_OP_const1u, 200, DW_OP_shra);
	IS(305, DW_OP_lit5, DW_OP_plus_uconst, 0xac, 0x02);
	FAILS(DW_OP_lit1, DW_OP_lit0, DW_OP_div);
	FAILS(DW_OP_lit1, DW_OP_lit0, DW_OP_mod);
	/* The one quotient that no number is. */
	IS(INT64_MIN, DW_OP_lit1, DW_OP_const1u, 63, DW_OP_shl, DW_OP_const1s, 0xff,
	   DW_OP_div);
}

Test(expression, comparisons_are_signed)
{
	IS(1, DW_OP_lit3, DW_OP_lit3, DW_OP_eq);
	IS(1, DW_OP_lit3, DW_OP_lit3, DW_OP_ge);
	IS(0, DW_OP_lit3, DW_OP_lit3, DW_OP_gt);
	IS(1, DW_OP_lit3, DW_OP_lit3, DW_OP_le);
	IS(0, DW_OP_lit3, DW_OP_lit3, DW_OP_lt);
	IS(0, DW_OP_lit3, DW_OP_lit3, DW_OP_ne);
	IS(1, DW_OP_const1s, 0xff, DW_OP_lit0, DW_OP_lt);
}

Test(expression, values_of_i386_have_32_bits)
{
	uint64_t value;

	IS_32(0xffffffff, DW_OP_lit0, DW_OP_lit1, DW_OP_minus);
	IS_32(1, DW_OP_const1s, 0xff, DW_OP_lit0, DW_OP_lt);
	IS_32(0xfffffffe, DW_OP_const1s, 0xf8, DW_OP_lit2, DW_OP_shra);
	IS_32(0, DW_OP_lit1, DW_OP_const1u, 32, DW_OP_shl);
	cr_expect_not(run(EM_386, OPS(DW_OP_lit1, DW_OP_deref_size, 8), &value));
}

Test(expression, jumps_go_both_ways_and_not_out)
{
	IS(2, DW_OP_lit2, DW_OP_skip, 1, 0, DW_OP_lit1);
	IS(1, DW_OP_lit1, DW_OP_bra, 1, 0, 0xff, DW_OP_lit1);
	IS(3, DW_OP_lit3, DW_OP_lit0, DW_OP_bra, 1, 0, DW_OP_nop);
	/* Count down from 5: dup; bra over the end. */
	IS(0, DW_OP_lit5, DW_OP_lit1, DW_OP_minus, DW_OP_dup, DW_OP_bra, 0xfa, 0xff);
	FAILS(DW_OP_skip, 2, 0, DW_OP_lit1);
	FAILS(DW_OP_skip, 0xfc, 0xff);
	FAILS(DW_OP_skip, 0xfd, 0xff);
	FAILS(DW_OP_skip, 1);
}

Test(expression, what_makes_no_sense_fails)
{
	FAILS(DW_OP_drop);
	FAILS(DW_OP_drop, DW_OP_drop);
	FAILS(DW_OP_drop, DW_OP_dup);
	FAILS(DW_OP_plus);
	FAILS(DW_OP_rot);
	FAILS(DW_OP_swap);
	FAILS(DW_OP_lit1, DW_OP_pick, 2);
	FAILS(DW_OP_reg0);
	FAILS(DW_OP_fbreg, 0);
	FAILS(DW_OP_const4u, 1, 2);
	FAILS(DW_OP_breg7);
	FAILS(0xff);
	FAILS(0);
}

Test(expression, the_stack_is_not_endless)
{
	uint8_t ops[64];
	uint64_t value;

	memset(ops, DW_OP_lit1, sizeof(ops));
	cr_expect(run(EM_X86_64, ops, 63, &value));
	cr_expect_not(run(EM_X86_64, ops, 64, &value));
}

Test(expression, without_a_cfa_the_stack_begins_empty)
{
	struct registers regs = { .known = 0 };
	struct expression_context context = {
		machine_by_elf(EM_X86_64), &regs, read_address, NULL, NULL, NULL
	};
	uint64_t value;

	cr_expect_not(expression_run(&context, OPS(DW_OP_nop), &value));
	cr_expect_not(expression_run(&context, OPS(DW_OP_call_frame_cfa), &value));
	cr_expect_not(expression_run(&context, NULL, 0, &value));
	cr_expect(expression_run(&context, OPS(DW_OP_lit1), &value));
}
