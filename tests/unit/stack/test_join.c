/* The recorded chain behind a walk that ends with the copied bytes. */
#include "walked.h"

#include <dwarf.h>
#include <elf.h>

#define CONTEXT_KERNEL ((uint64_t)-128)
#define CONTEXT_USER ((uint64_t)-512)

enum {
	COPIED = 6, /* words; the record of the function at 0x1080 is behind them */
	BY_SP = 0x2000, /* bytes of a function that keeps no frame pointer */
};

/*
 * Two functions with frame pointers, which have their records here, and so far as that the bytes were copied; and
 * who the chain has behind them. @fourth: 0: nobody. After all other FDEs.
 *
 *	word   2  STACK(6)       record of 0x1040
 *	       3  CODE(0x1090)
 *	       6  -              record of 0x1080
 */
static void record_chain(struct walked *w, uint64_t third, uint64_t fourth)
{
	cfi_fde(&w->cfi, 0x1040, 0x20, FRAME_OPS);
	cfi_fde(&w->cfi, 0x1080, 0x20, FRAME_OPS);
	w->options.join = true;
	w->value[16] = CODE(0x1050);
	w->value[6] = STACK(2);
	w->word[2] = STACK(6);
	w->word[3] = CODE(0x1090);
	w->words = COPIED;
	w->chain[0] = CONTEXT_USER;
	w->chain[1] = CODE(0x1050);
	w->chain[2] = CODE(0x1090);
	w->chain[3] = CODE(third);
	w->chain[4] = CODE(fourth);
	w->sample.chain_count = fourth ? 5 : 4;
	walked_call(w, 0x1090);
	walked_call(w, third);
	if (fourth)
		walked_call(w, fourth);
}

/* A third function with a frame pointer, which is there twice. */
static void begin(struct walked *w)
{
	walked_begin_x86_64(w);
	cfi_fde(&w->cfi, 0x10c0, 0x40, FRAME_OPS);
	record_chain(w, 0x10d0, 0x10f0);
}

Test(join, the_chain_goes_on_where_the_copy_ends)
{
	static const uint64_t wanted[] = { CONTEXT_USER, CODE(0x1050), CODE(0x1090),
					   CODE(0x10d0), CODE(0x10f0) };
	const uint64_t *chain;
	struct walked w;
	size_t count;

	begin(&w);
	cr_assert_str_eq(walked(&w), "1050 1090- 10d0- 10f0- root");
	cr_assert_eq(stack_walker_counts(w.walker)->joined, 1);
	cr_assert_eq(stack_user_chain(w.walker, &w.sample, &chain, &count), 0);
	cr_assert_eq(count, 5);
	cr_assert_arr_eq(chain, wanted, sizeof(wanted));
	walked_end(&w);
}

Test(join, without_being_asked_the_chain_stands)
{
	struct walked w;

	begin(&w);
	w.options.join = false;
	walked(&w);
	cr_assert_eq(stack_walker_counts(w.walker)->unwound, 0);
	walked_end(&w);
}

Test(join, what_was_copied_to_the_root_needs_no_chain)
{
	struct walked w;

	begin(&w);
	w.words = WALKED_WORDS;
	w.word[6] = STACK(8);
	w.word[7] = CODE(0x1061); /* the first function */
	walked_call(&w, 0x1061);
	cr_assert_str_eq(walked(&w), "1050 1090- 1061- root");
	cr_assert_eq(stack_walker_counts(w.walker)->joined, 0);
	walked_end(&w);
}

/* The sample that is asked about need not be the one that was walked last: frames of the kernel
 * are counted as it has them. */
