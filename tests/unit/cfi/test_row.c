#include "cfi/row.h"

#include <criterion/criterion.h>
#include <dwarf.h>
#include <elf.h>

#include "unit/cfi/cfi_image.h"

/* Function from CFI_TEXT on, 0x1000 bytes long, with these instructions. */
static void compile(unsigned machine, const uint8_t *ops, size_t size,
		    struct unwind_table *ret)
{
	struct cfi_image i;

	cfi_begin(&i, machine);
	if (machine == EM_AARCH64)
		cfi_cie(&i, (struct cie){ 1, "zR", 0x1b, 4, -8, 30, false,
					  OPS(DW_CFA_def_cfa, 31, 0) });
	else if (machine == EM_386)
		cfi_cie(&i,
			(struct cie){ 1, "zR", 0x1b, 1, -4, 8, false,
				      OPS(DW_CFA_def_cfa, 4, 4, DW_CFA_offset | 8, 1) });
	else
		cfi_cie(&i, CIE_X86_64);
	cfi_fde(&i, CFI_TEXT, 0x1000, ops, size);
	cfi_compile(&i, ret);
	cfi_end(&i);
}

static void expect_row(unsigned machine, const uint8_t *ops, size_t size, uint64_t at,
		       const char *expected)
{
	struct unwind_table t;

	compile(machine, ops, size, &t);
	cr_expect_str_eq(row_at(&t, CFI_TEXT + at), expected, "%s, not %s, at %#jx",
			 row_at(&t, CFI_TEXT + at), expected, (uintmax_t)at);
	unwind_release(&t);
}

#define ROW(expected, ...) expect_row(EM_X86_64, OPS(__VA_ARGS__), 0xfff, expected)
#define ROW_AT(at, expected, ...) expect_row(EM_X86_64, OPS(__VA_ARGS__), at, expected)

Test(cfi_row, the_cfa_is_a_register_and_an_offset)
{
	ROW("sp+24 ra=c-8", DW_CFA_def_cfa, 7, 24);
	ROW("fp+16 ra=c-8", DW_CFA_def_cfa, 6, 16);
	ROW("sp+300 ra=c-8", DW_CFA_def_cfa_offset, 0xac, 0x02);
	ROW("fp+8 ra=c-8", DW_CFA_def_cfa_register, 6);
	ROW("fp+16 ra=c-8", DW_CFA_def_cfa_sf, 6, 0x7e);
	ROW("sp+16 ra=c-8", DW_CFA_def_cfa_offset_sf, 0x7e);
	ROW("sp-8 ra=c-8", DW_CFA_def_cfa_offset_sf, 1);
	ROW("other", DW_CFA_def_cfa, 10, 0);
	ROW("other", DW_CFA_def_cfa_register, 3);
}

Test(cfi_row, the_frame_pointer_is_saved_or_unchanged)
{
	ROW("sp+8 ra=c-8 fp=c-16", DW_CFA_offset | 6, 2);
	ROW("sp+8 ra=c-8 fp=c-24", DW_CFA_offset_extended, 6, 3);
	ROW("sp+8 ra=c-8 fp=c-24", DW_CFA_offset_extended_sf, 6, 3);
	ROW("sp+8 ra=c-8 fp=c+16", DW_CFA_offset_extended_sf, 6, 0x7e);
	ROW("sp+8 ra=c-8 fp=c+16", DW_CFA_GNU_negative_offset_extended, 6, 2);
	/* 2^63: no offset is that. */
	ROW("other", DW_CFA_GNU_negative_offset_extended, 6, 0x80, 0x80, 0x80, 0x80, 0x80,
	    0x80, 0x80, 0x80, 0x80, 1);
	ROW("sp+8 ra=c-8", DW_CFA_offset | 6, 2, DW_CFA_restore | 6);
	ROW("sp+8 ra=c-8", DW_CFA_offset | 6, 2, DW_CFA_restore_extended, 6);
	ROW("sp+8 ra=c-8", DW_CFA_offset | 6, 2, DW_CFA_same_value, 6);
	ROW("other", DW_CFA_undefined, 6);
	ROW("other", DW_CFA_register, 6, 3);
	ROW("other", DW_CFA_val_offset, 6, 2);
	ROW("other", DW_CFA_val_offset_sf, 6, 2);
	ROW("other", DW_CFA_val_expression, 6, 2, DW_OP_breg7, 0);
}

