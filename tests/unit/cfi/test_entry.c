#include "cfi/entry.h"

#include <criterion/criterion.h>
#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>

#include "unit/cfi/cfi_image.h"

static const uint8_t push[] = { DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16,
				DW_CFA_offset | 6, 2 };

/* One function of that CIE: its rows are the same whatever the CIE is like. */
static void expect_push(struct cfi_image *i, struct cie cie)
{
	struct unwind_table t;

	cfi_cie(i, cie);
	cfi_fde(i, CFI_TEXT + 0x10, 0x20, push, sizeof(push));
	cfi_compile(i, &t);
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x0f), "none");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x10), "sp+8 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x11), "sp+16 ra=c-8 fp=c-16");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x2f), "sp+16 ra=c-8 fp=c-16");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x30), "none");
	cr_expect_eq(t.function_count, 1);
	cr_expect_eq(t.refused, 0);
	unwind_release(&t);
	cfi_end(i);
}

static void expect_push_with(struct cie cie, bool debug)
{
	struct cfi_image i;

	cfi_begin(&i, EM_X86_64);
	if (debug)
		cfi_debug(&i);
	expect_push(&i, cie);
}

static struct cie cie_of(uint8_t version, const char *letters)
{
	static const uint8_t ops[] = { DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1 };

	return (struct cie){ version, letters, 0x1b, 1, -8, 16, false, ops, sizeof(ops) };
}

Test(cfi_entry, versions_1_3_and_4_are_read_in_both_sections)
{
	static const uint8_t versions[] = { 1, 3, 4 };

	for (size_t v = 0; v < 3; v++) {
		expect_push_with(cie_of(versions[v], "zR"), false);
		expect_push_with(cie_of(versions[v], ""), false);
		expect_push_with(cie_of(versions[v], ""), true);
	}
}

Test(cfi_entry, letters_of_the_augmentation_are_passed_over)
{
	static const char *const letters[] = { "zR",  "zPLR", "zRB", "zRG",
					       "zRx", "eh",   "R",   "PR" };

	for (size_t l = 0; l < sizeof(letters) / sizeof(letters[0]); l++)
		expect_push_with(cie_of(1, letters[l]), false);
}

Test(cfi_entry, lengths_of_64_bits_are_read_in_both_sections)
{
	struct cie cie = cie_of(3, "");

	cie.wide = true;
	expect_push_with(cie, false);
	expect_push_with(cie, true);
}

Test(cfi_entry, addresses_are_read_in_every_encoding)
{
	static const uint8_t encodings[] = {
		DW_EH_PE_absptr,
		DW_EH_PE_uleb128,
		DW_EH_PE_udata2,
		DW_EH_PE_udata4,
		DW_EH_PE_udata8,
		DW_EH_PE_signed,
		DW_EH_PE_sleb128,
		DW_EH_PE_sdata2,
		DW_EH_PE_sdata4,
		DW_EH_PE_sdata8,
		DW_EH_PE_pcrel,
		DW_EH_PE_pcrel | DW_EH_PE_sdata2,
		DW_EH_PE_pcrel | DW_EH_PE_sdata4,
		DW_EH_PE_pcrel | DW_EH_PE_sdata8,
		DW_EH_PE_pcrel | DW_EH_PE_sleb128,
		DW_EH_PE_textrel | DW_EH_PE_udata4,
		DW_EH_PE_textrel | DW_EH_PE_uleb128,
		DW_EH_PE_datarel | DW_EH_PE_udata4,
		DW_EH_PE_aligned,
	};

	for (size_t e = 0; e < sizeof(encodings); e++) {
		struct cie cie = cie_of(1, "zR");

		cie.encoding = encodings[e];
		expect_push_with(cie, false);
	}
}

static void expect_refused(struct cie cie)
{
	struct cfi_image i;
	struct unwind_table t;

	cfi_begin(&i, EM_X86_64);
	cfi_cie(&i, cie);
	cfi_fde(&i, CFI_TEXT, 0x10, NO_OPS);
	cfi_cie(&i, CIE_X86_64);
	cfi_fde(&i, CFI_TEXT + 0x20, 0x10, NO_OPS);
	cfi_compile(&i, &t);
	cr_expect_str_eq(row_at(&t, CFI_TEXT), "none");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x20), "sp+8 ra=c-8");
	cr_expect_eq(t.refused, 1);
	unwind_release(&t);
	cfi_end(&i);
}

