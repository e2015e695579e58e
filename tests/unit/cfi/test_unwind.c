#include "cfi/unwind.h"

#include <criterion/criterion.h>
#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>

#include "unit/cfi/cfi_image.h"

Test(unwind, an_object_without_call_frame_information_has_no_rows)
{
	struct cfi_image i;
	struct unwind_table t;
	uint64_t start;

	cfi_begin(&i, EM_X86_64);
	cfi_compile(&i, &t);
	cr_expect_eq(t.row_count, 0);
	cr_expect_eq(unwind_find(&t, CFI_TEXT)->cfa_kind, UNWIND_NONE);
	cr_expect_eq(unwind_find(&t, 0)->cfa_kind, UNWIND_NONE);
	cr_expect_eq(unwind_find(&t, UINT64_MAX)->cfa_kind, UNWIND_NONE);
	cr_expect_not(unwind_function(&t, CFI_TEXT, &start));
	unwind_release(&t);
	cfi_end(&i);
}

static void expect_nothing(struct cfi_image *i)
{
	struct unwind_table t;

	cfi_cie(i, CIE_X86_64);
	cfi_fde(i, CFI_TEXT, 0x10, NO_OPS);
	cfi_compile(i, &t);
	cr_expect_null(t.machine);
	cr_expect_eq(t.row_count, 0);
	unwind_release(&t);
	cfi_end(i);
}

Test(unwind, other_machines_byte_orders_and_relocatable_files_have_no_rows)
{
	struct cfi_image i;

	cfi_begin(&i, EM_RISCV);
	expect_nothing(&i);
	cfi_begin(&i, EM_X86_64);
	i.relocatable = true;
	expect_nothing(&i);
}

/* Headers are swapped too: libelf refuses this image sooner or later. */
Test(unwind, big_endian_files_do_no_harm)
{
	struct cfi_image i;
	struct context ctx = { 0 };
	struct unwind_table t;
	struct object o;

	object_prepare();
	cfi_begin(&i, EM_AARCH64);
	i.big_endian = true;
	cfi_cie(&i, CIE_X86_64);
	cfi_fde(&i, CFI_TEXT, 0x10, NO_OPS);
	cfi_write(&i);
	i.bytes[18] = 0; /* e_machine, big-endian */
	i.bytes[19] = EM_AARCH64;
	if (object_open_memory(&ctx, i.bytes, i.size, &o) == 0) {
		cr_assert_eq(unwind_compile(&o, NULL, &t), 0);
		cr_expect_null(t.machine);
		cr_expect_eq(t.row_count, 0);
		unwind_release(&t);
		object_close(&o);
	}
	cfi_end(&i);
}

/* Three functions, with 1 and 16 bytes between them. */
Test(unwind, gaps_have_no_row_however_small)
{
	struct cfi_image i;
	struct unwind_table t;

	cfi_begin(&i, EM_X86_64);
	cfi_cie(&i, CIE_X86_64);
	cfi_fde(&i, CFI_TEXT + 1, 0x1e, OPS(DW_CFA_def_cfa_offset, 16));
	cfi_fde(&i, CFI_TEXT + 0x20, 0x10, OPS(DW_CFA_def_cfa_offset, 24));
	cfi_fde(&i, CFI_TEXT + 0x40, 0x10, NO_OPS);
	cfi_compile(&i, &t);
	cr_expect_str_eq(row_at(&t, CFI_TEXT), "none");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x01), "sp+16 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x1e), "sp+16 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x1f), "none");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x20), "sp+24 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x2f), "sp+24 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x30), "none");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x3f), "none");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x40), "sp+8 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x50), "none");
	cr_expect_str_eq(row_at(&t, UINT64_MAX), "none");
	cr_expect_str_eq(row_at(&t, 0), "none");
	unwind_release(&t);
	cfi_end(&i);
}

Test(unwind, equal_rows_are_one_also_of_functions_that_follow_each_other)
{
	struct cfi_image i;
	struct unwind_table t;

	cfi_begin(&i, EM_X86_64);
	cfi_cie(&i, CIE_X86_64);
	for (unsigned f = 0; f < 10; f++)
		cfi_fde(&i, CFI_TEXT + f * 0x10, 0x10,
			OPS(DW_CFA_advance_loc | 4, DW_CFA_nop, DW_CFA_advance_loc | 4));
	cfi_compile(&i, &t);
	cr_expect_eq(t.row_count, 2); /* and the end */
	cr_expect_eq(t.rules.count, 3);
	cr_expect_eq(t.function_count, 10);
	unwind_release(&t);
	cfi_end(&i);
}

