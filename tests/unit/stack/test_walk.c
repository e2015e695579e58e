#include "walked.h"

#include <dwarf.h>
#include <elf.h>

/* sub $24,%rsp behind 4 bytes */
#define LOCALS_OPS OPS(DW_CFA_advance_loc | 4, DW_CFA_def_cfa_offset, 32)

static void begin(struct walked *w)
{
	walked_begin_x86_64(w);
	cfi_fde(&w->cfi, 0x1020, 0x20, LOCALS_OPS);
	cfi_fde(&w->cfi, 0x1040, 0x20, FRAME_OPS);
}

/* The leaf, called by one with locals, called by one with a frame, called by the first. */
static void fill(struct walked *w)
{
	begin(w);
	w->value[7] = STACK(0);
	w->value[6] = STACK(6);
	w->word[0] = CODE(0x1030);
	w->word[4] = CODE(0x1050);
	w->word[6] = 0x1234;
	w->word[7] = CODE(0x1070);
}

Test(walk, goes_from_the_leaf_to_the_function_that_was_not_called)
{
	struct walked w;

	fill(&w);
	cr_assert_str_eq(walked(&w), "1000 1030- 1050- 1070- root");
	walked_end(&w);
}

Test(walk, begins_anywhere_in_a_function)
{
	struct walked w;

	fill(&w);
	w.value[16] = CODE(0x1041);
	w.value[6] = 0x77;
	w.value[7] = STACK(6);
	cr_assert_str_eq(walked(&w), "1041 1070- root", "fp is not set yet");
	w.value[16] = CODE(0x1044);
	w.value[6] = STACK(6);
	w.value[7] = STACK(3);
	cr_assert_str_eq(walked(&w), "1044 1070- root");
	w.value[16] = CODE(0x1040);
	w.value[7] = STACK(7);
	cr_assert_str_eq(walked(&w), "1040 1070- root");
	walked_end(&w);
}

Test(walk, a_return_address_belongs_to_the_call_before_it)
{
	struct walked w;

	fill(&w);
	/* The last instruction of the function is the call. */
	w.word[0] = CODE(0x1040);
	cr_assert_str_eq(walked(&w), "1000 1040- 1050- 1070- root");
	walked_end(&w);
}

Test(walk, a_return_address_of_0_is_the_root)
{
	struct walked w;

	fill(&w);
	w.word[4] = 0;
	cr_assert_str_eq(walked(&w), "1000 1030- root");
	walked_end(&w);
}

/* What makecontext() leaves below the first frame is a function's address. */
Test(walk, a_function_that_is_returned_to_but_never_called_is_the_root)
{
	struct walked w;

	fill(&w);
	cfi_fde(&w.cfi, 0x1100, 0x20, NO_OPS);
	w.word[4] = CODE(0x1100);
	w.word[5] = CODE(0x1050);
	cr_assert_str_eq(walked(&w), "1000 1030- 1100 root");
	walked_end(&w);

	fill(&w);
	w.options.as_perf = true;
	cfi_fde(&w.cfi, 0x1100, 0x20, NO_OPS);
	w.word[4] = CODE(0x1100);
	cr_assert_str_eq(walked(&w), "1000 102f 10ff no cfi", "perf looks before it");
	walked_end(&w);
}

/* What Boost.Context does, in code without rows: a label behind a jump, which code does not go on behind. */
Test(walk, a_label_that_is_returned_to_but_nothing_leads_to_is_the_root)
{
	struct walked w;

	fill(&w);
	w.word[4] = CODE(0x1210);
	w.value[6] = 0x77;
	CODE_BYTES(&w, 0x120e, 0xff, 0xe3); /* jmp *%rbx */
	cr_assert_str_eq(walked(&w), "1000 1030- 1210- root");
	walked_end(&w);

	fill(&w);
	w.word[4] = CODE(0x1210);
	w.value[6] = 0x77;
	CODE_BYTES(&w, 0x120e, 0x89, 0xe3); /* mov %esp,%ebx */
	cr_assert_str_eq(walked(&w), "1000 1030- 1210- no cfi");
	walked_end(&w);

	fill(&w);
	w.options.as_perf = true;
	w.word[4] = CODE(0x1210);
	w.value[6] = 0x77;
	CODE_BYTES(&w, 0x120e, 0xff, 0xe3);
	cr_assert_str_eq(walked(&w), "1000 102f 120f no cfi", "perf has it so");
	walked_end(&w);
}