Test(cfi_entry, functions_of_a_cie_that_is_not_understood_are_refused)
{
	struct cie indirect = cie_of(1, "zR"), unknown = cie_of(1, "zR");
	struct cie broken = cie_of(1, "zR"), advancing = cie_of(1, "zR");
	static const uint8_t advance[] = { DW_CFA_advance_loc | 1 }, bad[] = { 0x3f };

	indirect.encoding = DW_EH_PE_indirect | DW_EH_PE_absptr;
	unknown.encoding = DW_EH_PE_funcrel;
	broken.ops = bad;
	advancing.ops = advance;
	broken.ops_size = advancing.ops_size = 1;
	expect_refused(indirect);
	expect_refused(unknown);
	expect_refused(broken);
	expect_refused(advancing);
	expect_refused(cie_of(2, "zR"));
	expect_refused(cie_of(5, "zR"));
	expect_refused(cie_of(1, "armcc+"));
	expect_refused(cie_of(1, "x"));
}

Test(cfi_entry, unsized_exception_pointers_of_functions_are_passed_over)
{
	struct cfi_image i;
	struct unwind_table t;
	struct cie cie = cie_of(1, "L");
	static const uint8_t ops[] = { 1, 2, 3, 4, DW_CFA_def_cfa_offset, 32 };

	cfi_begin(&i, EM_X86_64);
	cfi_cie(&i, cie);
	cfi_fde(&i, CFI_TEXT, 0x10, ops, sizeof(ops));
	cfi_compile(&i, &t);
	cr_expect_str_eq(row_at(&t, CFI_TEXT), "sp+32 ra=c-8");
	unwind_release(&t);
	cfi_end(&i);
}

Test(cfi_entry, a_fourth_version_names_sizes_of_addresses_and_segments)
{
	struct cfi_image i;
	struct unwind_table t;
	static const uint8_t head[] = { 0xff, 0xff, 0xff,
					0xff, 4,    0,
					4,    2,    1,
					0x78, 16,   DW_CFA_def_cfa,
					7,    8,    DW_CFA_offset | 16,
					1 };
	size_t entry;

	cfi_begin(&i, EM_X86_64);
	cfi_debug(&i);
	entry = cfi_entry(&i, false);
	cfi_bytes(&i, head, sizeof(head));
	cfi_entry_end(&i, entry, false);
	entry = cfi_entry(&i, false);
	cfi_number(&i, 0, 4);
	cfi_number(&i, 0x7777, 2); /* segment */
	cfi_number(&i, CFI_TEXT, 4);
	cfi_number(&i, 0x10, 4);
	cfi_entry_end(&i, entry, false);
	cfi_compile(&i, &t);
	cr_expect_str_eq(row_at(&t, CFI_TEXT), "sp+8 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x10), "none");
	unwind_release(&t);
	cfi_end(&i);
}

Test(cfi_entry, the_same_cie_serves_functions_before_and_behind_others)
{
	struct cfi_image i;
	struct unwind_table t;
	uint64_t first;

	cfi_begin(&i, EM_X86_64);
	cfi_cie(&i, CIE_X86_64);
	first = i.cie;
	cfi_fde(&i, CFI_TEXT, 0x10, NO_OPS);
	cfi_cie(&i, (struct cie){ 1, "zR", DW_EH_PE_udata4, 1, -8, 16, false,
				  OPS(DW_CFA_def_cfa, 7, 24, DW_CFA_offset | 16, 1) });
	cfi_fde(&i, CFI_TEXT + 0x10, 0x10, NO_OPS);
	i.cie = first;
	i.encoding = DW_EH_PE_pcrel | DW_EH_PE_sdata4;
	cfi_fde(&i, CFI_TEXT + 0x20, 0x10, NO_OPS);
	cfi_compile(&i, &t);
	cr_expect_str_eq(row_at(&t, CFI_TEXT), "sp+8 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x10), "sp+24 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x20), "sp+8 ra=c-8");
	unwind_release(&t);
	cfi_end(&i);
}

Test(cfi_entry, entries_of_length_0_end_nothing_where_the_section_says_its_size)
{
	struct cfi_image i;
	struct unwind_table t;

	cfi_begin(&i, EM_X86_64);
	cfi_cie(&i, CIE_X86_64);
	cfi_fde(&i, CFI_TEXT, 0x10, NO_OPS);
	cfi_number(&i, 0, 4);
	cfi_fde(&i, CFI_TEXT + 0x10, 0x10, OPS(DW_CFA_def_cfa_offset, 16));
	cfi_compile(&i, &t);
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x10), "sp+16 ra=c-8");
	unwind_release(&t);
	cfi_end(&i);
}

Test(cfi_entry, a_cie_that_is_nowhere_does_no_harm)
{
	static const int64_t places[] = { -1, -2, 0, 4, 100000 };

	for (size_t p = 0; p < sizeof(places) / sizeof(places[0]); p++) {
		struct cfi_image i;
		struct unwind_table t;
		size_t entry;

		cfi_begin(&i, EM_X86_64);
		entry = cfi_entry(&i, false);
		cfi_number(&i, entry - (uint64_t)places[p], 4);
		cfi_number(&i, 0, 8);
		cfi_entry_end(&i, entry, false);
		cfi_cie(&i, CIE_X86_64);
		cfi_fde(&i, CFI_TEXT, 0x10, NO_OPS);
		cfi_compile(&i, &t);
		cr_expect_str_eq(row_at(&t, CFI_TEXT), "sp+8 ra=c-8");
		cr_expect_eq(t.refused, places[p] == 4 ? 0 : 1);
		unwind_release(&t);
		cfi_end(&i);
	}
}