/* Rows of addresses below, on, and above borders, and over many pages. */
Test(unwind, rows_are_found_on_every_page)
{
	enum { PAGE = 0x10000 };
	struct cfi_image i;
	struct unwind_table t;

	cfi_begin(&i, EM_X86_64);
	i.text_size = 5 * PAGE;
	cfi_cie(&i, CIE_X86_64);
	cfi_fde(&i, CFI_TEXT, PAGE - CFI_TEXT, OPS(DW_CFA_def_cfa_offset, 16));
	/* All of page 1 and 2, and one byte of page 3. */
	cfi_fde(&i, PAGE, 2 * PAGE + 1,
		OPS(DW_CFA_def_cfa_offset, 24, DW_CFA_advance_loc4, 0, 0, 2, 0,
		    DW_CFA_def_cfa_offset, 32));
	cfi_fde(&i, 5 * PAGE - 1, 1, OPS(DW_CFA_def_cfa_offset, 40));
	cfi_compile(&i, &t);
	cr_expect_eq(t.base, CFI_TEXT);
	cr_expect_eq(t.page_count, (5 * PAGE - CFI_TEXT) >> UNWIND_PAGE_BITS);
	cr_expect_str_eq(row_at(&t, CFI_TEXT - 1), "none");
	cr_expect_str_eq(row_at(&t, PAGE - 1), "sp+16 ra=c-8");
	cr_expect_str_eq(row_at(&t, PAGE), "sp+24 ra=c-8");
	cr_expect_str_eq(row_at(&t, 2 * PAGE), "sp+24 ra=c-8");
	cr_expect_str_eq(row_at(&t, 3 * PAGE - 1), "sp+24 ra=c-8");
	cr_expect_str_eq(row_at(&t, 3 * PAGE), "sp+32 ra=c-8");
	cr_expect_str_eq(row_at(&t, 3 * PAGE + 1), "none");
	cr_expect_str_eq(row_at(&t, 4 * PAGE + 5), "none");
	cr_expect_str_eq(row_at(&t, 5 * PAGE - 2), "none");
	cr_expect_str_eq(row_at(&t, 5 * PAGE - 1), "sp+40 ra=c-8");
	cr_expect_str_eq(row_at(&t, 5 * PAGE), "none");
	unwind_release(&t);
	cfi_end(&i);
}

/* A table that begins and ends on a border has no rows around it. */
Test(unwind, a_table_can_fill_its_pages)
{
	enum { PAGE = 0x10000 };
	struct cfi_image i;
	struct unwind_table t;

	cfi_begin(&i, EM_X86_64);
	i.text_size = 3 * PAGE;
	cfi_cie(&i, CIE_X86_64);
	cfi_fde(&i, PAGE, PAGE, NO_OPS);
	cfi_compile(&i, &t);
	cr_expect_eq(t.base, PAGE);
	cr_expect_eq(t.row_count, 1);
	cr_expect_str_eq(row_at(&t, PAGE - 1), "none");
	cr_expect_str_eq(row_at(&t, PAGE), "sp+8 ra=c-8");
	cr_expect_str_eq(row_at(&t, 2 * PAGE - 1), "sp+8 ra=c-8");
	cr_expect_str_eq(row_at(&t, 2 * PAGE), "none");
	unwind_release(&t);
	cfi_end(&i);
}

Test(unwind, functions_need_no_order)
{
	struct cfi_image i;
	struct unwind_table t;

	cfi_begin(&i, EM_X86_64);
	cfi_cie(&i, CIE_X86_64);
	cfi_fde(&i, CFI_TEXT + 0x80, 0x10, OPS(DW_CFA_def_cfa_offset, 32));
	cfi_fde(&i, CFI_TEXT + 0x10, 0x10, OPS(DW_CFA_def_cfa_offset, 16));
	cfi_fde(&i, CFI_TEXT + 0x40, 0x10, OPS(DW_CFA_def_cfa_offset, 24));
	cfi_compile(&i, &t);
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x1f), "sp+16 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x4f), "sp+24 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x8f), "sp+32 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x30), "none");
	unwind_release(&t);
	cfi_end(&i);
}