Test(walk, what_a_call_stands_before_was_called_from_there)
{
	struct walked w;

	fill(&w);
	cfi_fde(&w.cfi, 0x1100, 0x20, NO_OPS);
	walked_call(&w, 0x1100);
	w.word[4] = CODE(0x1100);
	w.value[6] = 0x77;
	cr_assert_str_eq(walked(&w), "1000 1030- 1100- no cfi",
			 "a call that does not come back, without rows");
	walked_end(&w);
}

Test(walk, the_recorded_chain_of_the_kernel_comes_before)
{
	struct walked w;

	fill(&w);
	kernel_map(&w.t, 0xffffffff81000000, 0x1000000, 0xffffffff81000000,
		   "[kernel.kallsyms]_text");
	w.sample.mode = MODE_KERNEL;
	w.chain[0] = (uint64_t)-128;
	w.chain[1] = 0xffffffff81000010;
	w.chain[2] = 0xffffffff81000020;
	w.sample.chain_count = 3;
	cr_assert_str_eq(walked(&w), "k k 1000 1030- 1050- 1070- root");
	w.chain[3] = (uint64_t)-512;
	w.sample.chain_count = 4;
	cr_assert_str_eq(walked(&w), "k k 1000 1030- 1050- 1070- root",
			 "a marker alone is no user part");
	walked_end(&w);
}

Test(walk, a_chain_with_a_user_part_is_not_walked)
{
	struct walked w;

	fill(&w);
	w.chain[0] = (uint64_t)-512;
	w.chain[1] = CODE(0x1010);
	w.sample.chain_count = 2;
	cr_assert_str_eq(walked(&w), "1010 dump");
	walked_end(&w);
}

Test(walk, of_a_guest_nothing_is_walked)
{
	struct walked w;

	fill(&w);
	w.sample.mode = MODE_GUEST_USER;
	w.chain[0] = (uint64_t)-2560;
	w.chain[1] = CODE(0x1010);
	w.sample.chain_count = 2;
	walked(&w);
	cr_assert_eq(w.stack.count, 2);
	cr_assert_eq(w.stack.incomplete, INCOMPLETE_USER_STACK);
	walked_end(&w);
}

Test(walk, a_kernel_thread_has_no_user_part)
{
	struct walked w;

	fill(&w);
	w.sample.user_abi = 0;
	w.sample.has_user_stack = false;
	w.sample.mode = MODE_KERNEL;
	w.sample.chain_count = 1;
	w.chain[0] = 0xffffffff81000010;
	cr_assert_str_eq(walked(&w), "? root");
	walked_end(&w);
}

Test(walk, without_pc_or_sp_there_is_nothing_to_walk)
{
	struct walked w;

	fill(&w);
	w.sample.chain_count = 1;
	w.chain[0] = (uint64_t)-128;
	for (int number = 7; number <= 16; number += 9) {
		w.known = ((uint64_t)1 << 17) - 1 - ((uint64_t)1 << number);
		cr_assert_str_eq(walked(&w), "? dump, bare", "register %d", number);
	}
	walked_end(&w);
}

Test(walk, registers_of_a_machine_that_is_not_known_are_left_alone)
{
	struct walked w;

	fill(&w);
	w.t.rec.arch = name_id(&w.t, "s390x");
	cr_assert_str_eq(walked(&w), "? dump, bare");
	w.t.rec.arch = name_id(&w.t, "x86_64");
	w.sample.user_abi = 3;
	cr_assert_str_eq(walked(&w), "? dump, bare");
	w.sample.user_abi = 2;
	cr_assert_str_eq(walked(&w), "1000 1030- 1050- 1070- root");
	walked_end(&w);
}

Test(walk, a_recording_that_does_not_say_its_machine_has_that_of_its_files)
{
	struct walked w;

	fill(&w);
	w.t.rec.arch = 0;
	cr_assert_str_eq(walked(&w), "1000 1030- 1050- 1070- root");
	walked_end(&w);
}

