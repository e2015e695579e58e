#include "cfi/frame.h"

#include <criterion/criterion.h>
#include <dwarf.h>
#include <elf.h>

#include "unit/cfi/cfi_image.h"

enum { STACK = 0x8000, WORDS = 32 };

/* Memory from STACK on: word i holds 0xa000 + i. */
static bool read_stack(void *arg, uint64_t address, unsigned size, uint64_t *ret)
{
	const struct machine *m = arg;
	uint64_t offset = address - STACK;

	if (size != m->word || offset % size || offset / size >= WORDS)
		return false;
	*ret = 0xa000 + offset / size;
	return true;
}

/* Register i holds 0x100 + i, but sp, in the middle of the stack, and fp above it. */
static void set_registers(const struct machine *m, struct registers *ret)
{
	*ret = (struct registers){ .pc = CFI_TEXT };
	for (uint64_t i = 0; i < m->registers; i++) {
		ret->value[i] = 0x100 + i;
		ret->known |= (uint64_t)1 << i;
	}
	ret->value[m->sp] = STACK + 8u * m->word;
	ret->value[m->fp] = STACK + 16u * m->word;
}

/* How much work the next steps may do. */
static uint64_t *work_left;

static enum frame_found step(struct cfi_image *i, uint64_t at, struct registers *regs,
			     bool *signal)
{
	const struct machine *m = machine_by_elf(i->machine);
	struct frame_info *f;
	struct object o;
	enum frame_found found;

	cfi_open(i, &o);
	cr_assert_eq(frame_info_open(&o, NULL, &f), 0);
	object_close(&o);
	found = frame_step(f, at,
			   &(struct frame_memory){ m, read_stack, (void *)m, work_left },
			   regs, signal);
	frame_info_close(f);
	cfi_end(i);
	return found;
}

/* One step of x86-64 through a function of these instructions. */
static enum frame_found step_ops(const uint8_t *ops, size_t size, struct registers *regs)
{
	struct cfi_image i;
	bool signal = true;
	enum frame_found found;

	cfi_begin(&i, EM_X86_64);
	cfi_cie(&i, CIE_X86_64);
	cfi_fde(&i, CFI_TEXT, 0x100, ops, size);
	set_registers(machine_by_elf(EM_X86_64), regs);
	found = step(&i, CFI_TEXT + 0x80, regs, &signal);
	if (found != FRAME_NOTHING)
		cr_expect_not(signal);
	return found;
}

#define STEP(regs, ...) step_ops(OPS(__VA_ARGS__), regs)

static bool has(const struct registers *r, unsigned reg, uint64_t value)
{
	return r->known >> reg & 1 && r->value[reg] == value;
}

Test(frame, the_caller_has_what_was_saved_and_what_was_not_changed)
{
	struct registers r;

	/* CFA is word 10: return address 9, rbp 8, rbx 7. */
	cr_assert_eq(STEP(&r, DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 6, 2,
			  DW_CFA_offset | 3, 3),
		     FRAME_CALLER_FOUND);
	cr_expect_eq(r.pc, 0xa009);
	cr_expect(has(&r, 16, 0xa009));
	cr_expect(has(&r, 7, STACK + 10 * 8));
	cr_expect(has(&r, 6, 0xa008));
	cr_expect(has(&r, 3, 0xa007));
	cr_expect(has(&r, 12, 0x100 + 12));
	cr_expect(has(&r, 0, 0x100));
	cr_expect_eq(r.known, (1u << 17) - 1);
}

Test(frame, what_is_undefined_or_not_recorded_becomes_unknown)
{
	struct registers r;

	cr_assert_eq(STEP(&r, DW_CFA_undefined, 0, DW_CFA_offset | 12, 100,
			  DW_CFA_register, 13, 0x20),
		     FRAME_CALLER_FOUND);
	cr_expect_eq(r.known, ((1u << 17) - 1) & ~(1u | 1u << 12 | 1u << 13));
}

Test(frame, values_come_from_all_kinds_of_rules)
{
	struct registers r;

	cr_assert_eq(STEP(&r, DW_CFA_register, 3, 12, DW_CFA_val_offset, 13, 2,
			  DW_CFA_expression, 14, 2, DW_OP_breg6, 8, DW_CFA_val_expression,
			  15, 2, DW_OP_breg6, 8, DW_CFA_val_offset_sf, 11, 0x7f,
			  DW_CFA_same_value, 10),
		     FRAME_CALLER_FOUND);
	cr_expect(has(&r, 3, 0x10c));
	cr_expect(has(&r, 13, STACK + 9 * 8 - 16));
	cr_expect(has(&r, 14, 0xa011));
	cr_expect(has(&r, 15, STACK + 17 * 8));
	cr_expect(has(&r, 11, STACK + 9 * 8 + 8));
	cr_expect(has(&r, 10, 0x10a));
}

