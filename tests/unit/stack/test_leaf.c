#include "walked.h"

#include <dwarf.h>
#include <elf.h>

#define CONTEXT_USER ((uint64_t)-512)

static void begin(struct walked *w)
{
	walked_begin_x86_64(w);
	cfi_fde(&w->cfi, 0x1040, 0x20, FRAME_OPS);
	cfi_fde(&w->cfi, 0x1080, 0x20, OPS(DW_CFA_def_cfa, 3, 16)); /* by rbx */
	w->chain[0] = CONTEXT_USER;
	w->chain[1] = CODE(0x1000);
	w->chain[2] = CODE(0x1300);
	w->chain[3] = CODE(0x1400);
	w->sample.chain_count = 4;
	w->words = 32;
	walked_call(w, 0x1200);
	walked_call(w, 0x1300);
	walked_call(w, 0x1400);
}

Test(leaf, its_missing_caller_is_put_in)
{
	struct walked w;

	begin(&w);
	w.word[0] = CODE(0x1200);
	cr_assert_str_eq(walked(&w), "1000 1200- 1300- 1400- root");
	cr_assert_eq(stack_walker_counts(w.walker)->unwound, 0, "the chain stands");
	walked_end(&w);
}

Test(leaf, a_caller_that_is_there_is_not_put_in_twice)
{
	struct walked w;

	begin(&w);
	w.word[0] = CODE(0x1300);
	cr_assert_str_eq(walked(&w), "1000 1300- 1400- root");
	walked_end(&w);
}

Test(leaf, in_a_function_with_a_frame_nothing_is_missing_but_in_its_prologue)
{
	struct walked w;

	begin(&w);
	w.word[1] = CODE(0x1300);
	w.value[6] = STACK(0);
	w.value[16] = w.chain[1] = CODE(0x1050);
	cr_assert_str_eq(walked(&w), "1050 1300- 1400- root");
	w.value[6] = 0x77; /* the caller's */
	w.value[16] = w.chain[1] = CODE(0x1041);
	w.word[1] = CODE(0x1200);
	cr_assert_str_eq(walked(&w), "1041 1200- 1300- 1400- root");
	walked_end(&w);
}

Test(leaf, what_is_no_return_address_is_not_put_in)
{
	struct walked w;

	begin(&w);
	w.word[0] = CODE(0x1210);
	cr_assert_str_eq(walked(&w), "1000 1300- 1400- root", "no call there");
	w.word[0] = 0x900000;
	cr_assert_str_eq(walked(&w), "1000 1300- 1400- root", "no map there");
	w.word[0] = 0;
	cr_assert_str_eq(walked(&w), "1000 1300- 1400- root");
	w.word[0] = CODE(0x1200);
	w.words = 0;
	cr_assert_str_eq(walked(&w), "1000 1300- 1400- root", "no stack was copied");
	walked_end(&w);
}

Test(leaf, registers_of_another_place_say_nothing)
{
	struct walked w;

	begin(&w);
	w.word[0] = CODE(0x1200);
	w.value[16] = CODE(0x1008);
	cr_assert_str_eq(walked(&w), "1000 1300- 1400- dump");
	walked_end(&w);
}

Test(leaf, its_row_may_need_other_registers)
{
	struct walked w;

	begin(&w);
	w.value[16] = w.chain[1] = CODE(0x1090);
	w.value[3] = STACK(4);
	w.word[5] = CODE(0x1200);
	cr_assert_str_eq(walked(&w), "1090 1200- 1300- 1400- root");
	walked_end(&w);
}

Test(leaf, of_the_user_is_meant_not_that_of_the_kernel)
{
	struct walked w;

	begin(&w);
	w.sample.mode = MODE_KERNEL;
	w.chain[0] = 0xffffffff81000010;
	w.chain[1] = 0xffffffff81000020;
	w.chain[2] = CONTEXT_USER;
	w.chain[3] = CODE(0x1000);
	w.chain[4] = CODE(0x1300);
	w.sample.chain_count = 5;
	w.word[0] = CODE(0x1200);
	cr_assert_str_eq(walked(&w), "? ? 1000 1200- 1300- root");
	walked_end(&w);
}

Test(leaf, it_counts_as_a_frame)
{
	struct walked w;

	begin(&w);
	w.options.max_stack = 2;
	w.word[0] = CODE(0x1200);
	cr_assert_str_eq(walked(&w), "1000 1200- most");
	walked_end(&w);

	begin(&w);
	w.options.max_stack = 1;
	w.word[0] = CODE(0x1200);
	cr_assert_str_eq(walked(&w), "1000 most");
	walked_end(&w);
}

Test(leaf, perf_leaves_it_out)
{
	struct walked w;

	begin(&w);
	w.options.as_perf = true;
	w.word[0] = CODE(0x1200);
	cr_assert_str_eq(walked(&w), "1000 1300- 1400- root");
	walked_end(&w);
}

Test(leaf, branches_of_the_processor_are_whole)
{
	struct walked w;

	begin(&w);
	w.sample.exact_chain = true;
	w.word[0] = CODE(0x1200);
	cr_assert_str_eq(walked(&w), "1000 1300 1400 dump");
	walked_end(&w);
}

