/*
 * Code of aarch64 (Arm ARM, C4.1): all instructions are words of 4 bytes, so each can be told from any other one.
 *
 * A frame begins with a record of the frame pointer x29 and the link x30, stored as a pair; then x29 is set to where
 * that is (AAPCS64, 6.4.6). Before a function returns or jumps to another one it loads them again:
 *
 *	stp x29,x30,[sp,#-48]!; mov x29,sp ... bl ... ldp x29,x30,[sp],#48; ret or b
 */
#include "elf/machine_code.h"

#include <endian.h>
#include <string.h>

enum {
	WORD = 4,
	X29 = 29,
	X30 = 30,
	SP = 31,
};

/* One that only hints at something: nop, bti, paciasp. */
enum { HINT = 0xd503201f };

static uint32_t word_at(const uint8_t *code)
{
	uint32_t word;

	memcpy(&word, code, sizeof(word));
	return le32toh(word);
}

/* The field of @bits bits from bit @first on, signed. */
static int64_t signed_field(uint32_t word, unsigned first, unsigned bits)
{
	return (int64_t)((uint64_t)word << (64 - first - bits)) >> (64 - bits);
}

static uint64_t target_of(uint32_t word, unsigned first, unsigned bits, uint64_t address)
{
	return address + (uint64_t)signed_field(word, first, bits) * WORD;
}

/* BR, BLR and RET, of @op 0, 1 and 2, and the same with authentication. */
static bool is_by_register(uint32_t word, unsigned op)
{
	return (word & 0xfffffc1f) == (0xd61f0000 | op << 21) ||
	       (word & 0xfefff800) == (0xd61f0800 | op << 21);
}

static struct code_branch aarch64_branch(const uint8_t *code, size_t size,
					 uint64_t address)
{
	struct code_branch b = { .kind = BRANCH_NONE };
	uint32_t word = size < WORD ? 0 : word_at(code);

	if ((word & 0x7c000000) == 0x14000000) { /* b, bl */
		b.kind = word >> 31 ? BRANCH_CALL : BRANCH_JUMP;
		b.target = target_of(word, 0, 26, address);
	} else if ((word & 0xff000000) == 0x54000000 || /* b.cond, bc.cond */
		   (word & 0x7e000000) == 0x34000000) { /* cbz, cbnz */
		b = (struct code_branch){ BRANCH_JUMP, true,
					  target_of(word, 5, 19, address) };
	} else if ((word & 0x7e000000) == 0x36000000) { /* tbz, tbnz */
		b = (struct code_branch){ BRANCH_JUMP, true,
					  target_of(word, 5, 14, address) };
	} else if (is_by_register(word, 1)) {
		b.kind = BRANCH_CALL_ANY;
	} else if (is_by_register(word, 2) &&
		   ((word & 0x800) != 0 || (word >> 5 & 31) == X30)) {
		/* Through another register it is a jump. With authentication the link
		 * is the only one. */
		b.kind = BRANCH_RETURN;
	} else if (is_by_register(word, 0) || is_by_register(word, 2)) {
		b.kind = BRANCH_JUMP_ANY;
	}
	return b;
}

static bool aarch64_ends_with_call(const uint8_t *code)
{
	struct code_branch b = aarch64_branch(code, WORD, 0);

	return b.kind == BRANCH_CALL || b.kind == BRANCH_CALL_ANY;
}

/* Go's is mov x0,x0. */
static bool aarch64_ends_with_nop(const uint8_t *code)
{
	uint32_t word = word_at(code);

	return word == HINT || word == 0xaa0003e0;
}

static bool aarch64_ends_flow(const uint8_t *code)
{
	struct code_branch b = aarch64_branch(code, WORD, 0);

	return b.kind == BRANCH_RETURN || b.kind == BRANCH_JUMP_ANY ||
	       (b.kind == BRANCH_JUMP && !b.conditional);
}

static bool is_hint(uint32_t word)
{
	return (word & 0xfffff01f) == HINT;
}

static bool aarch64_is_stub(const uint8_t *code)
{
	uint32_t word = word_at(code);

	if (is_hint(word))
		word = word_at(code + WORD);
	/* b; and adrp x16, what linkers let stubs begin with. */
	return (word & 0xfc000000) == 0x14000000 || (word & 0x9f00001f) == 0x90000010;
}

static bool aarch64_stub_target(const uint8_t *code, uint64_t address, uint64_t *ret)
{
	size_t first = is_hint(word_at(code)) ? WORD : 0;
	struct code_branch b = aarch64_branch(code + first, WORD, address + first);

	*ret = b.target;
	return b.kind == BRANCH_JUMP && !b.conditional;
}

/* add xD,xN,#number, the number shifted by 12 bits or not. */
static bool is_add(uint32_t word, unsigned to, unsigned from, uint32_t *number)
{
	if ((word & 0xff800000) != 0x91000000 || (word & 31) != to ||
	    (word >> 5 & 31) != from)
		return false;
	*number = (word >> 10 & 0xfff) << (word >> 22 & 1 ? 12 : 0);
	return true;
}

static bool aarch64_sets_frame(const uint8_t *code, unsigned word, uint32_t *offset)
{
	(void)word;
	return is_add(word_at(code), X29, SP, offset);
}

/* ldp with the link as one of both, or ldr, both from the stack. */
static bool aarch64_gives_up_frame(const uint8_t *code)
{
	uint32_t word = word_at(code);
	unsigned first = word & 31, second = word >> 10 & 31;

	if ((word >> 5 & 31) != SP)
		return false;
	if ((word & 0xfe400000) == 0xa8400000)
		return first == X30 || second == X30;
	/* behind or before the register is changed, or by a number */
	return first == X30 &&
	       ((word & 0xffe00400) == 0xf8400400 || (word & 0xffc00000) == 0xf9400000);
}

/* The result is in the register that the first argument is in. */
static bool aarch64_passes_result_on(const uint8_t *code)
{
	return aarch64_branch(code, WORD, 0).kind == BRANCH_CALL;
}

/* adrp x0; add x0,x0,#number */
static bool aarch64_find_main(const uint8_t *code, uint64_t address, uint64_t *ret)
{
	enum { PAGE = 12 };
	uint64_t page = 0;
	uint32_t number;

	for (size_t i = 0; i + WORD <= CODE_PROLOGUE; i += WORD) {
		uint32_t word = word_at(code + i);

		if ((word & 0x9f00001f) == 0x90000000)
			page = ((address + i) >> PAGE << PAGE) +
			       ((uint64_t)signed_field(word, 5, 19) << (PAGE + 2)) +
			       ((uint64_t)(word >> 29 & 3) << PAGE);
		if (!page || !is_add(word, 0, 0, &number))
			continue;
		*ret = page + number;
		return true;
	}
	return false;
}

const struct machine_code aarch64_code = {
	.step = WORD,
	.direct_call = WORD,
	.before = WORD,
	.set_frame = WORD,
	.in_line = 32,
	.branch = aarch64_branch,
	.ends_with_call = aarch64_ends_with_call,
	.ends_with_nop = aarch64_ends_with_nop,
	.ends_flow = aarch64_ends_flow,
	.is_stub = aarch64_is_stub,
	.stub_target = aarch64_stub_target,
	.sets_frame = aarch64_sets_frame,
	.gives_up_frame = aarch64_gives_up_frame,
	.passes_result_on = aarch64_passes_result_on,
	.find_main = aarch64_find_main,
};