/* ld.so's binder, OpenSSL, vfork. */
Test(frame, cfa_and_return_address_may_come_from_any_register)
{
	struct registers r;

	cr_assert_eq(STEP(&r, DW_CFA_def_cfa, 6, 8), FRAME_CALLER_FOUND);
	cr_expect_eq(r.pc, 0xa010);
	cr_assert_eq(STEP(&r, DW_CFA_register, 16, 5), FRAME_CALLER_FOUND);
	cr_expect_eq(r.pc, 0x105);
	/* CFA = *(rbp - 8) + 0x8000 - 0xa00f + 64 */
	cr_assert_eq(STEP(&r, DW_CFA_def_cfa_expression, 7, DW_OP_breg6, 0x78,
			  DW_OP_deref, DW_OP_const2u, 0xcf, 0x1f, DW_OP_minus),
		     FRAME_CALLER_FOUND);
	cr_expect(has(&r, 7, STACK + 0x40));
	cr_expect_eq(r.pc, 0xa007);
}

Test(frame, expressions_of_values_begin_with_the_cfa_on_the_stack)
{
	struct registers r;

	cr_assert_eq(STEP(&r, DW_CFA_val_expression, 3, 2, DW_OP_plus_uconst, 5),
		     FRAME_CALLER_FOUND);
	cr_expect(has(&r, 3, STACK + 9 * 8 + 5));
}

Test(frame, a_step_ends_where_the_return_address_is_undefined)
{
	struct registers r;

	cr_expect_eq(STEP(&r, DW_CFA_undefined, 16), FRAME_END);
	cr_expect(has(&r, 7, STACK + 8 * 8));
	cr_expect_eq(r.pc, CFI_TEXT);
}

Test(frame, a_step_needs_a_row)
{
	struct cfi_image i;
	struct registers r = { 0 };
	bool signal;

	cr_expect_eq(STEP(&r, 0x3f), FRAME_NOTHING);
	cr_expect_eq(STEP(&r, DW_CFA_same_value, 16), FRAME_NOTHING);
	cfi_begin(&i, EM_X86_64);
	cr_expect_eq(step(&i, CFI_TEXT, &r, &signal), FRAME_NOTHING);
	cfi_begin(&i, EM_X86_64);
	cfi_cie(&i, CIE_X86_64);
	cfi_fde(&i, CFI_TEXT, 0x10, NO_OPS);
	cr_expect_eq(step(&i, CFI_TEXT + 0x10, &r, &signal), FRAME_NOTHING);
}

Test(frame, a_step_needs_what_was_recorded)
{
	struct registers r;

	/* Where the return address lies nothing was recorded. */
	cr_expect_eq(STEP(&r, DW_CFA_def_cfa_offset, 0xe8, 0x07), FRAME_UNREADABLE);
	cr_expect(has(&r, 7, STACK + 8 * 8));
	/* The CFA counts from a register that no machine has. */
	cr_expect_eq(STEP(&r, DW_CFA_def_cfa, 60, 8), FRAME_UNREADABLE);
	cr_expect_eq(STEP(&r, DW_CFA_def_cfa_expression, 1, DW_OP_deref),
		     FRAME_UNREADABLE);
	cr_expect_eq(STEP(&r, DW_CFA_register, 16, 40), FRAME_UNREADABLE);
}

Test(frame, a_step_does_no_more_work_than_is_left)
{
	enum { ENOUGH = 1000 };
	uint64_t left = ENOUGH, used;
	struct registers r;

	work_left = &left;
	/* Instructions of the CIE and of the function. */
	cr_expect_eq(STEP(&r, DW_CFA_same_value, 3, DW_CFA_nop), FRAME_CALLER_FOUND);
	used = ENOUGH - left;
	cr_expect_geq(used, 8, "%zu", (size_t)used);
	cr_expect_lt(used, 32, "%zu", (size_t)used);
	left = used;
	cr_expect_eq(STEP(&r, DW_CFA_same_value, 3, DW_CFA_nop), FRAME_CALLER_FOUND);
	left = used - 1;
	cr_expect_eq(STEP(&r, DW_CFA_same_value, 3, DW_CFA_nop), FRAME_NOTHING);
	cr_expect_eq(left, 0);
	cr_expect_eq(STEP(&r, DW_CFA_nop), FRAME_NOTHING);
	/* An expression that goes round for ever ends when nothing is left. */
	left = 600;
	cr_assert_eq(STEP(&r, DW_CFA_val_expression, 3, 3, DW_OP_skip, 0xfd, 0xff),
		     FRAME_CALLER_FOUND);
	cr_expect_eq(left, 0);
	cr_expect_not(r.known >> 3 & 1);
}