Test(cfi_row, the_return_address_is_saved)
{
	ROW("sp+8 ra=c-16", DW_CFA_offset | 16, 2);
	ROW("sp+8 ra=c-8", DW_CFA_register, 16, 5, DW_CFA_restore | 16);
	ROW("other", DW_CFA_register, 16, 5);
	ROW("other", DW_CFA_same_value, 16);
	ROW("other", DW_CFA_val_offset, 16, 1);
	ROW("end", DW_CFA_undefined, 16);
}

Test(cfi_row, the_stack_pointer_of_the_caller_is_the_cfa)
{
	ROW("sp+8 ra=c-8", DW_CFA_val_offset, 7, 0);
	ROW("sp+8 ra=c-8", DW_CFA_same_value, 7, DW_CFA_restore | 7);
	ROW("other", DW_CFA_val_offset, 7, 1);
	ROW("other", DW_CFA_same_value, 7);
	ROW("other", DW_CFA_offset | 7, 3);
	ROW("other", DW_CFA_register, 7, 3);
}

Test(cfi_row, other_registers_and_sizes_of_arguments_change_nothing)
{
	ROW("sp+16 ra=c-8", DW_CFA_offset | 3, 2, DW_CFA_offset_extended, 0xff, 0x7f, 3,
	    DW_CFA_undefined, 2, DW_CFA_GNU_args_size, 0x80, 0x01, DW_CFA_nop,
	    DW_CFA_expression, 12, 2, DW_OP_breg6, 0, DW_CFA_restore | 63,
	    DW_CFA_register, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01,
	    DW_CFA_def_cfa_offset, 16);
}

Test(cfi_row, rows_begin_where_they_advance_to)
{
	static const uint8_t ops[] = { DW_CFA_advance_loc | 4,
				       DW_CFA_def_cfa_offset,
				       16,
				       DW_CFA_advance_loc1,
				       200,
				       DW_CFA_def_cfa_offset,
				       24,
				       DW_CFA_advance_loc2,
				       0x00,
				       0x01,
				       DW_CFA_def_cfa_offset,
				       32,
				       DW_CFA_advance_loc4,
				       0,
				       4,
				       0,
				       0,
				       DW_CFA_def_cfa_offset,
				       40,
				       0x1d,
				       1,
				       0,
				       0,
				       0,
				       0,
				       0,
				       0,
				       0,
				       DW_CFA_def_cfa_offset,
				       48 };
	static const struct {
		uint64_t at;
		const char *row;
	} rows[] = {
		{ 0, "sp+8 ra=c-8" },	   { 3, "sp+8 ra=c-8" },
		{ 4, "sp+16 ra=c-8" },	   { 203, "sp+16 ra=c-8" },
		{ 204, "sp+24 ra=c-8" },   { 459, "sp+24 ra=c-8" },
		{ 460, "sp+32 ra=c-8" },   { 1483, "sp+32 ra=c-8" },
		{ 1484, "sp+40 ra=c-8" },  { 1485, "sp+48 ra=c-8" },
		{ 0xfff, "sp+48 ra=c-8" }, { 0x1000, "none" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect_row(EM_X86_64, ops, sizeof(ops), rows[i].at, rows[i].row);
}

Test(cfi_row, advances_by_nothing_make_no_row)
{
	struct unwind_table t;
	static const uint8_t ops[] = {
		DW_CFA_def_cfa_offset, 16, DW_CFA_advance_loc, DW_CFA_def_cfa_offset, 24,
		DW_CFA_advance_loc1,   0
	};

	compile(EM_X86_64, ops, sizeof(ops), &t);
	cr_expect_str_eq(row_at(&t, CFI_TEXT), "sp+24 ra=c-8");
	cr_expect_eq(t.row_count, 1);
	unwind_release(&t);
}

Test(cfi_row, an_advance_past_the_end_ends_the_function)
{
	ROW("sp+8 ra=c-8", DW_CFA_advance_loc2, 0x00, 0x10, DW_CFA_def_cfa_offset, 16,
	    0x3f);
	ROW("sp+8 ra=c-8", 0x1d, 255, 255, 255, 255, 255, 255, 255, 255, 0x3f);
}

/* pcrel, 4 bytes: from the operand to CFI_TEXT + 0x10. The operand of the first
 * function's first instruction lies at 0x2000 + 24 + 18. */
Test(cfi_row, a_location_can_be_set_but_not_backwards)
{
	struct cfi_image i;
	struct unwind_table t;
	static const uint8_t ops[] = { DW_CFA_set_loc,
				       0x10,
				       0x10,
				       0,
				       0,
				       0,
				       0,
				       0,
				       0,
				       DW_CFA_def_cfa_offset,
				       16,
				       DW_CFA_advance_loc | 8,
				       DW_CFA_set_loc,
				       0x17,
				       0x10,
				       0,
				       0,
				       0,
				       0,
				       0,
				       0 };

	cfi_begin(&i, EM_X86_64);
	cfi_cie(&i, (struct cie){ 1, "zR", DW_EH_PE_absptr, 1, -8, 16, false,
				  OPS(DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1) });
	cfi_fde(&i, CFI_TEXT, 0x100, ops, sizeof(ops));
	cfi_compile(&i, &t);
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x0f), "sp+8 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x10), "sp+16 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x17), "sp+16 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x18), "none");
	cr_expect_eq(t.refused, 1);
	unwind_release(&t);
	cfi_end(&i);
}

