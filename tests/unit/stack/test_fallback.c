#include "walked.h"

#include <dwarf.h>
#include <elf.h>
#include <stdio.h>

/* Two frames of code without rows, one above the other, called by the first function. From
 * 0x1100 to 0x1fff there are none. */
static void fill(struct walked *w)
{
	walked_begin_x86_64(w);
	w->value[16] = CODE(0x1200);
	w->value[6] = STACK(4);
	w->word[4] = STACK(8);
	w->word[5] = CODE(0x1300);
	w->word[8] = 0x77;
	w->word[9] = CODE(0x1070);
	walked_call(w, 0x1300);
	walked_call(w, 0x1070);
}

Test(fallback, follows_frame_pointers_through_code_without_rows)
{
	struct walked w;

	fill(&w);
	cr_assert_str_eq(walked(&w), "1200 1300- 1070- root");
	walked_end(&w);
}

Test(fallback, goes_on_with_rows_where_there_are_some)
{
	struct walked w;

	fill(&w);
	cfi_fde(&w.cfi, 0x1080, 0x20, OPS(DW_CFA_def_cfa_offset, 24));
	w.word[5] = CODE(0x1090);
	w.word[8] = CODE(0x1070); /* two words above, as the row says */
	cfi_write(&w.cfi);
	walked_call(&w, 0x1090);
	walked_call(&w, 0x1070);
	cr_assert_str_eq(walked(&w), "1200 1090- 1070- root");
	walked_end(&w);
}

Test(fallback, the_outermost_frame_has_no_caller)
{
	struct walked w;

	fill(&w);
	w.word[4] = 0;
	cr_assert_str_eq(walked(&w), "1200 1300- root");
	w.word[5] = 0;
	cr_assert_str_eq(walked(&w), "1200 root", "neither pointer nor address");
	walked_end(&w);
}

/* runtime.goexit() of Go: nobody has called, and the frame pointer is 0. */
Test(fallback, the_caller_of_the_last_in_a_chain_may_have_called_nothing)
{
	struct walked w;

	fill(&w);
	w.word[8] = 0;
	w.word[9] = CODE(0x1401);
	cr_assert_str_eq(walked(&w), "1200 1300- 1401- root");
	w.word[9] = 0x900000;
	cr_assert_str_eq(walked(&w), "1200 1300- no cfi", "no map there");
	w.word[9] = CODE(0x1401);
	w.value[6] = STACK(8);
	cr_assert_str_eq(walked(&w), "1200 no cfi", "nothing says it is a chain");
	walked_end(&w);
}

Test(fallback, a_leaf_without_a_frame_pointer_is_not_the_outermost)
{
	struct walked w;

	fill(&w);
	w.value[6] = 0;
	w.value[0] = 1;
	cr_assert_str_eq(walked(&w), "1200 no cfi");
	walked_end(&w);
}

Test(fallback, a_program_begins_with_empty_registers)
{
	struct walked w;

	fill(&w);
	w.value[6] = 0;
	cr_assert_str_eq(walked(&w), "1200 root");
	w.value[12] = 1;
	cr_assert_str_eq(walked(&w), "1200 no cfi");
	walked_end(&w);
}

Test(fallback, believes_no_frame_pointer_that_cannot_be_one)
{
	static const uint64_t wrong[] = {
		STACK(4) + 1, /* not aligned */
		STACK(4) - 4096, /* below the stack pointer */
		STACK(600), /* behind what was copied */
		UINT64_MAX - 7,	 8,
	};
	struct walked w;

	fill(&w);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		w.value[6] = wrong[i];
		cr_assert_str_eq(walked(&w), "1200 no cfi", "case %zu", i);
	}
	walked_end(&w);
}

Test(fallback, believes_no_return_address_without_a_call)
{
	struct walked w;

	fill(&w);
	w.word[5] = CODE(0x1310);
	cr_assert_str_eq(walked(&w), "1200 no cfi", "no call there");
	w.word[5] = 0x900000;
	cr_assert_str_eq(walked(&w), "1200 no cfi", "no map there");
	w.word[5] = CODE(0x2010);
	cr_assert_str_eq(walked(&w), "1200 no cfi", "no code there");
	walked_end(&w);
}

