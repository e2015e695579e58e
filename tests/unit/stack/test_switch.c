/* Code that calls a function on another stack. */
#include "walked.h"

#include <dwarf.h>
#include <elf.h>

/* mov 48(%rsp),%rdi; mov 8(%rdi),%rsi; sub 40(%rsp),%rsi */
#define AWAY                                                                             \
	0x48, 0x8b, 0x7c, 0x24, 0x30, 0x48, 0x8b, 0x77, 8, 0x48, 0x2b, 0x74, 0x24, 0x28
/* mov 40(%rsp),%rsi; mov %rsi,%rsp */
#define SAVED 0x48, 0x8b, 0x74, 0x24, 0x28, 0x48, 0x89, 0xf4

static void begin(struct walked *w)
{
	walked_begin_x86_64(w);
	cfi_fde(&w->cfi, 0x1040, 0x20, FRAME_OPS);
	cfi_fde(&w->cfi, 0x1100, 0x80, NO_OPS); /* what asmcgocall() says */
	w->word[0] = CODE(0x1110);
}

Test(switch, cgo_has_left_the_goroutines_stack)
{
	struct walked w;

	begin(&w);
	w.word[1] = CODE(0x1070); /* somebody else's, from before */
	CODE_BYTES(&w, 0x1110, AWAY);
	cr_assert_str_eq(walked(&w), "1000 1110- other");
	walked_end(&w);

	begin(&w);
	w.word[1] = CODE(0x1070);
	cr_assert_str_eq(walked(&w), "1000 1110- 1070- root", "as perf follows the row");
	walked_end(&w);
}

Test(switch, cgo_was_on_the_threads_stack_before)
{
	struct walked w;

	begin(&w);
	w.word[1] = CODE(0x1090);
	w.word[1 + 5] = STACK(20);
	w.word[20] = CODE(0x1070);
	CODE_BYTES(&w, 0x1110, SAVED);
	cr_assert_str_eq(walked(&w), "1000 1110- 1070- root");
	w.words = 20;
	cr_assert_str_eq(walked(&w), "1000 1110- cut");
	w.words = 5;
	cr_assert_str_eq(walked(&w), "1000 1110- cut");
	w.words = WALKED_WORDS;
	w.word[1 + 5] = STACK(0);
	cr_assert_str_eq(walked(&w), "1000 1110- repeated");
	walked_end(&w);
}

/* What __morestack() of libgcc says of itself: two return addresses, and the frame pointer below. */
static const uint8_t split_ops[] = { DW_CFA_def_cfa, 6, 24, DW_CFA_offset | 6, 3 };

Test(switch, a_split_stack_goes_on_on_its_other_piece)
{
	struct walked w;

	begin(&w);
	cfi_fde(&w.cfi, 0x1100, 0x20, split_ops, sizeof(split_ops));
	w.word[0] = CODE(0x1110);
	w.value[6] = STACK(0) + 0x100000;
	cr_assert_str_eq(walked(&w), "1000 1110- other", "however near that is");
	/* Before it has changed to the new piece. */
	w.value[6] = STACK(12);
	w.words = 13;
	cr_assert_str_eq(walked(&w), "1000 1110- cut");
	w.words = WALKED_WORDS;
	w.word[14] = CODE(0x1070);
	cr_assert_str_eq(walked(&w), "1000 1110- 1070- root");
	walked_end(&w);
}
