#include "elf/machine.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <endian.h>
#include <string.h>

enum { AT = 0x40000000 };

/* What an instruction of aarch64 at AT is, and how far from it it leads. */
static void expect_word(uint32_t word, unsigned kind, bool conditional, int64_t distance)
{
	uint32_t code = htole32(word);
	struct code_branch b =
		aarch64_code.branch((const uint8_t *)&code, sizeof(code), AT);

	cr_expect_eq(b.kind, kind, "%08x is %u", word, b.kind);
	cr_expect_eq(b.conditional, conditional, "%08x", word);
	if (kind == BRANCH_JUMP || kind == BRANCH_CALL)
		cr_expect_eq(b.target, AT + (uint64_t)distance, "%08x leads to %#lx",
			     word, b.target);
}

Test(machine_code, jumps_of_aarch64_are_those_of_the_manual)
{
	expect_word(0x14000002, BRANCH_JUMP, false, 8); /* b */
	expect_word(0x17ffffff, BRANCH_JUMP, false, -4);
	expect_word(0x54000080, BRANCH_JUMP, true, 16); /* b.eq */
	expect_word(0x54800001, BRANCH_JUMP, true, -0x100000); /* b.ne */
	expect_word(0xb4000063, BRANCH_JUMP, true, 12); /* cbz x3 */
	expect_word(0x35ffffc3, BRANCH_JUMP, true, -8); /* cbnz w3 */
	expect_word(0xb643ffe3, BRANCH_JUMP, true, 0x7ffc); /* tbz x3,#40 */
	expect_word(0x37240003, BRANCH_JUMP, true, -0x8000); /* tbnz w3,#4 */
	expect_word(0xd61f0220, BRANCH_JUMP_ANY, false, 0); /* br x17 */
	expect_word(0xd61f083f, BRANCH_JUMP_ANY, false, 0); /* braaz x1 */
	expect_word(0xd71f0822, BRANCH_JUMP_ANY, false, 0); /* braa x1,x2 */
	expect_word(0xd65f00a0, BRANCH_JUMP_ANY, false, 0); /* ret x5 */
}

Test(machine_code, calls_and_returns_of_aarch64_are_those_of_the_manual)
{
	expect_word(0x95ffffff, BRANCH_CALL, false, 0x7fffffc); /* bl */
	expect_word(0x96000000, BRANCH_CALL, false, -0x8000000);
	expect_word(0xd63f0100, BRANCH_CALL_ANY, false, 0); /* blr x8 */
	expect_word(0xd63f083f, BRANCH_CALL_ANY, false, 0); /* blraaz x1 */
	expect_word(0xd63f0c3f, BRANCH_CALL_ANY, false, 0); /* blrabz x1 */
	expect_word(0xd73f0822, BRANCH_CALL_ANY, false, 0); /* blraa x1,x2 */
	expect_word(0xd73f0c22, BRANCH_CALL_ANY, false, 0); /* blrab x1,x2 */
	expect_word(0xd65f03c0, BRANCH_RETURN, false, 0); /* ret */
	expect_word(0xd65f0bff, BRANCH_RETURN, false, 0); /* retaa */
	expect_word(0xd65f0fff, BRANCH_RETURN, false, 0); /* retab */
}