Test(join, a_walk_as_long_as_the_kernels_limit_is_no_chain)
{
	static const uint64_t entries[] = { CONTEXT_KERNEL, 0xffffffff81000000,
					    CONTEXT_USER, CODE(0x1050), CODE(0x1090) };
	const uint64_t *chain;
	struct walked w;
	size_t count;

	begin(&w);
	w.t.rec.events.v[0].max_stack = 4;
	w.words = WALKED_WORDS;
	w.word[6] = STACK(8);
	w.word[7] = CODE(0x1061); /* the first function */
	walked_call(&w, 0x1061);
	w.sample.chain_count = 3;
	cr_assert_str_eq(walked(&w), "1050 1090- 1061- root");
	cr_assert_eq(stack_user_chain(w.walker, &w.sample, &chain, &count), 0);
	cr_assert_not_null(chain);
	memcpy(w.chain, entries, sizeof(entries));
	w.sample.chain_count = 5;
	w.sample.position++;
	cr_assert_eq(stack_user_chain(w.walker, &w.sample, &chain, &count), 0);
	cr_assert_null(chain);
	walked_end(&w);
}

Test(join, a_chain_of_other_records_is_left_alone)
{
	struct walked w;

	begin(&w);
	w.chain[2] = CODE(0x10d0); /* not what the first record says */
	cr_assert_str_eq(walked(&w), "1050 1090- cut");
	w.chain[2] = CODE(0x1090);
	cr_assert_str_eq(walked(&w), "1050 1090- 10d0- 10f0- root");
	walked_end(&w);
}

Test(join, a_chain_that_leads_where_no_code_is_is_left_alone)
{
	struct walked w;

	begin(&w);
	w.chain[3] = 0x900000;
	cr_assert_str_eq(walked(&w), "1050 1090- cut");
	w.chain[3] = CODE(0x1210); /* no call before it */
	cr_assert_str_eq(walked(&w), "1050 1090- cut");
	walked_end(&w);
}

Test(join, what_is_cut_at_the_kernels_limit_is_no_rest)
{
	struct walked w;

	begin(&w);
	w.t.rec.events.v[0].max_stack = 4;
	cr_assert_str_eq(walked(&w), "1050 1090- cut");
	walked_end(&w);
}

/* As the C library's, which calls main(): the last one may be, and no other. */
Test(join, code_that_keeps_no_frame_pointers_ends_it)
{
	struct walked w;

	walked_begin_x86_64(&w);
	cfi_fde(&w.cfi, 0x1100, BY_SP,
		OPS(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 32));
	cfi_fde(&w.cfi, 0x10c0, 0x40, FRAME_OPS);
	record_chain(&w, 0x10d0, 0x10f0);
	w.sample.chain_count = 4;
	cr_assert_str_eq(walked(&w), "1050 1090- 10d0- root");
	w.sample.chain_count = 5;
	cr_assert_str_eq(walked(&w), "1050 1090- cut", "frames may be missing");
	w.chain[4] = 1; /* garbage is where it ends */
	cr_assert_str_eq(walked(&w), "1050 1090- 10d0- root");
	walked_end(&w);
}

/* As qsort() calls back: its caller's is on the stack, and what it has itself is anything. */
Test(join, code_that_has_saved_the_frame_pointer_is_not_where_it_ends)
{
	struct walked w;

	walked_begin_x86_64(&w);
	cfi_fde(&w.cfi, 0x1100, BY_SP,
		OPS(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 32, DW_CFA_offset | 6,
		    2));
	record_chain(&w, 0x1120, 0);
	cr_assert_str_eq(walked(&w), "1050 1090- cut");
	walked_end(&w);
}

/* As __libc_csu_init(), which programs of before glibc 2.34 have beside their own code. */
Test(join, a_file_that_keeps_frame_pointers_has_functions_that_do_not)
{
	struct walked w;

	walked_begin_x86_64(&w);
	cfi_fde(&w.cfi, 0x1100, 0x40,
		OPS(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 32, DW_CFA_offset | 6,
		    2));
	cfi_fde(&w.cfi, 0x1200, 0x2000, FRAME_OPS);
	record_chain(&w, 0x1120, 0x1300);
	w.sample.chain_count = 4;
	cr_assert_str_eq(walked(&w), "1050 1090- cut", "something has called it");
	w.sample.chain_count = 5;
	cr_assert_str_eq(walked(&w), "1050 1090- 1120- 1300- root");
	walked_end(&w);
}

