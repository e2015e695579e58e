#include "cfi/unwind_rule.h"

#include <criterion/criterion.h>
#include <dwarf.h>
#include <elf.h>

#include "unit/cfi/cfi_image.h"

static void expect_row(unsigned machine, const char *letters, const uint8_t *ops,
		       size_t size, const char *expected)
{
	struct cfi_image i;
	struct unwind_table t;
	struct cie cie = CIE_X86_64;
	static const uint8_t narrow[] = { DW_CFA_def_cfa, 4, 4, DW_CFA_offset | 8, 1 };

	if (machine == EM_386) {
		cie.data_align = -4;
		cie.ra = 8;
		cie.ops = narrow;
	}
	cie.letters = letters;
	cfi_begin(&i, machine);
	cfi_cie(&i, cie);
	cfi_fde(&i, CFI_TEXT, 0x100, ops, size);
	cfi_compile(&i, &t);
	cr_expect_str_eq(row_at(&t, CFI_TEXT), expected, "%s, not %s",
			 row_at(&t, CFI_TEXT), expected);
	unwind_release(&t);
	cfi_end(&i);
}

#define ROW(expected, ...) expect_row(EM_X86_64, "zR", OPS(__VA_ARGS__), expected)

/* Lazy PLTs of GNU ld: without and with IBT. */
Test(unwind_rule, plt_entries_push_a_word)
{
	ROW("plt sp+8>=11 ra=c-8", DW_CFA_def_cfa_expression, 11, DW_OP_breg7, 8,
	    DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and, DW_OP_lit11, DW_OP_ge, DW_OP_lit3,
	    DW_OP_shl, DW_OP_plus);
	ROW("plt sp+8>=9 ra=c-8", DW_CFA_def_cfa_expression, 11, DW_OP_breg7, 8,
	    DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and, DW_OP_lit9, DW_OP_ge, DW_OP_lit3,
	    DW_OP_shl, DW_OP_plus);
	expect_row(EM_386, "zR",
		   OPS(DW_CFA_def_cfa_expression, 11, DW_OP_breg4, 4, DW_OP_breg8, 0,
		       DW_OP_lit15, DW_OP_and, DW_OP_lit11, DW_OP_ge, DW_OP_lit2,
		       DW_OP_shl, DW_OP_plus),
		   "plt sp+4>=11 ra=c-4");
}

Test(unwind_rule, what_only_looks_like_a_plt_is_for_the_full_step)
{
	static const uint8_t plt[] = PLT_OPS;

	for (size_t i = 2; i < sizeof(plt); i++) {
		uint8_t ops[sizeof(plt)];

		if (i == 3) /* the offset may be any */
			continue;
		memcpy(ops, plt, sizeof(plt));
		ops[i] ^= i == 8 ? 0x40 : 1;
		expect_row(EM_X86_64, "zR", ops, sizeof(ops), "other");
	}
}

/* gcc, where it aligns the stack: the caller's stack pointer was saved below fp. */
Test(unwind_rule, functions_that_align_their_stack_are_compiled)
{
	ROW("*(fp-8)+0 ra=c-8 fp=b+0", DW_CFA_def_cfa_expression, 3, DW_OP_breg6, 0x78,
	    DW_OP_deref, DW_CFA_expression, 6, 2, DW_OP_breg6, 0);
	ROW("fp+16 ra=c-8 fp=b-8", DW_CFA_def_cfa, 6, 16, DW_CFA_expression, 6, 2,
	    DW_OP_breg6, 0x78);
}

/* OpenSSL. */
Test(unwind_rule, a_cfa_that_was_saved_is_compiled)
{
	ROW("*(sp+64)+8 ra=c-8", DW_CFA_def_cfa_expression, 6, DW_OP_breg7, 0xc0, 0x00,
	    DW_OP_deref, DW_OP_plus_uconst, 8);
	ROW("*(sp+8)+32767 ra=c-8", DW_CFA_def_cfa_expression, 7, DW_OP_breg7, 8,
	    DW_OP_deref, DW_OP_plus_uconst, 0xff, 0xff, 0x01);
	ROW("other", DW_CFA_def_cfa_expression, 7, DW_OP_breg7, 8, DW_OP_deref,
	    DW_OP_plus_uconst, 0x80, 0x80, 0x02);
	ROW("sp+8 ra=c-8", DW_CFA_def_cfa_expression, 2, DW_OP_breg7, 8);
	ROW("fp-8 ra=c-8", DW_CFA_def_cfa_expression, 2, DW_OP_breg6, 0x78);
}