Test(cfi_row, a_remembered_row_comes_back_with_its_cfa)
{
	ROW("fp+16 ra=c-8 fp=c-16", DW_CFA_def_cfa, 6, 16, DW_CFA_offset | 6, 2,
	    DW_CFA_remember_state, DW_CFA_def_cfa, 7, 8, DW_CFA_restore | 6,
	    DW_CFA_advance_loc | 1, DW_CFA_restore_state);
	ROW_AT(0, "sp+8 ra=c-8", DW_CFA_def_cfa, 6, 16, DW_CFA_offset | 6, 2,
	       DW_CFA_remember_state, DW_CFA_def_cfa, 7, 8, DW_CFA_restore | 6,
	       DW_CFA_advance_loc | 1, DW_CFA_restore_state);
	ROW("sp+24 ra=c-8", DW_CFA_def_cfa_offset, 24, DW_CFA_remember_state,
	    DW_CFA_def_cfa_offset, 32, DW_CFA_remember_state, DW_CFA_def_cfa_offset, 40,
	    DW_CFA_restore_state, DW_CFA_restore_state);
}

Test(cfi_row, rows_are_remembered_to_a_depth)
{
	uint8_t ops[2 + 300] = { DW_CFA_def_cfa_offset, 16 };

	memset(ops + 2, DW_CFA_remember_state, 300);
	expect_row(EM_X86_64, ops, 2 + 256, 0, "sp+16 ra=c-8");
	expect_row(EM_X86_64, ops, 2 + 257, 0, "none");
	memset(ops + 2 + 200, DW_CFA_restore_state, 100);
	expect_row(EM_X86_64, ops, sizeof(ops), 0, "sp+16 ra=c-8");
}

Test(cfi_row, what_follows_an_instruction_that_makes_no_sense_is_not_known)
{
	static const uint8_t unknown[] = {
		0x3f, 0x17, 0x18, 0x1c, 0x2d, 0x30, DW_CFA_restore_state
	};
	struct unwind_table t;

	for (size_t i = 0; i < sizeof(unknown); i++) {
		uint8_t ops[] = { DW_CFA_advance_loc | 4, unknown[i] };

		compile(EM_X86_64, ops, sizeof(ops), &t);
		cr_expect_str_eq(row_at(&t, CFI_TEXT + 3), "sp+8 ra=c-8");
		cr_expect_str_eq(row_at(&t, CFI_TEXT + 4), "none", "%#x is understood",
				 unknown[i]);
		cr_expect_eq(t.refused, 1);
		unwind_release(&t);
	}
}

/* libgcrypt's ChaCha20 sets the register alone, and means the offset from before. */
Test(cfi_row, behind_an_expression_the_cfa_is_what_it_was_before)
{
	ROW("fp+24 ra=c-8", DW_CFA_def_cfa_offset, 24, DW_CFA_def_cfa_expression, 2,
	    DW_OP_breg7, 40, DW_CFA_def_cfa_register, 6);
	ROW("sp+40 ra=c-8", DW_CFA_def_cfa_expression, 2, DW_OP_breg7, 40,
	    DW_CFA_def_cfa_offset, 16);
	ROW("fp+16 ra=c-8", DW_CFA_def_cfa_expression, 2, DW_OP_breg7, 40,
	    DW_CFA_def_cfa_offset, 16, DW_CFA_def_cfa_register, 6);
	ROW("fp+16 ra=c-8", DW_CFA_def_cfa_expression, 2, DW_OP_breg7, 8, DW_CFA_def_cfa,
	    6, 16);
	ROW("sp+48 ra=c-8", DW_CFA_def_cfa_expression, 2, DW_OP_breg7, 48,
	    DW_CFA_remember_state, DW_CFA_def_cfa, 6, 16, DW_CFA_restore_state);
}

