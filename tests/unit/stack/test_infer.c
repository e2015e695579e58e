#include "walked.h"

#include <criterion/criterion.h>
#include <dwarf.h>
#include <elf.h>

/*
 * aarch64: a leaf at 0x1000, which may be moved; a function at 0x1040, which calls it; and the first one at
 * 0x1060, which calls that one. Nothing but chains was recorded.
 */
enum { LEAF = 0x1000, CALLER = 0x1040, FIRST = 0x1060, BEHIND = 0x1070 };

#define PUSH                                                                             \
	OPS(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 29, 2,    \
	    DW_CFA_offset | 30, 1)

#define STP 0xfd, 0x7b, 0xbf, 0xa9 /* stp x29,x30,[sp,#-16]! */
#define MOV 0xfd, 0x03, 0x00, 0x91 /* mov x29,sp */
#define ADD 0xfd, 0x23, 0x00, 0x91 /* add x29,sp,#8 */
#define BL(words) (words) & 0xff, 0xff, 0xff, 0x97 /* so many words back */
#define LDP 0xfd, 0x7b, 0xc1, 0xa8 /* ldp x29,x30,[sp],#16 */
#define RET 0xc0, 0x03, 0x5f, 0xd6
#define B 0xf0, 0xff, 0xff, 0x17 /* b, 16 words back: out of each function */
#define NOP 0x1f, 0x20, 0x03, 0xd5

static void begin(struct walked *w)
{
	walked_begin(w, EM_AARCH64);
	w->options.infer = true;
	w->known = 0;
	w->sample.user_abi = 0;
	w->sample.has_user_stack = false;
	w->words = 0;
	cfi_cie(&w->cfi, (struct cie){ 1, "zR", 0x1b, 4, -8, 30, false,
				       OPS(DW_CFA_def_cfa, 31, 0) });
	cfi_fde(&w->cfi, LEAF, 0x20, NO_OPS);
	cfi_fde(&w->cfi, CALLER, 0x20, PUSH);
	cfi_fde(&w->cfi, FIRST, 0x20, OPS(DW_CFA_undefined, 30));
	/* bl of the one at 0x1040, 11 words back */
	CODE_BYTES(w, BEHIND - 4, BL(-11));
}

static const char *chained(struct walked *w, uint64_t leaf)
{
	w->chain[0] = (uint64_t)-512;
	w->chain[1] = CODE(leaf);
	w->chain[2] = CODE(BEHIND);
	w->sample.chain_count = 3;
	return walked(w);
}

Test(infer, the_caller_of_an_aarch64_leaf_without_a_frame_is_put_in)
{
	struct walked w;

	begin(&w);
	CODE_BYTES(&w, CALLER, STP, MOV, BL(-18), LDP, RET);
	cr_expect_str_eq(chained(&w, LEAF), "1000 1040 1070- root");
	cr_expect_str_eq(chained(&w, CALLER + 8), "1048 1070- root", "it has its frame");
	walked_end(&w);
}

Test(infer, what_keeps_no_record_or_keeps_it_elsewhere_is_not_put_in)
{
	struct walked w;

	begin(&w);
	CODE_BYTES(&w, CALLER, STP, NOP, BL(-18), LDP, RET);
	cr_expect_str_eq(chained(&w, LEAF), "1000 1070- root");
	walked_end(&w);
	begin(&w);
	CODE_BYTES(&w, CALLER, STP, ADD, BL(-18), LDP, RET);
	cr_expect_str_eq(chained(&w, LEAF), "1000 1070- root");
	walked_end(&w);
}

Test(infer, what_jumps_to_another_function_when_it_has_loaded_its_link_is_not_put_in)
{
	struct walked w;

	/* Rows say that it has its frame to the end. */
	begin(&w);
	CODE_BYTES(&w, CALLER, STP, MOV, BL(-18), LDP, B);
	cr_expect_str_eq(chained(&w, LEAF), "1000 1070- root");
	walked_end(&w);
	/* br x2 */
	begin(&w);
	CODE_BYTES(&w, CALLER, STP, MOV, BL(-18), LDP, 0x40, 0x00, 0x1f, 0xd6);
	cr_expect_str_eq(chained(&w, LEAF), "1000 1070- root");
	walked_end(&w);
	/* What is behind a return has its frame again: a table of jumps. */
	begin(&w);
	CODE_BYTES(&w, CALLER, STP, MOV, BL(-18), LDP, RET, 0x40, 0x00, 0x1f, 0xd6);
	cr_expect_str_eq(chained(&w, LEAF), "1000 1040 1070- root");
	walked_end(&w);
}

Test(infer, a_branch_behind_a_call_through_a_register_names_nobody)
{
	struct walked w;

	begin(&w);
	CODE_BYTES(&w, CALLER, STP, MOV, BL(-18), LDP, RET);
	CODE_BYTES(&w, BEHIND - 4, 0x00, 0x01, 0x3f, 0xd6); /* blr x8 */
	cr_expect_str_eq(chained(&w, LEAF), "1000 1070- root");
	walked_end(&w);
}