/* The stack begins where sp is: below it nothing was recorded. */
static enum frame_found step_from_lowest(const uint8_t *ops, size_t size,
					 struct registers *regs)
{
	struct cfi_image i;
	bool signal;

	cfi_begin(&i, EM_X86_64);
	cfi_cie(&i, CIE_X86_64);
	cfi_fde(&i, CFI_TEXT, 0x10, ops, size);
	set_registers(machine_by_elf(EM_X86_64), regs);
	regs->value[7] = STACK;
	return step(&i, CFI_TEXT, regs, &signal);
}

Test(frame, a_register_that_was_popped_is_what_it_is)
{
	struct registers r;

	/* rbx right below sp; r12 where no epilogue leaves it. */
	cr_assert_eq(
		step_from_lowest(OPS(DW_CFA_offset | 3, 2, DW_CFA_offset | 12, 40), &r),
		FRAME_CALLER_FOUND);
	cr_expect(has(&r, 3, 0x103));
	cr_expect_eq(r.known >> 12 & 1, 0);
	cr_assert_eq(step_from_lowest(OPS(DW_CFA_offset | 16, 2), &r), FRAME_UNREADABLE,
		     "a return address is not popped");
}

Test(frame, an_unknown_register_is_no_base)
{
	struct cfi_image i;
	struct registers r;
	bool signal;

	cfi_begin(&i, EM_X86_64);
	cfi_cie(&i, CIE_X86_64);
	cfi_fde(&i, CFI_TEXT, 0x10, OPS(DW_CFA_def_cfa, 3, 8));
	set_registers(machine_by_elf(EM_X86_64), &r);
	r.known &= ~(1u << 3);
	cr_expect_eq(step(&i, CFI_TEXT, &r, &signal), FRAME_UNREADABLE);
}

Test(frame, the_row_is_that_of_the_address)
{
	struct cfi_image i;
	struct registers r;
	bool signal;

	for (uint64_t at = 0; at < 0x30; at += 0x10) {
		cfi_begin(&i, EM_X86_64);
		cfi_cie(&i, CIE_X86_64);
		cfi_fde(&i, CFI_TEXT, 0x20,
			OPS(DW_CFA_advance_loc | 0x10, DW_CFA_def_cfa_offset, 16));
		cfi_fde(&i, CFI_TEXT + 0x20, 0x20, OPS(DW_CFA_def_cfa_offset, 24));
		set_registers(machine_by_elf(EM_X86_64), &r);
		cr_assert_eq(step(&i, CFI_TEXT + at, &r, &signal), FRAME_CALLER_FOUND);
		cr_expect_eq(r.pc, 0xa008 + at / 0x10);
	}
}

Test(frame, signal_frames_are_told)
{
	struct cfi_image i;
	struct cie cie = CIE_X86_64;
	struct registers r;
	bool signal = false;

	cie.letters = "zRS";
	cfi_begin(&i, EM_X86_64);
	cfi_cie(&i, cie);
	cfi_fde(&i, CFI_TEXT, 0x10, NO_OPS);
	set_registers(machine_by_elf(EM_X86_64), &r);
	cr_expect_eq(step(&i, CFI_TEXT, &r, &signal), FRAME_CALLER_FOUND);
	cr_expect(signal);
}