/* A full step would run them each time. */
Test(cfi_entry, functions_of_more_than_a_megabyte_of_instructions_are_refused)
{
	enum { MOST = 1 << 20 };
	struct cfi_image i;
	struct unwind_table t;
	uint8_t *ops = calloc(1, MOST + 1);

	cr_assert_not_null(ops);
	cfi_begin(&i, EM_X86_64);
	cfi_cie(&i, CIE_X86_64);
	/* The address, the range and the size of augmentation data make 9 bytes. */
	cfi_fde(&i, CFI_TEXT, 0x10, ops, MOST - 1);
	cfi_fde(&i, CFI_TEXT + 0x10, 0x10, ops, MOST + 1);
	cfi_compile(&i, &t);
	cr_expect_str_eq(row_at(&t, CFI_TEXT), "sp+8 ra=c-8");
	cr_expect_eq(t.function_count, 1);
	cr_expect_eq(t.refused, 1);
	unwind_release(&t);
	cfi_end(&i);
	free(ops);
}

/*
 * CIEs of 16 bytes, each of which holds all behind it: the heads of those lie in blocks of
 * an instruction. A function of each would run them all, 20,000 times 300 KB.
 */
Test(cfi_entry, cies_that_overlap_do_not_cost_more_than_the_section_is_large)
{
	enum { CIES = 20000, CIE_SIZE = 16, LENGTH = CIES * CIE_SIZE - 4 };
	/* Id, version, no letters, alignments, return address; then a block of 13 bytes. */
	static const uint8_t cie[] = { 0, 0, 0,	   0,  1,
				       0, 1, 0x78, 16, DW_CFA_val_expression,
				       0, 13 };
	struct cfi_image i;
	struct unwind_table t;

	cfi_begin(&i, EM_X86_64);
	for (unsigned c = 0; c < CIES; c++) {
		cfi_number(&i, LENGTH, 4);
		cfi_bytes(&i, cie, sizeof(cie));
	}
	for (unsigned c = 0; c < CIES; c++)
		cfi_bytes(&i, (const uint8_t[CIE_SIZE]){ 0 }, CIE_SIZE);
	for (unsigned c = 0; c < CIES; c++) {
		size_t entry = cfi_entry(&i, false);

		cfi_number(&i, entry - c * CIE_SIZE, 4);
		cfi_number(&i, CFI_TEXT, 8);
		cfi_number(&i, 1, 8);
		cfi_entry_end(&i, entry, false);
	}
	cfi_compile(&i, &t);
	cr_expect_gt(t.refused, CIES - 100);
	cr_expect_lt(t.refused, CIES);
	unwind_release(&t);
	cfi_end(&i);
}

/* What the linker threw away has address 0, or another that is no code. */
Test(cfi_entry, functions_that_are_not_there_are_left_out)
{
	struct cfi_image i;
	struct unwind_table t;

	cfi_begin(&i, EM_X86_64);
	cfi_debug(&i);
	cfi_cie(&i, cie_of(3, ""));
	cfi_fde(&i, 0, 0x100000, NO_OPS);
	cfi_fde(&i, UINT64_MAX, 0x10, NO_OPS);
	cfi_fde(&i, UINT64_MAX - 1, 0x10, NO_OPS);
	cfi_fde(&i, CFI_TEXT - 1, 0x10, NO_OPS);
	cfi_fde(&i, CFI_TEXT + 0x1000, 0x10, NO_OPS);
	cfi_fde(&i, CFI_TEXT + 0x20, 0, NO_OPS);
	cfi_fde(&i, CFI_TEXT + 0x30, 8, NO_OPS);
	cfi_compile(&i, &t);
	cr_expect_eq(t.function_count, 1);
	cr_expect_eq(t.refused, 4);
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x20), "none");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x30), "sp+8 ra=c-8");
	cr_expect_eq(t.end, CFI_TEXT + 0x38);
	unwind_release(&t);
	cfi_end(&i);
}

Test(cfi_entry, a_function_is_cut_where_code_ends)
{
	struct cfi_image i;
	struct unwind_table t;

	cfi_begin(&i, EM_X86_64);
	cfi_cie(&i, cie_of(1, ""));
	cfi_fde(&i, CFI_TEXT + 0xff0, 0x7fffffffffff, NO_OPS);
	cfi_compile(&i, &t);
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0xfff), "sp+8 ra=c-8");
	cr_expect_str_eq(row_at(&t, CFI_TEXT + 0x1000), "none");
	cr_expect_eq(t.end, CFI_TEXT + 0x1000);
	unwind_release(&t);
	cfi_end(&i);
}