Test(machine_code, other_instructions_of_aarch64_branch_nowhere)
{
	static const uint32_t words[] = {
		0xd503201f, /* nop */
		0xd503245f, /* bti c */
		0xd503233f, /* paciasp */
		0x910003fd, /* mov x29,sp */
		0xa9bf7bfd, /* stp x29,x30,[sp,#-16]! */
		0x90000010, /* adrp x16 */
		0xd4000001, /* svc #0 */
		0,
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		expect_word(words[i], BRANCH_NONE, false, 0);
	cr_expect_eq(aarch64_code.branch((const uint8_t[]){ 2, 0, 0, 0x14 }, 3, AT).kind,
		     BRANCH_NONE, "not all of it is there");
}

static const uint8_t *aarch64_words(uint32_t first, uint32_t second)
{
	static uint32_t code[CODE_PROLOGUE / sizeof(uint32_t)];

	code[0] = htole32(first);
	code[1] = htole32(second);
	return (const uint8_t *)code;
}

static bool sets(uint32_t word, uint32_t *offset)
{
	return aarch64_code.sets_frame(aarch64_words(word, 0), 8, offset);
}

static bool gives_up(uint32_t word)
{
	return aarch64_code.gives_up_frame(aarch64_words(word, 0));
}

Test(machine_code, an_aarch64_frame_is_made_by_an_addition_to_the_stack_pointer)
{
	uint32_t offset;

	cr_expect(sets(0x910003fd, &offset) && offset == 0, "mov x29,sp");
	cr_expect(sets(0x910043fd, &offset) && offset == 16, "add x29,sp,#16");
	cr_expect(sets(0x914007fd, &offset) && offset == 4096, "add x29,sp,#1,lsl #12");
	cr_expect_not(sets(0x910003e0, &offset), "mov x0,sp");
	cr_expect_not(sets(0x910043bd, &offset), "add x29,x29,#16");
	cr_expect_not(sets(0xd10023fd, &offset), "sub x29,sp,#8");
}

Test(machine_code, an_aarch64_frame_is_given_up_where_the_link_is_loaded_from_the_stack)
{
	cr_expect(gives_up(0xa8c37bfd), "ldp x29,x30,[sp],#48");
	cr_expect(gives_up(0xa9417bfd), "ldp x29,x30,[sp,#16]");
	cr_expect(gives_up(0xa8c14ffe), "ldp x30,x19,[sp],#16");
	cr_expect(gives_up(0xf84107fe), "ldr x30,[sp],#16");
	cr_expect(gives_up(0xf94007fe), "ldr x30,[sp,#8]");
	cr_expect_not(gives_up(0xa8c14ffd), "ldp x29,x19,[sp],#16");
	cr_expect_not(gives_up(0xa94153f3), "ldp x19,x20,[sp,#16]");
	cr_expect_not(gives_up(0xa9bf7bfd), "stp x29,x30,[sp,#-16]!");
	cr_expect_not(gives_up(0xf940001e), "ldr x30,[x0]");
	cr_expect_not(gives_up(0xf90007fe), "str x30,[sp,#8]");
}

Test(machine_code, stubs_of_aarch64_jump_at_once)
{
	uint64_t target;

	cr_expect(aarch64_code.is_stub(aarch64_words(0x14000002, 0)), "b");
	cr_expect(aarch64_code.is_stub(aarch64_words(0xd503245f, 0x14000002)),
		  "bti c; b");
	cr_expect(aarch64_code.is_stub(aarch64_words(0x90000010, 0)), "adrp x16");
	cr_expect_not(aarch64_code.is_stub(aarch64_words(0xa9bf7bfd, 0x14000002)));
	cr_expect(aarch64_code.stub_target(aarch64_words(0xd503201f, 0x17ffffce), AT,
					   &target));
	cr_expect_eq(target, AT - 0xc4);
	cr_expect_not(
		aarch64_code.stub_target(aarch64_words(0x90000010, 0), AT, &target));
}

Test(machine_code, main_of_a_program_is_what_its_first_instructions_hand_on)
{
	static const uint8_t x86[CODE_PROLOGUE] = { 0x90, 0x48, 0x8d, 0x3d,
						    0xf8, 0xff, 0xff, 0xff };
	static const uint8_t absolute[CODE_PROLOGUE] = {
		0x48, 0xc7, 0xc7, 1, 2, 3, 0x40
	};
	uint64_t address;

	/* adrp x0; add x0,x0,#0x678 */
	cr_expect(aarch64_code.find_main(aarch64_words(0x90000000, 0x9119e000),
					 AT + 0x123, &address));
	cr_expect_eq(address, AT + 0x678);
	cr_expect(aarch64_code.find_main(aarch64_words(0xb0ffffe0, 0x9119e000), AT,
					 &address));
	cr_expect_eq(address, AT - 0x3000 + 0x678);
	/* adrp x0; ldr x0,[x0,#4056] */
	cr_expect_not(aarch64_code.find_main(aarch64_words(0xf00000e0, 0xf947ec00), AT,
					     &address));
	cr_expect(x86_code.find_main(x86, AT, &address));
	cr_expect_eq(address, AT);
	cr_expect(x86_code.find_main(absolute, AT, &address));
	cr_expect_eq(address, 0x40030201);
}

#define X86(kind_, conditional_, distance_, ...)                                         \
	do {                                                                             \
		const uint8_t code[] = { __VA_ARGS__ };                                  \
		struct code_branch b = x86_code.branch(code, sizeof(code), AT);          \
                                                                                         \
		cr_expect_eq(b.kind, kind_);                                             \
		cr_expect_eq(b.conditional, conditional_);                               \
		if (distance_)                                                           \
			cr_expect_eq(b.target, AT + (uint64_t)(int64_t)(distance_));     \
	} while (0)

Test(machine_code, branches_of_x86_are_told_by_their_first_bytes)
{
	X86(BRANCH_CALL, false, 5 + 0x10, 0xe8, 0x10, 0, 0, 0);
	X86(BRANCH_NONE, false, 0, 0xe8, 0x10, 0, 0);
	X86(BRANCH_JUMP, false, 5 - 2, 0xe9, 0xfe, 0xff, 0xff, 0xff);
	X86(BRANCH_JUMP, true, 6 + 1, 0x0f, 0x84, 1, 0, 0, 0);
	X86(BRANCH_NONE, false, 0, 0x0f, 0x84, 1, 0, 0);
	X86(BRANCH_SHORT, false, 2 - 3, 0xeb, 0xfd);
	X86(BRANCH_SHORT, true, 2 + 3, 0x74, 0x03);
	X86(BRANCH_CALL_ANY, false, 0, 0xff, 0xd0);
	X86(BRANCH_JUMP_ANY, false, 0, 0xff, 0xe0);
	X86(BRANCH_JUMP_ANY, false, 0, 0x50, 0xc3); /* push; ret */
	X86(BRANCH_JUMP_ANY, false, 0, 0x48, 0x89, 0x04, 0x24, 0xc3);
	X86(BRANCH_RETURN, false, 0, 0xc3);
	X86(BRANCH_NONE, false, 0, 0x55);
}
