#include "walked.h"

#include <dwarf.h>
#include <elf.h>

#define SIGRETURN_X86_64 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05

/* A handler at 0x1000, the function that was interrupted at 0x1040, the first. */
static void begin(struct walked *w)
{
	walked_begin_x86_64(w);
	cfi_fde(&w->cfi, 0x1040, 0x20,
		OPS(DW_CFA_def_cfa, 6, 16, DW_CFA_offset | 6, 2, DW_CFA_advance_loc | 1));
}

/* The kernel's frame, whose ucontext lies at word 1: interrupted at @pc. */
static void interrupt(struct walked *w, uint64_t pc)
{
	w->word[1 + 15] = STACK(60); /* rbp */
	w->word[1 + 20] = STACK(50); /* rsp */
	w->word[1 + 21] = pc;
	w->word[60] = 0x77;
	w->word[61] = CODE(0x1070);
}

Test(signal, the_interrupted_instruction_is_no_return_address)
{
	struct walked w;

	begin(&w);
	w.word[0] = CODE(0x1100);
	interrupt(&w, CODE(0x1040));
	CODE_BYTES(&w, 0x1100, SIGRETURN_X86_64);
	cr_assert_str_eq(walked(&w), "1000 1100 1040 1070- root");
	cr_assert_eq(stack_walker_counts(w.walker)->replays, 0);
	walked_end(&w);
}

/* As glibc says it, one byte before the trampoline: by where the words lie. */
static void glibc_fde(struct walked *w, const uint8_t *ops, size_t size)
{
	cfi_cie(&w->cfi,
		(struct cie){ 1, "zRS", 0x1b, 1, -8, 16, false, OPS(DW_CFA_nop) });
	cfi_fde(&w->cfi, 0x10ff, 0x0a, ops, size);
}

static const uint8_t glibc_ops[] = {
	DW_CFA_def_cfa_expression, 4,  DW_OP_breg7, 0xa0,	 1,    DW_OP_deref,
	DW_CFA_expression,	   16, 3,	    DW_OP_breg7, 0xa8, 1,
	DW_CFA_expression,	   6,  3,	    DW_OP_breg7, 0xf8, 0,
};

Test(signal, call_frame_information_of_the_trampoline_is_enough)
{
	struct walked w;

	begin(&w);
	glibc_fde(&w, glibc_ops, sizeof(glibc_ops));
	w.word[0] = CODE(0x1100);
	interrupt(&w, CODE(0x1040));
	cr_assert_str_eq(walked(&w), "1000 1100 1040 1070- root");
	cr_assert_eq(stack_walker_counts(w.walker)->replays, 0);
	walked_end(&w);
}

Test(signal, call_frame_information_may_begin_at_the_trampoline)
{
	struct walked w;

	begin(&w);
	cfi_fde(&w.cfi, 0x1080, 0x80, NO_OPS); /* ends where the trampoline begins */
	cfi_cie(&w.cfi,
		(struct cie){ 1, "zRS", 0x1b, 1, -8, 16, false, OPS(DW_CFA_nop) });
	cfi_fde(&w.cfi, 0x1100, 9, glibc_ops, sizeof(glibc_ops));
	w.word[0] = CODE(0x1100);
	interrupt(&w, CODE(0x1040));
	cr_assert_str_eq(walked(&w), "1000 1100 1040 1070- root");
	walked_end(&w);
}

Test(signal, the_first_instruction_of_a_function_can_be_interrupted)
{
	struct walked w;

	begin(&w);
	w.word[0] = CODE(0x1100);
	interrupt(&w, CODE(0x1000)); /* of one whose return address is the last word */
	w.word[50] = CODE(0x1070);
	CODE_BYTES(&w, 0x1100, SIGRETURN_X86_64);
	cr_assert_str_eq(walked(&w), "1000 1100 1000 1070- root");
	walked_end(&w);
}