static void begin_aarch64(struct walked *w)
{
	walked_begin_aarch64(w);
	cfi_fde(&w->cfi, 0x1040, 0x20,
		OPS(DW_CFA_def_cfa_offset, 32, DW_CFA_offset | 29, 4, DW_CFA_offset | 30,
		    3));
	w->chain[0] = CONTEXT_USER;
	w->chain[1] = CODE(0x1000);
	w->chain[2] = CODE(0x1300);
	w->sample.chain_count = 3;
	w->sample.has_user_stack = false;
	w->words = 0;
	w->known = (uint64_t)1 << 30; /* all that perf records for this */
	w->value[30] = CODE(0x1200);
	CODE_BYTES(w, 0x1200 - 4, 1, 0, 0, 0x94);
	CODE_BYTES(w, 0x1300 - 4, 1, 0, 0, 0x94);
}

Test(leaf, the_link_is_enough_on_aarch64)
{
	struct walked w;

	begin_aarch64(&w);
	cr_assert_str_eq(walked(&w), "1000 1200- 1300- root");
	w.value[30] |= (uint64_t)0x1a2b << 48;
	cr_assert_str_eq(walked(&w), "1000 1200- 1300- root", "signed");
	w.value[30] = CODE(0x1300);
	cr_assert_str_eq(walked(&w), "1000 1300- root");
	walked_end(&w);

	begin_aarch64(&w);
	w.options.as_perf = true;
	cr_assert_str_eq(walked(&w), "1000 1200- 1300- root", "perf does so, too");
	walked_end(&w);
}

Test(leaf, an_aarch64_function_may_have_saved_the_link_and_no_more)
{
	struct walked w;

	begin_aarch64(&w);
	w.known = (uint64_t)1 << 31 | (uint64_t)1 << 32;
	w.value[31] = STACK(0);
	w.value[32] = w.chain[1] = CODE(0x1050);
	w.words = 8;
	w.word[1] = CODE(0x1200);
	cr_assert_str_eq(walked(&w), "1050 1200- 1300- root");
	w.word[1] = CODE(0x1300);
	cr_assert_str_eq(walked(&w), "1050 1300- root");
	w.words = 1;
	cr_assert_str_eq(walked(&w), "1050 1300- root", "not copied");
	walked_end(&w);
}

Test(leaf, the_link_counts_only_where_its_row_says_so)
{
	struct walked w;

	begin_aarch64(&w);
	w.chain[1] = CODE(0x1050);
	cr_assert_str_eq(walked(&w), "1050 1300- root", "it was saved and used since");
	w.chain[1] = CODE(0x1500);
	cr_assert_str_eq(walked(&w), "1500 1300- root", "nobody knows");
	walked_end(&w);
}

static bool same_key(const struct stack_key *a, const struct stack_key *b)
{
	return a->low == b->low && a->high == b->high;
}

/* What is remembered of a stack has to be asked for by all that makes it. */
Test(leaf, a_stack_is_remembered_by_its_chain_and_the_caller)
{
	struct stack_key with, without;
	struct walked w;
	uint64_t caller;

	begin(&w);
	w.options.leaf_only = true;
	w.word[0] = CODE(0x1200);
	cr_assert_str_eq(walked(&w), "1000 1200- 1300- 1400- root");
	cr_assert(w.keyed);
	with = w.key;
	w.word[5] = 77; /* of no account */
	w.value[3] = 5;
	cr_assert_str_eq(walked(&w), "1000 1200- 1300- 1400- root");
	cr_assert(w.keyed && same_key(&w.key, &with));
	w.word[0] = CODE(0x1300);
	cr_assert_str_eq(walked(&w), "1000 1300- 1400- root");
	cr_assert(w.keyed && !same_key(&w.key, &with));
	without = w.key;
	w.sample.user_abi = 0;
	w.sample.has_user_stack = false;
	stack_key(w.walker, &w.sample, &w.key);
	cr_assert(!same_key(&w.key, &without), "nothing was copied to look at");
	w.sample.user_abi = 2;
	w.sample.has_user_stack = true;
	/* Known before the walk: a saved file has it without one. */
	w.word[0] = CODE(0x1200);
	w.sample.position++;
	cr_assert(stack_key(w.walker, &w.sample, &w.key) && same_key(&w.key, &with));
	cr_assert_eq(stack_leaf_caller(w.walker, &w.sample, &caller), 0);
	cr_assert_eq(caller, CODE(0x1200));
	walked_end(&w);
}

Test(leaf, where_more_than_a_caller_comes_of_the_dump_nothing_is_remembered)
{
	struct walked w;

	begin(&w);
	w.word[0] = CODE(0x1200);
	walked(&w);
	cr_assert_not(w.keyed, "it might be unwound");
	walked_end(&w);

	begin(&w);
	w.options.leaf_only = true;
	w.options.max_stack = 2;
	w.word[0] = CODE(0x1200);
	cr_assert_str_eq(walked(&w), "1000 1200- most");
	cr_assert_not(w.keyed, "it might be cut in front of it");
	walked_end(&w);
}