Test(walk, ends_where_the_copied_bytes_do)
{
	struct walked w;

	fill(&w);
	w.words = 8;
	cr_assert_str_eq(walked(&w), "1000 1030- 1050- 1070- root");
	w.words = 7;
	cr_assert_str_eq(walked(&w), "1000 1030- 1050- cut");
	w.words = 4;
	cr_assert_str_eq(walked(&w), "1000 1030- cut");
	w.words = 1;
	cr_assert_str_eq(walked(&w), "1000 1030- cut");
	w.words = 0;
	cr_assert_str_eq(walked(&w), "1000 cut");
	walked_end(&w);
}

Test(walk, a_frame_may_be_larger_than_most_stacks)
{
	struct walked w;

	begin(&w);
	/* 32 MiB */
	cfi_fde(&w.cfi, 0x1100, 0x10, OPS(DW_CFA_def_cfa_offset, 0x80, 0x80, 0x80, 0x10));
	w.word[0] = CODE(0x1104);
	cr_assert_str_eq(walked(&w), "1000 1104- cut");
	walked_end(&w);
}

Test(walk, a_copy_that_is_not_full_ends_where_the_stack_does)
{
	struct walked w;

	fill(&w);
	w.words = 7;
	w.sample.user_stack_cut = false;
	cr_assert_str_eq(walked(&w), "1000 1030- 1050- root");
	w.value[6] = STACK(400);
	cr_assert_str_eq(walked(&w), "1000 1030- 1050- cut", "not just behind it");
	walked_end(&w);
}

Test(walk, a_frame_pointer_to_nowhere_is_a_bad_address)
{
	struct walked w;

	fill(&w);
	w.value[6] = 0x10;
	cr_assert_str_eq(walked(&w), "1000 1030- 1050- bad");
	w.value[6] = ((uint64_t)1 << 40) + 4;
	cr_assert_str_eq(walked(&w), "1000 1030- 1050- bad", "no word of a stack");
	w.value[6] = UINT64_MAX - 4;
	cr_assert_str_eq(walked(&w), "1000 1030- 1050- bad");
	w.value[6] = STACK(0) - 64;
	cr_assert_str_eq(walked(&w), "1000 1030- 1050- bad", "below what is used");
	walked_end(&w);
}

/* A row counts from a register that is another stack's. */
Test(walk, what_lies_on_another_stack_was_not_copied_and_never_will_be)
{
	struct walked w;

	fill(&w);
	w.value[6] = STACK(0) + ((uint64_t)1 << 40);
	cr_assert_str_eq(walked(&w), "1000 1030- 1050- other", "farther than a stack");
	w.value[6] = STACK(0) - 0x10000;
	cr_assert_str_eq(walked(&w), "1000 1030- 1050- other", "below the leaf");
	w.value[6] = STACK(0) + 0x100000;
	cr_assert_str_eq(walked(&w), "1000 1030- 1050- cut", "a frame may be as large");
	walked_end(&w);
}

/* SHA-512 of OpenSSL keeps the stack pointer of its caller below its own. */
Test(walk, what_lies_below_the_stack_pointer_was_not_copied)
{
	const uint8_t below[] = {
		DW_CFA_def_cfa_expression, 5, DW_OP_breg7, 0x78, DW_OP_deref,
		DW_OP_plus_uconst,	   8
	};
	const uint8_t far[] = {
		DW_CFA_def_cfa_expression, 4, DW_OP_breg7, 0xf8, 0x7e, DW_OP_deref
	};
	struct walked w;

	begin(&w);
	cfi_fde(&w.cfi, 0x1100, 0x10, below, sizeof(below));
	cfi_fde(&w.cfi, 0x1120, 0x10, far, sizeof(far));
	w.value[16] = CODE(0x1104);
	w.value[7] = STACK(40);
	cr_assert_str_eq(walked(&w), "1104 cut");
	w.value[16] = CODE(0x1124);
	cr_assert_str_eq(walked(&w), "1124 bad", "136 bytes are not the leaf's any more");
	walked_end(&w);
}

Test(walk, a_return_address_without_a_map_is_the_last_frame)
{
	struct walked w;

	fill(&w);
	w.word[4] = 0x900000;
	w.value[6] = 0x77;
	cr_assert_str_eq(walked(&w), "1000 1030- ? bad");
	walked_end(&w);
}