Test(signal, a_stack_of_its_own_may_lie_above_the_other_one)
{
	struct walked w;

	begin(&w);
	w.value[7] = STACK(100);
	w.word[100] = CODE(0x1100);
	w.word[101 + 15] = STACK(130);
	w.word[101 + 20] = STACK(120);
	w.word[101 + 21] = CODE(0x1000);
	w.word[120] = CODE(0x1070);
	CODE_BYTES(&w, 0x1100, SIGRETURN_X86_64);
	cr_assert_str_eq(walked(&w), "1000 1100 1000 1070- root");
	w.word[101 + 20] = STACK(50); /* below what was copied */
	cr_assert_str_eq(walked(&w), "1000 1100 1000 other");
	/* As the main thread's is from one in the heap. */
	w.word[101 + 20] = STACK(400) + ((uint64_t)1 << 40);
	cr_assert_str_eq(walked(&w), "1000 1100 1000 other");
	walked_end(&w);
}

Test(signal, what_was_interrupted_may_be_near_and_on_another_stack)
{
	struct walked w;

	begin(&w);
	w.word[0] = CODE(0x1100);
	interrupt(&w, CODE(0x1040));
	CODE_BYTES(&w, 0x1100, SIGRETURN_X86_64);
	w.words = 40;
	cr_assert_str_eq(walked(&w), "1000 1100 1040 cut", "right above the frame");
	w.word[1 + 2] = STACK(0) - 0x1000; /* uc_stack: from there on, 0x1100 bytes */
	w.word[1 + 4] = 0x1100;
	cr_assert_str_eq(walked(&w), "1000 1100 1040 other");
	w.word[1 + 4] = 0x2000;
	cr_assert_str_eq(walked(&w), "1000 1100 1040 cut", "on the same one");
	w.word[1 + 2] = STACK(0) + 0x10000;
	cr_assert_str_eq(walked(&w), "1000 1100 1040 cut", "that is not in use");
	/* Nothing says how to leave what was interrupted, and nothing could be read to guess it. */
	w.word[1 + 21] = CODE(0x1110);
	w.word[1 + 2] = STACK(0) - 0x1000;
	w.word[1 + 4] = 0x1100;
	cr_assert_str_eq(walked(&w), "1000 1100 1110 other");
	walked_end(&w);
}

Test(signal, frames_that_lead_back_are_followed_once)
{
	struct walked w;

	begin(&w);
	w.word[0] = CODE(0x1100);
	interrupt(&w, CODE(0x1000));
	w.word[1 + 20] = STACK(0); /* the handler's own stack */
	CODE_BYTES(&w, 0x1100, SIGRETURN_X86_64);
	cr_assert_str_eq(walked(&w), "1000 1100 1000 1100 repeated");
	walked_end(&w);
}

Test(signal, a_frame_that_was_not_copied_whole_cuts_the_stack)
{
	struct walked w;

	begin(&w);
	w.word[0] = CODE(0x1100);
	interrupt(&w, CODE(0x1040));
	CODE_BYTES(&w, 0x1100, SIGRETURN_X86_64);
	w.words = 22;
	cr_assert_str_eq(walked(&w), "1000 1100 cut");
	w.words = 23;
	cr_assert_str_eq(walked(&w), "1000 1100 1040 cut");
	walked_end(&w);
}

Test(signal, the_trampoline_itself_can_be_sampled)
{
	struct walked w;

	begin(&w);
	interrupt(&w, CODE(0x1040));
	w.value[7] = STACK(1);
	CODE_BYTES(&w, 0x1100, SIGRETURN_X86_64);
	w.value[16] = CODE(0x1100);
	cr_assert_str_eq(walked(&w), "1100 1040 1070- root");
	w.value[16] = CODE(0x1109);
	cr_assert_str_eq(walked(&w), "1109 1040 1070- root", "behind the system call");
	walked_end(&w);
}

Test(signal, an_interrupted_address_of_0_is_the_root)
{
	struct walked w;

	begin(&w);
	w.word[0] = CODE(0x1100);
	interrupt(&w, 0);
	CODE_BYTES(&w, 0x1100, SIGRETURN_X86_64);
	cr_assert_str_eq(walked(&w), "1000 1100 root");
	walked_end(&w);
}