Test(fallback, a_chain_of_frame_pointers_can_be_cut)
{
	struct walked w;

	fill(&w);
	w.word[4] = STACK(20);
	w.words = 15;
	cr_assert_str_eq(walked(&w), "1200 1300- cut");
	w.words = 5;
	cr_assert_str_eq(walked(&w), "1200 no cfi", "nothing says it is a chain");
	walked_end(&w);
}

/* Calls, and what looks like one: bytes before 0x1300, and whether they are one. */
static const struct {
	uint8_t size, bytes[7];
	bool call;
} calls[] = {
	{ 5, { 0xe8, 1, 2, 3, 4 }, true },
	{ 2, { 0xff, 0xd0 }, true }, /* *%rax */
	{ 3, { 0x41, 0xff, 0xd4 }, true }, /* *%r12 */
	{ 2, { 0xff, 0x13 }, true }, /* *(%rbx) */
	{ 3, { 0xff, 0x14, 0x24 }, true }, /* *(%rsp) */
	{ 3, { 0xff, 0x50, 0x18 }, true }, /* *0x18(%rax) */
	{ 4, { 0xff, 0x54, 0x24, 0x08 }, true }, /* *8(%rsp) */
	{ 4, { 0x41, 0xff, 0x54, 0xdd }, false }, /* needs one byte more */
	{ 6, { 0xff, 0x15, 1, 2, 3, 4 }, true }, /* *x(%rip) */
	{ 6, { 0xff, 0x90, 1, 2, 3, 4 }, true }, /* *x(%rax) */
	{ 7, { 0xff, 0x14, 0xc5, 1, 2, 3, 4 }, true }, /* *x(,%rax,8) */
	{ 7, { 0xff, 0x94, 0x24, 1, 2, 3, 4 }, true }, /* *x(%rsp) */
	{ 2, { 0xff, 0xe0 }, false }, /* jmp *%rax */
	{ 2, { 0xff, 0x30 }, false }, /* push (%rax) */
	{ 5, { 0xe9, 1, 2, 3, 4 }, false }, /* jmp */
	{ 1, { 0xc3 }, false },
};

Test(fallback, knows_all_calls_of_x86)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		struct walked w;

		walked_begin_x86_64(&w);
		w.value[16] = CODE(0x1200);
		w.value[6] = 0x77;
		w.word[0] = CODE(0x1300);
		walked_code(&w, 0x1300u - calls[i].size, calls[i].bytes, calls[i].size);
		cr_assert_str_eq(walked(&w),
				 calls[i].call ? "1200 1300- no cfi" : "1200 no cfi",
				 "case %zu", i);
		walked_end(&w);
	}
}

Test(fallback, a_leaf_without_row_may_have_touched_nothing)
{
	struct walked w;

	fill(&w);
	w.word[0] = CODE(0x1070);
	cr_assert_str_eq(walked(&w), "1200 1070- root",
			 "a call before the last word is better than a frame pointer");
	w.word[0] = CODE(0x1078);
	cr_assert_str_eq(walked(&w), "1200 1300- 1070- root");
	walked_end(&w);
}

/* As in code of V8, which has frame pointers and rows nowhere: at sp lies what an earlier call has
 * left. */
Test(fallback, a_function_that_was_called_and_has_a_frame_is_no_leaf)
{
	struct walked w;

	fill(&w);
	w.word[0] = CODE(0x1010);
	w.word[1] = CODE(0x1070);
	walked_call(&w, 0x1010); /* nobody knows of what */
	cr_assert_str_eq(walked(&w), "1200 1010- 1070- root");
	walked_end(&w);

	fill(&w);
	w.word[0] = CODE(0x1010);
	walked_call(&w, 0x1010);
	CODE_BYTES(&w, 0x11f0, 0x55, 0x48, 0x89, 0xe5);
	CODE_BYTES(&w, 0x12fb, 0xe8, 0xf0, 0xfe, 0xff, 0xff); /* of 0x11f0 */
	cr_assert_str_eq(walked(&w), "1200 1300- 1070- root");
	w.value[16] = CODE(0x11f1); /* the frame pointer is that of its caller */
	w.word[1] = CODE(0x1070);
	cr_assert_str_eq(walked(&w), "11f1 1010- 1070- root");
	walked_end(&w);

	fill(&w);
	w.word[0] = CODE(0x1310);
	CODE_BYTES(&w, 0x11f0, 0x55, 0x48, 0x89, 0xe5);
	CODE_BYTES(&w, 0x12fb, 0xe8, 0xf0, 0xfe, 0xff, 0xff);
	CODE_BYTES(&w, 0x130b, 0xe8, 0xe8, 0xfe, 0xff,
		   0xff); /* of 0x11f8, which is nearer */
	cr_assert_str_eq(walked(&w), "1200 1310- 1300- 1070- root");
	walked_end(&w);
}