/* Outer from 0 to 0x100, whose rows change at 0x60; inner from 0x40 to 0x80. */
Test(unwind, of_functions_that_overlap_the_inner_one_wins_and_the_outer_goes_on)
{
	struct cfi_image i;
	struct unwind_table t;

	cfi_begin(&i, EM_X86_64);
	cfi_cie(&i, CIE_X86_64);
	cfi_fde(&i, CFI_TEXT, 0x100,
		OPS(DW_CFA_def_cfa_offset, 16, DW_CFA_advance_loc1, 0x60,
		    DW_CFA_def_cfa_offset, 24, DW_CFA_advance_loc1, 0x40,
		    DW_CFA_def_cfa_offset, 32));
	cfi_fde(&i, CFI_TEXT + 0x40, 0x40, OPS(DW_CFA_def_cfa_offset, 64));
	cfi_compile(&i, &t);
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x3f), "sp+16 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x40), "sp+64 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x7f), "sp+64 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x80), "sp+24 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0xa0), "sp+32 ra=c-8");
	unwind_release(&t);
	cfi_end(&i);
}

Test(unwind, the_same_function_twice_is_there_once)
{
	struct cfi_image i;
	struct unwind_table t;

	cfi_begin(&i, EM_X86_64);
	cfi_cie(&i, CIE_X86_64);
	cfi_fde(&i, CFI_TEXT, 0x20, OPS(DW_CFA_def_cfa_offset, 16));
	cfi_fde(&i, CFI_TEXT, 0x20, OPS(DW_CFA_def_cfa_offset, 16));
	cfi_compile(&i, &t);
	cr_expect_eq(t.function_count, 1);
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x1f), "sp+16 ra=c-8");
	unwind_release(&t);
	cfi_end(&i);
}

Test(unwind, the_function_of_an_address_is_known)
{
	struct cfi_image i;
	struct unwind_table t;
	uint64_t start = 0;

	cfi_begin(&i, EM_X86_64);
	cfi_cie(&i, CIE_X86_64);
	cfi_fde(&i, CFI_TEXT + 0x08, 0x18, NO_OPS);
	cfi_fde(&i, CFI_TEXT + 0x20, 0x20, NO_OPS);
	cfi_fde(&i, CFI_TEXT + 0x80, 0x20, NO_OPS);
	cfi_compile(&i, &t);
	cr_expect_not(unwind_function(&t, CFI_TEXT + 7, &start));
	cr_expect(unwind_function(&t, CFI_TEXT + 8, &start));
	cr_expect_eq(start, CFI_TEXT + 8);
	cr_expect(unwind_function(&t, CFI_TEXT + 0x1f, &start));
	cr_expect_eq(start, CFI_TEXT + 8);
	cr_expect(unwind_function(&t, CFI_TEXT + 0x20, &start));
	cr_expect_eq(start, CFI_TEXT + 0x20);
	cr_expect_not(unwind_function(&t, CFI_TEXT + 0x40, &start));
	cr_expect(unwind_function(&t, CFI_TEXT + 0x9f, &start));
	cr_expect_eq(start, CFI_TEXT + 0x80);
	cr_expect_not(unwind_function(&t, UINT64_MAX, &start));
	unwind_release(&t);
	cfi_end(&i);
}

/* A rule holds 16 bits of indexes. */
Test(unwind, more_rules_than_can_be_numbered_are_for_the_full_step)
{
	enum { ROWS = 70000, OP_SIZE = 5 };
	struct cfi_image i;
	struct unwind_table t;
	uint8_t *ops = malloc(ROWS * OP_SIZE);

	cr_assert_not_null(ops);
	for (unsigned r = 0; r < ROWS; r++) {
		const uint8_t op[OP_SIZE] = { DW_CFA_advance_loc | 1,
					      DW_CFA_def_cfa_offset,
					      (uint8_t)(0x80 | (r & 0x7f)),
					      (uint8_t)(0x80 | (r >> 7 & 0x7f)),
					      (uint8_t)(r >> 14) };

		memcpy(ops + r * OP_SIZE, op, OP_SIZE);
	}
	cfi_begin(&i, EM_X86_64);
	i.text_size = 0x20000;
	cfi_cie(&i, CIE_X86_64);
	cfi_fde(&i, CFI_TEXT, 0x20000, ops, ROWS * OP_SIZE);
	cfi_compile(&i, &t);
	cr_expect_eq(t.rules.count, 65536);
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 1), "sp+0 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 60001), "sp+60000 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 69001), "other");
	unwind_release(&t);
	cfi_end(&i);
	free(ops);
}