/* struct sigcontext at word @at. */
static void interrupt_i386(struct walked *w, size_t at)
{
	walked_set32(w, at + 6, 0x77); /* ebp */
	walked_set32(w, at + 7, STACK32(200));
	walked_set32(w, at + 14, (uint32_t)CODE(0x1001));
	walked_set32(w, 200, (uint32_t)CODE(0x1070));
}

Test(signal, i386_has_two_kinds_of_frames)
{
	struct walked w;

	walked_begin_i386(&w);
	CODE_BYTES(&w, 0x1100, 0x58, 0xb8, 0x77, 0, 0, 0, 0xcd, 0x80);
	CODE_BYTES(&w, 0x1120, 0xb8, 0xad, 0, 0, 0, 0xcd, 0x80);
	walked_set32(&w, 0, (uint32_t)CODE(0x1100));
	interrupt_i386(&w, 2);
	cr_assert_str_eq(walked(&w), "1000 1100 1001 1070- root");
	memset(w.word, 0, sizeof(w.word));
	walked_set32(&w, 0, (uint32_t)CODE(0x1120));
	walked_set32(&w, 3, STACK32(40)); /* ucontext; sigcontext is 20 bytes into it */
	interrupt_i386(&w, 45);
	cr_assert_str_eq(walked(&w), "1000 1120 1001 1070- root");
	walked_end(&w);
}

Test(signal, i386_has_popped_a_word_when_it_asks_the_kernel)
{
	struct walked w;

	walked_begin_i386(&w);
	CODE_BYTES(&w, 0x1100, 0x58, 0xb8, 0x77, 0, 0, 0, 0xcd, 0x80);
	w.value[8] = CODE(0x1108);
	interrupt_i386(&w, 0);
	cr_assert_str_eq(walked(&w), "1108 1001 1070- root");
	walked_end(&w);
}

/* One that is not at hand: its build id is of no file. */
static void map_vdso(struct walked *w)
{
	struct record rec = { .time = 1,
			      .type = PERF_RECORD_MMAP,
			      .mode = MODE_USER,
			      .pid = WALKED_PID,
			      .tid = WALKED_PID,
			      .executable = true,
			      .start = 0xa00000,
			      .size = 0x2000,
			      .build_id_size = 20,
			      .build_id = { 1, 2, 3 },
			      .name = name_id(&w->t, "[vdso]") };

	apply(&w->t, rec);
}

Test(signal, what_returns_to_an_i386_vdso_is_a_signal_handler)
{
	struct walked w;

	walked_begin_i386(&w);
	map_vdso(&w);
	walked_set32(&w, 0, 0xa00400);
	interrupt_i386(&w, 2);
	cr_assert_str_eq(walked(&w), "1000 v 1001 1070- root");
	memset(w.word, 0, sizeof(w.word));
	walked_set32(&w, 0, 0xa00410);
	walked_set32(&w, 3, STACK32(40));
	interrupt_i386(&w, 45);
	cr_assert_str_eq(walked(&w), "1000 v 1001 1070- root");
	walked_end(&w);
}

Test(signal, an_aarch64_frame_is_known_by_its_code_and_by_the_vdso)
{
	struct walked w;

	walked_begin(&w, EM_AARCH64);
	cfi_cie(&w.cfi, (struct cie){ 1, "zR", 0x1b, 4, -8, 30, false,
				      OPS(DW_CFA_def_cfa, 31, 0) });
	cfi_fde(&w.cfi, 0x1000, 0x20, NO_OPS);
	cfi_fde(&w.cfi, 0x1060, 0x20, OPS(DW_CFA_undefined, 30));
	CODE_BYTES(&w, 0x1100, 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4);
	w.value[30] = CODE(0x1100);
	w.word[39 + 29] = 0; /* x29 */
	w.word[39 + 30] = CODE(0x1070);
	w.word[39 + 31] = STACK(100);
	w.word[39 + 32] = CODE(0x1008);
	cr_assert_str_eq(walked(&w), "1000 1100 1008 1070- root");
	map_vdso(&w);
	w.value[30] = 0xa00400;
	cr_assert_str_eq(walked(&w), "1000 v 1008 1070- root");
	walked_end(&w);
}