Test(fallback, a_leaf_without_row_may_have_aligned_the_stack)
{
	struct walked w;

	fill(&w);
	w.value[6] = 0x77;
	w.word[1] = CODE(0x1070);
	cr_assert_str_eq(walked(&w), "1200 1070- root");
	w.word[1] = 0;
	w.word[2] = CODE(0x1070);
	cr_assert_str_eq(walked(&w), "1200 no cfi", "no more than a word");
	walked_end(&w);
}

Test(fallback, a_call_of_an_address_that_is_none_is_a_leaf)
{
	struct walked w;

	fill(&w);
	w.value[16] = 0;
	w.value[6] = 0x77;
	w.word[0] = CODE(0x1070);
	cr_assert_str_eq(walked(&w), "? 1070- root");
	walked_end(&w);
}

static void map_jit(struct walked *w)
{
	map(&w->t, 1, WALKED_PID, 0x900000, 0x1000, 0, "//anon");
}

Test(fallback, code_of_a_runtime_is_walked_by_its_frame_pointers)
{
	struct walked w;

	fill(&w);
	map_jit(&w);
	w.value[16] = 0x900100;
	w.word[5] = 0x900200;
	cr_assert_str_eq(walked(&w), "j j 1070- root");
	walked_end(&w);
}

/* What V8 has for a bytecode has no frame: context, function, count of arguments and bytecodes are the caller's. */
Test(fallback, code_for_a_bytecode_was_called_by_the_function_whose_frame_it_has)
{
	struct walked w;

	fill(&w);
	map_jit(&w);
	w.value[6] = STACK(8);
	w.word[0] = 0x900200;
	w.word[4] = w.value[12] = 0x123471;
	w.word[6] = 0x123461;
	w.word[7] = 0x123451;
	w.word[8] = STACK(12);
	cr_assert_str_eq(walked(&w), "1200 j 1070- root");
	w.value[12] = 0x123481;
	cr_assert_str_eq(walked(&w), "1200 1070- root", "of another function");
	w.value[12] = w.word[4];
	w.word[7] = 0x20;
	cr_assert_str_eq(walked(&w), "1200 1070- root", "the frame of such code itself");
	walked_end(&w);
}

/* Python calls through copies of sub $8,%rsp; call *%rcx; add $8,%rsp; ret. */
Test(fallback, pythons_code_between_two_functions_of_one_file_has_a_word_of_its_own)
{
	struct walked w;

	fill(&w);
	cfi_fde(&w.cfi, 0x1080, 0x20, OPS(DW_CFA_def_cfa_offset, 16));
	cfi_write(&w.cfi);
	walked_call(&w, 0x1070);
	map_jit(&w);
	w.value[16] = CODE(0x1090);
	w.word[1] = 0x900000 + 16 * 7 + 6;
	w.word[3] = CODE(0x1070);
	w.value[6] = 3;
	cr_assert_str_eq(walked(&w), "1090 j 1070- root");
	w.word[1] = 0x900000 + 11 * 7 + 6;
	cr_assert_str_eq(walked(&w), "1090 j 1070- root", "of 3.12");
	w.word[1] = 0x900000 + 11 * 7 + 5;
	cr_assert_str_eq(walked(&w), "1090 j no cfi", "of something else");
	w.word[1]++;
	w.word[3] = CODE(0x1068);
	cr_assert_str_eq(walked(&w), "1090 j no cfi", "nobody has called there");
	w.word[3] = 0x900200;
	cr_assert_str_eq(walked(&w), "1090 j no cfi", "another runtime's code");
	walked_end(&w);
}

Test(fallback, perf_makes_no_step_without_an_object)
{
	struct walked w;

	fill(&w);
	w.options.as_perf = true;
	map_jit(&w);
	w.value[16] = 0x900100;
	cr_assert_str_eq(walked(&w), "j no cfi");
	w.value[16] = CODE(0x1200);
	cr_assert_str_eq(walked(&w), "1200 12ff 106f root");
	walked_end(&w);
}