/* Everything there is in one file: what a test below breaks. */
static void make_whole(struct cfi_image *i)
{
	static const char *const letters[] = { "zR", "zPLR", "zRS", "" };

	cfi_begin(i, EM_X86_64);
	for (unsigned c = 0; c < 4; c++) {
		struct cie cie = CIE_X86_64;

		cie.letters = letters[c];
		cfi_cie(i, cie);
		cfi_fde(i, CFI_TEXT + c * 0x100, 0x80,
			OPS(DW_CFA_advance_loc | 4, DW_CFA_def_cfa_offset, 16,
			    DW_CFA_offset | 6, 2, DW_CFA_advance_loc1, 3,
			    DW_CFA_def_cfa_register, 6, DW_CFA_remember_state,
			    DW_CFA_advance_loc2, 9, 0, DW_CFA_def_cfa_expression, 3,
			    DW_OP_breg6, 0x78, DW_OP_deref, DW_CFA_expression, 6, 2,
			    DW_OP_breg6, 0, DW_CFA_advance_loc4, 5, 0, 0, 0,
			    DW_CFA_restore_state, DW_CFA_undefined, 16));
		cfi_fde(i, CFI_TEXT + c * 0x100 + 0x80, 0x80, NO_OPS);
	}
}

/* All rows are asked for; what they are is of no interest. */
static void look_around(struct cfi_image *i)
{
	struct unwind_table t;
	uint64_t start;

	cfi_compile(i, &t);
	for (uint64_t at = CFI_TEXT - 2; at < CFI_TEXT + 0x1002; at++) {
		row_at(&t, at);
		unwind_function(&t, at, &start);
	}
	unwind_release(&t);
}

Test(unwind, a_section_that_is_cut_anywhere_gives_the_rows_before)
{
	struct cfi_image i;
	size_t whole;

	make_whole(&i);
	whole = i.eh.count;
	for (size_t size = 0; size < whole; size++) {
		i.eh.count = size;
		cfi_write(&i);
		look_around(&i);
	}
	cfi_end(&i);
}

Test(unwind, no_byte_of_a_section_does_harm)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct cfi_image i;

	make_whole(&i);
	for (size_t at = 0; at < i.eh.count; at++) {
		uint8_t was = i.eh.v[at];

		for (size_t v = 0; v < sizeof(values); v++) {
			i.eh.v[at] = values[v];
			cfi_write(&i);
			look_around(&i);
		}
		i.eh.v[at] = was;
	}
	cfi_end(&i);
}

/*
 * An outer function of 100,000 instructions that 5,000 inner ones cut to pieces: each
 * piece would run it all.
 */
Test(unwind, pieces_of_a_function_do_not_cost_more_than_the_file_is_large)
{
	enum { OPS_SIZE = 100000, INNER = 5000 };
	struct cfi_image i;
	struct unwind_table t;
	uint8_t *ops = malloc(OPS_SIZE);

	cr_assert_not_null(ops);
	for (size_t at = 0; at < OPS_SIZE; at += 4)
		memcpy(ops + at, "\x41\x0e\x10\x00", 4);
	cfi_begin(&i, EM_X86_64);
	i.text_size = 0x20000;
	cfi_cie(&i, CIE_X86_64);
	cfi_fde(&i, CFI_TEXT, 0x20000, ops, OPS_SIZE);
	for (unsigned f = 0; f < INNER; f++)
		cfi_fde(&i, CFI_TEXT + 0x10 + f * 0x10, 8, NO_OPS);
	cfi_compile(&i, &t);
	cr_expect_gt(t.refused, INNER / 2);
	unwind_release(&t);
	cfi_end(&i);
	free(ops);
}