Test(walk, a_return_address_in_data_is_no_better)
{
	struct walked w;

	fill(&w);
	w.value[6] = 0x77;
	apply(&w.t, (struct record){ .time = 1,
				     .type = PERF_RECORD_MMAP,
				     .mode = MODE_USER,
				     .pid = WALKED_PID,
				     .tid = WALKED_PID,
				     .start = 0x900000,
				     .size = 0x1000,
				     .name = name_id(&w.t, "//anon") });
	w.word[4] = 0x900010;
	cr_assert_str_eq(walked(&w), "1000 1030- j bad");
	walked_end(&w);
}

Test(walk, ends_at_a_frame_that_leads_back)
{
	struct walked w;

	fill(&w);
	w.word[4] = CODE(0x1050);
	w.value[6] = STACK(3);
	w.word[4] = CODE(0x1050);
	w.word[3] = STACK(3);
	cr_assert_str_eq(walked(&w), "1000 1030- 1050- repeated");
	walked_end(&w);
}

Test(walk, a_chain_of_frames_that_point_at_each_other_ends)
{
	struct walked w;

	fill(&w);
	w.word[4] = CODE(0x1050);
	w.value[6] = STACK(10);
	w.word[10] = STACK(20);
	w.word[11] = CODE(0x1050);
	w.word[20] = STACK(10);
	w.word[21] = CODE(0x1050);
	cr_assert_str_eq(walked(&w), "1000 1030- 1050- 1050- 1050- repeated");
	walked_end(&w);
}

Test(walk, keeps_as_many_frames_as_were_asked_for)
{
	struct walked w;

	fill(&w);
	w.options.max_stack = 2;
	cr_assert_str_eq(walked(&w), "1000 1030- most");
	walked_end(&w);

	fill(&w);
	w.options.max_stack = 4;
	cr_assert_str_eq(walked(&w), "1000 1030- 1050- 1070- root",
			 "as many as there are");
	walked_end(&w);
}

static void with_kernel(struct walked *w)
{
	w->sample.mode = MODE_KERNEL;
	w->chain[0] = 0xffffffff81000010;
	w->chain[1] = 0xffffffff81000020;
	w->sample.chain_count = 2;
}

Test(walk, both_halves_count_and_for_perf_each_has_its_own)
{
	struct walked w;

	fill(&w);
	with_kernel(&w);
	w.options.max_stack = 3;
	cr_assert_str_eq(walked(&w), "? ? 1000 most");
	walked_end(&w);

	fill(&w);
	with_kernel(&w);
	w.options.max_stack = 3;
	w.options.as_perf = true;
	cr_assert_str_eq(walked(&w), "? ? 1000 102f 104f most",
			 "perf shows callers one below");
	walked_end(&w);
}

Test(walk, nothing_is_deeper_than_any_stack)
{
	struct walked w;

	begin(&w);
	for (int i = 0; i < WALKED_WORDS; i++)
		w.word[i] = CODE(0x1010);
	walked(&w);
	cr_assert_eq(w.stack.incomplete, INCOMPLETE_CUT_DUMP);
	cr_assert_eq(w.stack.count, WALKED_WORDS + 2);
	walked_end(&w);
}

Test(walk, more_than_4096_frames_are_too_many)
{
	enum { WORDS = 8000 };
	static uint64_t dump[WORDS];
	struct stack_key key;
	struct walked w;

	begin(&w);
	walked(&w);
	for (int i = 0; i < WORDS; i++)
		dump[i] = CODE(0x1010);
	w.sample.user_stack = (const uint8_t *)dump;
	w.sample.user_stack_size = sizeof(dump);
	stack_key(w.walker, &w.sample, &key);
	cr_assert_eq(stack_walk(w.walker, &w.sample, &w.stack), 0);
	cr_assert_eq(w.stack.incomplete, INCOMPLETE_TOO_DEEP);
	cr_assert_eq(w.stack.count, 4097);
	walked_end(&w);
}

Test(walk, a_plt_entry_has_pushed_a_word_behind_its_eleventh_byte)
{
	const uint8_t plt[] = PLT_OPS;
	struct walked w;

	begin(&w);
	cfi_fde(&w.cfi, 0x1100, 0x100, plt, sizeof(plt));
	w.word[0] = CODE(0x1070);
	w.value[16] = CODE(0x1116);
	cr_assert_str_eq(walked(&w), "1116 1070- root");
	w.word[0] = 3;
	w.word[1] = CODE(0x1070);
	w.value[16] = CODE(0x111b);
	cr_assert_str_eq(walked(&w), "111b 1070- root");
	walked_end(&w);
}