Test(frame, a_return_address_may_have_a_column_of_its_own)
{
	struct cfi_image i;
	struct registers r;
	bool signal;

	cfi_begin(&i, EM_X86_64);
	cfi_cie(&i, (struct cie){ 1, "zR", 0x1b, 1, -8, 15, false,
				  OPS(DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 15, 1) });
	cfi_fde(&i, CFI_TEXT, 0x10, NO_OPS);
	set_registers(machine_by_elf(EM_X86_64), &r);
	cr_expect_eq(step(&i, CFI_TEXT, &r, &signal), FRAME_CALLER_FOUND);
	cr_expect_eq(r.pc, 0xa008);
	cfi_begin(&i, EM_X86_64);
	cfi_cie(&i, (struct cie){ 3, "zR", 0x1b, 1, -8, 1000, false,
				  OPS(DW_CFA_def_cfa, 7, 8) });
	cfi_fde(&i, CFI_TEXT, 0x10, NO_OPS);
	cr_expect_eq(step(&i, CFI_TEXT, &r, &signal), FRAME_NOTHING);
	/* aarch64's C library has one that no rule says anything of. */
	cfi_begin(&i, EM_AARCH64);
	cfi_cie(&i, (struct cie){ 1, "zR", 0x1b, 4, -8, 15, false,
				  OPS(DW_CFA_def_cfa, 31, 0) });
	cfi_fde(&i, CFI_TEXT, 0x10, NO_OPS);
	cr_expect_eq(step(&i, CFI_TEXT, &r, &signal), FRAME_NOTHING);
}

Test(frame, i386_has_words_of_4_bytes)
{
	struct cfi_image i;
	struct registers r;
	bool signal;

	cfi_begin(&i, EM_386);
	cfi_cie(&i, (struct cie){ 1, "zR", 0x1b, 1, -4, 8, false,
				  OPS(DW_CFA_def_cfa, 4, 4, DW_CFA_offset | 8, 1) });
	/* The offset wraps: sp + 2^32 + 8. */
	cfi_fde(&i, CFI_TEXT, 0x10,
		OPS(DW_CFA_def_cfa_offset, 0x88, 0x80, 0x80, 0x80, 0x10,
		    DW_CFA_offset | 5, 2));
	set_registers(machine_by_elf(EM_386), &r);
	cr_expect_eq(step(&i, CFI_TEXT, &r, &signal), FRAME_CALLER_FOUND);
	cr_expect_eq(r.pc, 0xa009);
	cr_expect(has(&r, 4, STACK + 10 * 4));
	cr_expect(has(&r, 5, 0xa008));
	cr_expect(has(&r, 3, 0x103));
}

Test(frame, aarch64_returns_to_its_link_register)
{
	struct cfi_image i;
	struct registers r;
	bool signal;

	cfi_begin(&i, EM_AARCH64);
	cfi_cie(&i, (struct cie){ 1, "zR", 0x1b, 4, -8, 30, false,
				  OPS(DW_CFA_def_cfa, 31, 0) });
	cfi_fde(&i, CFI_TEXT, 0x10, NO_OPS);
	set_registers(machine_by_elf(EM_AARCH64), &r);
	cr_expect_eq(step(&i, CFI_TEXT, &r, &signal), FRAME_CALLER_FOUND);
	cr_expect_eq(r.pc, 0x100 + 30);
	cr_expect(has(&r, 31, STACK + 8 * 8));
	cfi_begin(&i, EM_AARCH64);
	cfi_cie(&i, (struct cie){ 1, "zR", 0x1b, 4, -8, 30, false,
				  OPS(DW_CFA_def_cfa, 31, 16, DW_CFA_offset | 29, 2,
				      DW_CFA_offset | 30, 1) });
	cfi_fde(&i, CFI_TEXT, 0x10, NO_OPS);
	set_registers(machine_by_elf(EM_AARCH64), &r);
	cr_expect_eq(step(&i, CFI_TEXT, &r, &signal), FRAME_CALLER_FOUND);
	cr_expect_eq(r.pc, 0xa009);
	cr_expect(has(&r, 30, 0xa009));
	cr_expect(has(&r, 29, 0xa008));
}

Test(frame, an_object_of_another_machine_has_no_frames)
{
	struct cfi_image i;
	struct registers r = { 0 };
	struct frame_info *f;
	struct object o;
	bool signal;

	cfi_begin(&i, EM_X86_64);
	cfi_cie(&i, CIE_X86_64);
	cfi_fde(&i, CFI_TEXT, 0x10, NO_OPS);
	cfi_open(&i, &o);
	cr_assert_eq(frame_info_open(&o, NULL, &f), 0);
	cr_expect_eq(frame_step(f, CFI_TEXT,
				&(struct frame_memory){ machine_by_elf(EM_386),
							.read = read_stack },
				&r, &signal),
		     FRAME_NOTHING);
	frame_info_close(f);
	frame_info_close(NULL);
	object_close(&o);
	cfi_end(&i);
}
