#include "walked.h"

#include <dwarf.h>
#include <elf.h>

/* CFA = rbx + 16, as in the resolver of lazy binding. */
#define RBX_OPS OPS(DW_CFA_def_cfa, 3, 16)

/* A function that saves rbx, and one counted from rbx. */
static void begin(struct walked *w)
{
	walked_begin_x86_64(w);
	cfi_fde(&w->cfi, 0x1020, 0x20,
		OPS(DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 3, 2));
	cfi_fde(&w->cfi, 0x1040, 0x20, RBX_OPS);
}

static uint64_t replays(const struct walked *w)
{
	return stack_walker_counts(w->walker)->replays;
}

Test(replay, a_leaf_is_left_with_its_own_registers)
{
	struct walked w;

	begin(&w);
	w.value[16] = CODE(0x1050);
	w.value[3] = STACK(20);
	w.word[21] = CODE(0x1070);
	cr_assert_str_eq(walked(&w), "1050 1070- root");
	cr_assert_eq(replays(&w), 1);
	walked_end(&w);
}

/* The leaf and the one that saves rbx, then the one that needs it. */
static void fill(struct walked *w)
{
	begin(w);
	w->value[3] = 0x1234; /* was changed since */
	w->word[0] = CODE(0x1030);
	w->word[1] = STACK(20); /* rbx, as it was saved */
	w->word[2] = CODE(0x1050);
	w->word[21] = CODE(0x1070);
}

Test(replay, registers_are_followed_from_the_leaf_on)
{
	struct walked w;

	fill(&w);
	cr_assert_str_eq(walked(&w), "1000 1030- 1050- 1070- root");
	cr_assert_eq(replays(&w), 1);
	walked_end(&w);
}

Test(replay, frames_before_the_odd_one_are_the_same)
{
	uint32_t leaf, second;
	struct walked w;

	fill(&w);
	w.word[2] = CODE(0x1070);
	cr_assert_str_eq(walked(&w), "1000 1030- 1070- root");
	leaf = w.stack.frames[w.stack.count - 1];
	second = w.stack.frames[w.stack.count - 2];
	w.word[2] = CODE(0x1050);
	walked(&w);
	cr_assert_eq(w.stack.frames[w.stack.count - 1], leaf);
	cr_assert_eq(w.stack.frames[w.stack.count - 2], second);
	walked_end(&w);
}

Test(replay, more_than_one_odd_row_is_followed)
{
	struct walked w;

	fill(&w);
	/* Not changed by the first of them: its caller's are the same. */
	cfi_fde(&w.cfi, 0x1080, 0x20, OPS(DW_CFA_def_cfa, 3, 32));
	cfi_fde(&w.cfi, 0x10a0, 0x20, OPS(DW_CFA_def_cfa, 3, 48));
	w.word[21] = CODE(0x1090);
	w.word[23] = CODE(0x10b0);
	w.word[25] = CODE(0x1070);
	cr_assert_str_eq(walked(&w), "1000 1030- 1050- 1090- 10b0- 1070- root");
	cr_assert_eq(replays(&w), 2);
	walked_end(&w);
}

Test(replay, a_register_that_is_not_known_any_more_ends_it)
{
	struct walked w;

	fill(&w);
	w.known &= ~((uint64_t)1 << 3);
	w.word[1] = STACK(20);
	cr_assert_str_eq(walked(&w), "1000 1030- 1050- 1070- root", "it was saved");
	w.value[16] = CODE(0x1050);
	w.value[6] = 0x77;
	cr_assert_str_eq(walked(&w), "1050 no cfi");
	walked_end(&w);
}

Test(replay, ends_for_the_same_reasons)
{
	struct walked w;

	fill(&w);
	w.words = 21;
	cr_assert_str_eq(walked(&w), "1000 1030- 1050- cut");
	w.words = WALKED_WORDS;
	w.word[1] = STACK(0);
	w.word[1] = WALKED_STACK - 16; /* CFA is the leaf's stack pointer */
	cr_assert_str_eq(walked(&w), "1000 1030- 1050- bad");
	w.word[1] = STACK(1);
	w.word[2] = CODE(0x1050);
	cr_assert_str_eq(walked(&w), "1000 1030- 1050- repeated");
	w.word[1] = STACK(20);
	w.word[21] = 0;
	cr_assert_str_eq(walked(&w), "1000 1030- 1050- root");
	walked_end(&w);

	fill(&w);
	w.options.max_stack = 3;
	cr_assert_str_eq(walked(&w), "1000 1030- 1050- most");
	walked_end(&w);
}

Test(replay, a_return_address_in_a_register_is_one)
{
	struct walked w;

	begin(&w);
	/* vfork keeps it in rdi and the stack as its caller had it. */
	cfi_fde(&w.cfi, 0x1080, 0x20,
		OPS(DW_CFA_def_cfa_offset, 0, DW_CFA_register, 16, 5));
	w.value[16] = CODE(0x1088);
	w.value[5] = CODE(0x1070);
	cr_assert_str_eq(walked(&w), "1088 1070- root");
	walked_end(&w);
}

Test(replay, steps_without_rows_in_between)
{
	struct walked w;

	fill(&w);
	walked_call(&w, 0x1200);
	walked_call(&w, 0x1050);
	/* No row at 0x1200: rbx is lost there. */
	w.word[2] = CODE(0x1200);
	w.value[6] = STACK(8);
	w.word[8] = 0x77;
	w.word[9] = CODE(0x1050);
	cr_assert_str_eq(walked(&w), "1000 1030- 1200- 1050- no cfi");
	walked_end(&w);
}

Test(replay, through_a_signal_all_registers_come_back)
{
	struct walked w;

	begin(&w);
	CODE_BYTES(&w, 0x1100, 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05);
	w.word[0] = CODE(0x1100);
	w.word[1 + 16] = STACK(60); /* rbx */
	w.word[1 + 20] = STACK(50); /* rsp */
	w.word[1 + 21] = CODE(0x1044); /* rip: counted from rbx */
	w.word[61] = CODE(0x1070);
	cr_assert_str_eq(walked(&w), "1000 1100 1044 1070- root");
	walked_end(&w);
}

Test(replay, constants_of_the_file_can_be_read)
{
	/* CFA = rsp + *(rip + 0x100), all four bytes of it. */
	const uint8_t ops[] = {
		DW_CFA_def_cfa_expression, 8, DW_OP_breg16, 0x80, 2,
		DW_OP_deref_size,	   4, DW_OP_breg7,  0,	  DW_OP_plus
	};
	struct walked w;

	begin(&w);
	cfi_fde(&w.cfi, 0x1080, 0x20, ops, sizeof(ops));
	CODE_BYTES(&w, 0x1190, 24, 0, 0, 0);
	w.value[16] = CODE(0x1090);
	w.word[2] = CODE(0x1070);
	cr_assert_str_eq(walked(&w), "1090 1070- root");
	walked_end(&w);
}

/* As _dl_fixup() gives rbx back to the resolver of lazy binding. */
Test(replay, a_register_that_the_leaf_has_popped_is_known)
{
	struct walked w;

	begin(&w);
	cfi_fde(&w.cfi, 0x1080, 0x20, OPS(DW_CFA_offset | 3, 2));
	w.value[16] = CODE(0x1090);
	w.value[3] = STACK(20);
	w.word[0] = CODE(0x1050);
	w.word[21] = CODE(0x1070);
	cr_assert_str_eq(walked(&w), "1090 1050- 1070- root");
	walked_end(&w);
}