Test(cfi_row, half_a_cfa_needs_the_other_half)
{
	static const uint8_t halves[] = { DW_CFA_def_cfa_register, DW_CFA_def_cfa_offset,
					  DW_CFA_def_cfa_offset_sf };

	for (size_t h = 0; h < sizeof(halves); h++) {
		struct cfi_image i;
		struct unwind_table t;

		cfi_begin(&i, EM_X86_64);
		cfi_cie(&i, (struct cie){ 1, "zR", 0x1b, 1, -8, 16, false,
					  OPS(DW_CFA_offset | 16, 1) });
		cfi_fde(&i, CFI_TEXT, 0x10, OPS(halves[h], 6, DW_CFA_def_cfa, 7, 8));
		cfi_compile(&i, &t);
		cr_expect_str_eq(row_at(&t, CFI_TEXT), "none");
		cr_expect_eq(t.refused, 1);
		unwind_release(&t);
		cfi_end(&i);
	}
}

Test(cfi_row, numbers_that_do_not_fit_are_for_the_full_step)
{
	ROW("other", DW_CFA_def_cfa_offset, 0xff, 0xff, 0xff, 0xff, 0x0f);
	ROW("sp+2147483647 ra=c-8", DW_CFA_def_cfa_offset, 0xff, 0xff, 0xff, 0xff, 0x07);
	ROW("other", DW_CFA_def_cfa_sf, 7, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	    0xff, 0x00);
	ROW("sp+8 ra=c-8 fp=c-2147483648", DW_CFA_offset | 6, 0x80, 0x80, 0x80, 0x80,
	    0x01);
	ROW("other", DW_CFA_offset | 6, 0x81, 0x80, 0x80, 0x80, 0x01);
	ROW("other", DW_CFA_offset | 16, 0x81, 0x80, 0x80, 0x80, 0x01);
	ROW("other", DW_CFA_offset | 6, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	    0x7f);
	ROW("other", DW_CFA_def_cfa, 0x87, 0x80, 0x80, 0x80, 0x10, 8);
}

/* Bytes that end in the middle of an operand. */
Test(cfi_row, cut_instructions_make_no_row)
{
	static const uint8_t whole[] = { DW_CFA_def_cfa_expression, 2, DW_OP_breg7, 8 };

	expect_row(EM_X86_64, whole, 4, 0, "sp+8 ra=c-8");
	/* Padding is added behind a cut instruction: operands are zeros then. */
	ROW("none", DW_CFA_expression, 6, 0x7f, DW_OP_breg7);
	ROW("none", DW_CFA_def_cfa_expression, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	    0xff, 0x7f);
	ROW("none", DW_CFA_advance_loc4, 1);
}

Test(cfi_row, aarch64_keeps_the_return_address_in_a_register)
{
#define ROW_ARM(at, expected, ...) expect_row(EM_AARCH64, OPS(__VA_ARGS__), at, expected)
	ROW_ARM(0, "sp+0 ra=lr", DW_CFA_nop);
	ROW_ARM(4, "sp+32 ra=c-24 fp=c-32", DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset,
		32, DW_CFA_offset | 29, 4, DW_CFA_offset | 30, 3);
	ROW_ARM(3, "sp+0 ra=lr", DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 32);
	ROW_ARM(0, "fp+16 ra=c-8 fp=c-16", DW_CFA_def_cfa, 29, 16, DW_CFA_offset | 30, 1,
		DW_CFA_offset | 29, 2);
	ROW_ARM(0, "end", DW_CFA_undefined, 30);
}

Test(cfi_row, aarch64_signs_return_addresses)
{
	ROW_ARM(0, "sp+0 ra=lr signed", 0x2d);
	ROW_ARM(0, "sp+0 ra=lr signed", 0x2c);
	ROW_ARM(0, "sp+0 ra=lr", 0x2d, 0x2d);
	ROW_ARM(0, "sp+16 ra=c-8 fp=c-16 signed", 0x2d, DW_CFA_def_cfa_offset, 16,
		DW_CFA_offset | 29, 2, DW_CFA_offset | 30, 1);
	ROW_ARM(0, "sp+0 ra=lr signed", 0x2d, DW_CFA_remember_state, 0x2d,
		DW_CFA_restore_state);
}

Test(cfi_row, i386_counts_in_words_of_4_bytes)
{
	expect_row(EM_386, OPS(DW_CFA_nop), 0, "sp+4 ra=c-4");
	expect_row(EM_386, OPS(DW_CFA_def_cfa, 5, 8, DW_CFA_offset | 5, 2), 0,
		   "fp+8 ra=c-4 fp=c-8");
}