/* What the C library says of the frame a signal makes. */
Test(unwind_rule, signal_frames_are_compiled)
{
	expect_row(EM_X86_64, "zRS",
		   OPS(DW_CFA_def_cfa_expression, 4, DW_OP_breg7, 0xa0, 0x01, DW_OP_deref,
		       DW_CFA_expression, 7, 3, DW_OP_breg7, 0xa0, 0x01,
		       DW_CFA_expression, 6, 3, DW_OP_breg7, 0xf8, 0x00,
		       DW_CFA_expression, 16, 3, DW_OP_breg7, 0xa8, 0x01),
		   "*(sp+160)+0 ra=b+168 fp=b+120 signal");
	expect_row(EM_X86_64, "zRS", OPS(DW_CFA_nop), "sp+8 ra=c-8 signal");
	expect_row(EM_X86_64, "zRS", OPS(DW_CFA_undefined, 16), "end");
	expect_row(EM_X86_64, "zRS", OPS(DW_CFA_def_cfa_register, 3), "other");
}

Test(unwind_rule, a_saved_stack_pointer_that_is_not_the_cfa_is_for_the_full_step)
{
	ROW("other", DW_CFA_def_cfa_expression, 4, DW_OP_breg7, 0xa0, 0x01, DW_OP_deref,
	    DW_CFA_expression, 7, 3, DW_OP_breg7, 0xa8, 0x01);
	ROW("other", DW_CFA_expression, 7, 2, DW_OP_breg7, 8);
}

Test(unwind_rule, expressions_of_another_form_are_for_the_full_step)
{
	ROW("other", DW_CFA_def_cfa_expression, 2, DW_OP_breg3, 8);
	ROW("other", DW_CFA_def_cfa_expression, 4, DW_OP_breg7, 8, DW_OP_deref,
	    DW_OP_deref);
	ROW("other", DW_CFA_def_cfa_expression, 4, DW_OP_breg7, 8, DW_OP_plus_uconst, 8);
	ROW("other", DW_CFA_def_cfa_expression, 0);
	ROW("other", DW_CFA_def_cfa_expression, 1, DW_OP_breg7);
	ROW("other", DW_CFA_def_cfa_expression, 6, DW_OP_breg7, 8, DW_OP_deref,
	    DW_OP_plus_uconst, 0x80, 0x80);
	/* The base is sp here, and fp there. */
	ROW("other", DW_CFA_expression, 6, 2, DW_OP_breg6, 0);
	ROW("other", DW_CFA_def_cfa_register, 6, DW_CFA_expression, 6, 2, DW_OP_breg7, 0);
	ROW("other", DW_CFA_expression, 6, 3, DW_OP_breg7, 0, DW_OP_deref);
	ROW("other", DW_CFA_expression, 16, 2, DW_OP_breg3, 0);
	ROW("sp+8 ra=b+0", DW_CFA_expression, 16, 2, DW_OP_breg7, 0);
}

Test(unwind_rule, a_return_address_in_another_column_is_for_the_full_step)
{
	struct cfi_image i;
	struct unwind_table t;

	cfi_begin(&i, EM_X86_64);
	cfi_cie(&i, (struct cie){ 1, "zR", 0x1b, 1, -8, 15, false,
				  OPS(DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 15, 1) });
	cfi_fde(&i, CFI_TEXT, 0x10, NO_OPS);
	cfi_compile(&i, &t);
	cr_expect_str_eq(row_at(&t, CFI_TEXT), "other");
	unwind_release(&t);
	cfi_end(&i);
}

Test(unwind_rule, without_a_cfa_nothing_is_known)
{
	struct cfi_image i;
	struct unwind_table t;

	cfi_begin(&i, EM_X86_64);
	cfi_cie(&i, (struct cie){ 1, "zR", 0x1b, 1, -8, 16, false,
				  OPS(DW_CFA_offset | 16, 1) });
	cfi_fde(&i, CFI_TEXT, 0x10, NO_OPS);
	cfi_fde(&i, CFI_TEXT + 0x10, 0x10, OPS(DW_CFA_def_cfa, 7, 8));
	cfi_compile(&i, &t);
	cr_expect_str_eq(row_at(&t, CFI_TEXT), "none");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x10), "sp+8 ra=c-8");
	unwind_release(&t);
	cfi_end(&i);
}

Test(unwind_rule, packing_loses_nothing)
{
	struct unwind_rule rule = { UNWIND_FP_DEREF, 63, -1, INT32_MIN, -8, INT32_MIN };
	struct unwind_rule back = rule_unpack(rule_pack(&rule));

	cr_expect_eq(memcmp(&rule, &back, sizeof(rule)), 0);
}