Test(walk, a_frame_may_be_found_through_the_stack)
{
	/* DRAP: CFA = *(rbp - 8) */
	const uint8_t drap[] = { DW_CFA_def_cfa_expression, 3, DW_OP_breg6, 0x78,
				 DW_OP_deref };
	struct walked w;

	begin(&w);
	cfi_fde(&w.cfi, 0x1100, 0x10, drap, sizeof(drap));
	w.value[16] = CODE(0x1104);
	w.value[6] = STACK(8);
	w.word[7] = STACK(20);
	w.word[19] = CODE(0x1070);
	cr_assert_str_eq(walked(&w), "1104 1070- root");
	w.words = 7;
	cr_assert_str_eq(walked(&w), "1104 cut");
	walked_end(&w);
}

Test(walk, of_a_file_that_is_not_there_the_leaf_is_known)
{
	struct walked w;

	fill(&w);
	walked_map(&w);
	map(&w.t, 2, WALKED_PID, 0x900000, 0x1000, 0, "/nowhere/at/all");
	w.value[16] = 0x900010;
	w.value[6] = 0x77;
	cr_assert_str_eq(walked(&w), "10 no cfi");
	walked_end(&w);
}

Test(walk, code_that_call_frame_information_leaves_out_ends_it)
{
	struct walked w;

	fill(&w);
	w.word[4] = CODE(0x1900);
	w.value[6] = 0x77;
	cr_assert_str_eq(walked(&w), "1000 1030- 1900- no cfi");
	walked_end(&w);
}

Test(walk, where_a_map_replaces_another_its_own_rows_count)
{
	struct walked w;

	fill(&w);
	cr_assert_str_eq(walked(&w), "1000 1030- 1050- 1070- root");
	map(&w.t, 10, WALKED_PID, WALKED_BASE, 0x10000, 0, "/nowhere/at/all");
	cr_assert_str_eq(walked(&w), "1000 1030- 1050- 1070- root", "before that");
	w.sample.time = 11;
	cr_assert_str_eq(walked(&w), "1000 1070- no cfi", "by the frame pointer");
	w.sample.time = 5;
	cr_assert_str_eq(walked(&w), "1000 1030- 1050- 1070- root");
	walked_end(&w);
}

Test(walk, cut_stacks_stand_below_a_mark)
{
	struct walked w;

	fill(&w);
	w.options.truncated = name_id(&w.t, "[truncated]");
	w.words = 3;
	walked(&w);
	cr_assert_eq(w.stack.count, 4);
	cr_assert_eq(w.frames.list.v[w.stack.frames[1]].address, w.options.truncated);
	walked_end(&w);
}

Test(walk, counts_what_it_did)
{
	const struct stack_counts *counts;
	struct walked w;

	fill(&w);
	walked(&w);
	walked(&w);
	counts = stack_walker_counts(w.walker);
	cr_assert_eq(counts->unwound, 2);
	cr_assert_eq(counts->frames, 8);
	cr_assert_eq(counts->replays, 0);
	walked_end(&w);
}

Test(walk, a_sample_that_is_walked_has_no_key)
{
	struct stack_key key;
	struct walked w;

	fill(&w);
	walked(&w);
	cr_assert_not(stack_key(w.walker, &w.sample, &key));
	w.sample.user_abi = 0;
	cr_assert(stack_key(w.walker, &w.sample, &key));
	w.sample.user_abi = 2;
	w.sample.has_user_stack = false;
	cr_assert(stack_key(w.walker, &w.sample, &key), "registers alone are no stack");
	walked_end(&w);
}

Test(walk, an_empty_copy_is_a_leaf_and_for_perf_nothing)
{
	struct walked w;

	fill(&w);
	w.words = 0;
	cr_assert_str_eq(walked(&w), "1000 cut");
	walked_end(&w);

	fill(&w);
	w.words = 0;
	w.options.as_perf = w.options.empty_chains = true;
	cr_assert_str_eq(walked(&w), "dump, bare");
	walked_end(&w);
}