Test(fallback, an_address_that_no_map_has_is_walked_over_once_it_is_in_the_chain)
{
	struct walked w;

	fill(&w);
	w.value[16] = CODE(0x1000);
	w.word[0] = 0x900000; /* code whose map was not recorded */
	cr_assert_str_eq(walked(&w), "1000 ? 1300- 1070- root");
	w.word[5] = CODE(0x1310);
	cr_assert_str_eq(walked(&w), "1000 ? bad");
	walked_end(&w);
}

Test(fallback, a_row_may_miss_a_push)
{
	struct walked w;

	fill(&w);
	w.value[16] = CODE(0x1000);
	w.value[6] = 0x77;
	w.word[0] = 0x900000; /* data that the leaf has pushed */
	w.word[1] = CODE(0x1070);
	cr_assert_str_eq(walked(&w), "1000 1070- root");
	w.word[1] = CODE(0x1078);
	cr_assert_str_eq(walked(&w), "1000 ? bad", "nothing was called before it");
	walked_end(&w);
}

Test(fallback, the_file_may_change_while_it_is_read)
{
	struct walked w;
	FILE *f;

	fill(&w);
	walked_map(&w);
	f = fopen(w.path, "r+");
	cr_assert_not_null(f);
	w.word[0] = CODE(0x1070);
	w.value[16] = CODE(0x1000);
	cr_assert_str_eq(walked(&w), "1000 1070- root");
	/* Longer than it was: what is read of it now is not what was mapped. */
	cr_assert_eq(fseek(f, 0, SEEK_END), 0);
	cr_assert_eq(fputs("more", f) >= 0, true);
	fclose(f);
	w.value[16] = CODE(0x1200);
	w.word[0] = CODE(0x1070);
	cr_assert_str_eq(walked(&w), "1200 1300- 1070- root",
			 "no call is seen any more, and none is missed");
	walked_end(&w);
}

/* A leaf that is about to return: by its rows rbp lies below sp still. A caller without a
 * frame pointer, and one with. */
static void return_from_leaf(struct walked *w)
{
	walked_begin_x86_64(w);
	cfi_fde(&w->cfi, 0x1020, 0x20, OPS(DW_CFA_offset | 6, 2));
	cfi_fde(&w->cfi, 0x1040, 0x20, OPS(DW_CFA_def_cfa_offset, 24));
	cfi_fde(&w->cfi, 0x1080, 0x20, FRAME_OPS);
	w->value[16] = CODE(0x1030);
	w->value[6] = STACK(4);
	w->word[0] = CODE(0x1050);
	w->word[3] = CODE(0x1090);
	w->word[4] = 0x77;
	w->word[5] = CODE(0x1070);
	walked_call(w, 0x1070);
}

Test(fallback, a_leaf_has_popped_the_frame_pointer_without_saying_so)
{
	struct walked w;

	return_from_leaf(&w);
	cr_assert_str_eq(walked(&w), "1030 1050- 1090- 1070- root");
	cr_assert_eq(stack_walker_counts(w.walker)->replays, 0);
	w.words = 5;
	cr_assert_str_eq(walked(&w), "1030 1050- 1090- cut");
	walked_end(&w);
}

/* It may be in the red zone, and the register have another value. */
Test(fallback, a_frame_pointer_that_was_popped_has_to_lead_on)
{
	struct walked w;

	return_from_leaf(&w);
	w.value[6] = STACK(3); /* below the caller's frame */
	cr_assert_str_eq(walked(&w), "1030 1050- 1090- no cfi");
	w.value[6] = STACK(4) + 1;
	cr_assert_str_eq(walked(&w), "1030 1050- 1090- no cfi");
	w.value[6] = 0x500000000000;
	cr_assert_str_eq(walked(&w), "1030 1050- 1090- no cfi");
	w.value[6] = STACK(4);
	w.known &= ~((uint64_t)1 << 6);
	cr_assert_str_eq(walked(&w), "1030 1050- 1090- no cfi", "not recorded");
	w.known |= (uint64_t)1 << 6;
	w.word[5] = CODE(0x1078); /* nothing was called before it */
	cr_assert_str_eq(walked(&w), "1030 1050- 1090- no cfi");
	walked_end(&w);
}

Test(fallback, perf_does_without_a_frame_pointer_that_was_popped)
{
	struct walked w;

	return_from_leaf(&w);
	w.options.as_perf = true;
	cr_assert_str_eq(walked(&w), "1030 104f 108f no cfi");
	walked_end(&w);
}