/* As musl's, in a program that is linked with it: the program keeps them, and of musl's code nothing is known. */
Test(join, a_chain_may_end_in_code_without_unwind_information)
{
	struct walked w;

	walked_begin_x86_64(&w);
	record_chain(&w, 0x1120, 0);
	cr_assert_str_eq(walked(&w), "1050 1090- 1120- root");
	walked_end(&w);
}

/* At the cut the frame pointer is an older frame's. */
Test(join, a_frame_without_a_record_of_its_own_hides_how_many_are_missing)
{
	struct walked w;

	walked_begin_x86_64(&w);
	w.options.join = true;
	cfi_fde(&w.cfi, 0x1040, 0x20,
		OPS(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 80));
	cfi_fde(&w.cfi, 0x1080, 0x80, FRAME_OPS);
	w.value[16] = CODE(0x1050);
	w.value[6] = STACK(20);
	w.words = COPIED;
	w.chain[0] = CONTEXT_USER;
	w.chain[1] = CODE(0x1050);
	w.chain[2] = CODE(0x1090);
	w.sample.chain_count = 3;
	walked_call(&w, 0x1090);
	cr_assert_str_eq(walked(&w), "1050 cut");
	walked_end(&w);
}

/*
 * What lies on another stack is as good as what was not copied. The function at 0x1090 has called 0x1050 on this
 * stack, and its own frame is at HOME.
 */
#define HOME (STACK(0) - 0x100000)

static void change_stack(struct walked *w)
{
	begin(w);
	w->word[2] = HOME;
}

Test(join, the_chain_goes_on_on_another_stack)
{
	struct walked w;

	change_stack(&w);
	cr_assert_str_eq(walked(&w), "1050 1090- 10d0- 10f0- root");
	cr_assert_eq(stack_walker_counts(w.walker)->joined, 1);
	w.chain[3] = CODE(0x1210); /* no call before it */
	cr_assert_str_eq(walked(&w), "1050 1090- other");
	w.chain[3] = CODE(0x10d0);
	w.chain[2] = CODE(0x10d0); /* not what the first record says */
	cr_assert_str_eq(walked(&w), "1050 1090- other");
	walked_end(&w);
}

/* The handler at 0x1050 has a stack of its own; the function at 0x1090 was interrupted. */
Test(join, the_chain_goes_on_behind_a_signal)
{
	struct walked w;

	walked_begin_x86_64(&w);
	w.options.join = true;
	cfi_fde(&w.cfi, 0x1040, 0x20, FRAME_OPS);
	cfi_fde(&w.cfi, 0x1080, 0x20, FRAME_OPS);
	cfi_fde(&w.cfi, 0x10c0, 0x40, FRAME_OPS);
	w.value[16] = CODE(0x1050);
	w.value[6] = STACK(2);
	w.word[2] = HOME;
	w.word[3] = CODE(0x1140); /* the trampoline */
	w.word[4 + 15] = HOME;
	w.word[4 + 20] = HOME - 16;
	w.word[4 + 21] = CODE(0x1090);
	w.chain[0] = CONTEXT_USER;
	w.chain[1] = CODE(0x1050);
	w.chain[2] = CODE(0x1140);
	w.chain[3] = CODE(0x10d0);
	w.chain[4] = CODE(0x10f0);
	w.sample.chain_count = 5;
	walked_call(&w, 0x10d0);
	walked_call(&w, 0x10f0);
	CODE_BYTES(&w, 0x1140, 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05);
	cr_assert_str_eq(walked(&w), "1050 1140 1090 10d0- 10f0- root");
	/* Interrupted before it had a frame: the register is its caller's. */
	w.word[4 + 21] = CODE(0x1080);
	cr_assert_str_eq(walked(&w), "1050 1140 1080 other");
	walked_end(&w);
}
