/*
 * Code of x86, of 64 and of 32 bits (Intel SDM, volume 2), cannot be read backwards, and is not decoded forwards. What
 * can be said is what bytes look like:
 *
 *	E8 distance		call
 *	E9 distance, EB n	jmp
 *	0F 8x distance, 7x n	jump on a condition
 *	FF /2, FF /4		call and jmp through a register or memory: ModRM and SIB bytes say how long it is
 */
#include "elf/machine_code.h"

#include <endian.h>
#include <string.h>

#include "elf/call_code.h"

enum {
	CALL = 0xe8,
	NEAR_JUMP = 0xe9,
	SHORT_JUMP = 0xeb,
	INDIRECT = 0xff,
	INDIRECT_CALL = 2, /* in ModRM */
	INDIRECT_JUMP = 4,
	RET = 0xc3,
	NOP = 0x90,
	PUSH_RBP = 0x55,
};

/* Of the two bytes that a near jump begins with the other one is looked for up to the first only: all is looked
 * through twice, at the speed of memory. */
static size_t x86_next_jump(const uint8_t *code, size_t size)
{
	const uint8_t *found = memchr(code, 0x0f, size);

	if (found)
		size = (size_t)(found - code);
	found = memchr(code, NEAR_JUMP, size);
	return found ? (size_t)(found - code) : size;
}

/* What x86_branch() knows begins with one of these. */
static const bool begins_branch[256] = {
	[0x50 ... 0x57] = true, [0x48] = true, [0x4c] = true,
	[0x70 ... 0x7f] = true, [0x0f] = true, [NEAR_JUMP] = true,
	[SHORT_JUMP] = true,	[CALL] = true, [INDIRECT] = true,
	[RET] = true,
};

static struct code_branch x86_branch(const uint8_t *code, size_t size, uint64_t address)
{
	struct code_branch b = { .kind = BRANCH_NONE };
	size_t length = 0; /* of a jump whose last four bytes are its distance */

	if (size >= 5 && code[0] == NEAR_JUMP)
		length = 5;
	else if (size >= 6 && code[0] == 0x0f && (code[1] & 0xf0) == 0x80)
		length = 6;
	/* A return to what was not called: push %reg; ret, and mov %reg,(%rsp); ret behind a
	 * call of what follows it, as where jumps through registers are not to be foretold. */
	if ((size >= 2 && (code[0] & 0xf8) == 0x50 && code[1] == RET) ||
	    (size >= 5 && (code[0] & 0xfb) == 0x48 && code[1] == 0x89 &&
	     (code[2] & 0xc7) == 0x04 && code[3] == 0x24 && code[4] == RET)) {
		b.kind = BRANCH_JUMP_ANY;
	} else if (code[0] == CALL && size >= 5) {
		b.kind = BRANCH_CALL;
		b.target = near_target(code + 1, address + 5);
	} else if (length) {
		b.kind = BRANCH_JUMP;
		b.conditional = length == 6;
		b.target = near_target(code + length - 4, address + length);
	} else if (size >= 2 && code[0] == INDIRECT) {
		unsigned which = code[1] >> 3 & 7;

		b.kind = which == INDIRECT_CALL	  ? BRANCH_CALL_ANY
			 : which == INDIRECT_JUMP ? BRANCH_JUMP_ANY
						  : BRANCH_NONE;
	} else if (size >= 2 && (code[0] == SHORT_JUMP || (code[0] & 0xf0) == 0x70)) {
		b.kind = BRANCH_SHORT;
		b.conditional = code[0] != SHORT_JUMP;
		b.target = address + 2 + (uint64_t)(int64_t)(int8_t)code[1];
	} else if (code[0] == RET) {
		b.kind = BRANCH_RETURN;
	}
	return b;
}

/* The length of an indirect call, FF /2, by its bytes from ModRM on; 0: it is none. */
static unsigned indirect_call(const uint8_t *at)
{
	static const uint8_t displacement[] = { 0, 1, 4, 0 };
	unsigned mode = at[0] >> 6, base = at[0] & 7, size = 2;

	if ((at[0] >> 3 & 7) != INDIRECT_CALL)
		return 0;
	if (mode != 3 && base == 4) {
		size++;
		if (mode == 0 && (at[1] & 7) == 5)
			return size + 4;
	}
	if (mode == 0 && base == 5)
		return size + 4;
	return size + displacement[mode];
}

/* Prefixes do not matter. */
static bool x86_ends_with_call(const uint8_t *code)
{
	const uint8_t *end = code + CALL_MOST;
	uint8_t padded[CALL_MOST + 2] = { 0 };

	if (end[-5] == CALL)
		return true;
	memcpy(padded, code, CALL_MOST);
	for (unsigned size = 2; size <= CALL_MOST; size++)
		if (end[-(int)size] == INDIRECT &&
		    indirect_call(padded + CALL_MOST - size + 1) == size)
			return true;
	return false;
}

static bool x86_ends_with_nop(const uint8_t *code)
{
	return code[CALL_MOST - 1] == NOP;
}

static bool x86_ends_flow(const uint8_t *code)
{
	const uint8_t *end = code + CALL_MOST;

	return end[-1] == RET || end[-2] == SHORT_JUMP || end[-5] == NEAR_JUMP ||
	       (end[-2] == INDIRECT && (end[-1] & 0xf8) == 0xe0);
}

/* Is there a byte early in the function that could be push %rbp? One that has a frame pointer of
 * its own does that among its first instructions, where no shorter way out comes before it. */
static bool x86_may_make_frame(const uint8_t *code)
{
	return memchr(code, PUSH_RBP, CODE_EARLY) != NULL;
}

/* push %rbp; mov %rsp,%rbp, and before Go 1.21 lea N(%rsp),%rbp behind the check of the stack's size. */
static bool x86_go_makes_frame(const uint8_t *code)
{
	for (size_t i = 0; i + 4 <= CODE_PROLOGUE; i++)
		if (memcmp(code + i, "\x55\x48\x89\xe5", 4) == 0 ||
		    memcmp(code + i, "\x48\x8d\x6c\x24", 4) == 0 ||
		    memcmp(code + i, "\x48\x8d\xac\x24", 4) == 0)
			return true;
	return false;
}

/* Bytes of the prefixes that a jump may have where it can be jumped to. */
static size_t stub_prefix(const uint8_t *code)
{
	static const uint8_t branch[] = { 0xf3, 0x0f, 0x1e, 0xfa }; /* endbr64 */
	size_t first = memcmp(code, branch, sizeof(branch)) == 0 ? sizeof(branch) : 0;

	return first + (code[first] == 0xf2); /* bnd */
}

static bool x86_is_stub(const uint8_t *code)
{
	size_t first = stub_prefix(code);

	return code[first] == NEAR_JUMP || code[first] == SHORT_JUMP ||
	       (code[first] == INDIRECT && (code[first + 1] >> 3 & 7) == INDIRECT_JUMP);
}

static bool x86_stub_target(const uint8_t *code, uint64_t address, uint64_t *ret)
{
	size_t first = stub_prefix(code);
	struct code_branch b =
		x86_branch(code + first, CODE_FIRST - first, address + first);

	*ret = b.target;
	return (b.kind == BRANCH_JUMP || b.kind == BRANCH_SHORT) && !b.conditional;
}

/* mov %rsp,%rbp */
static bool x86_sets_frame(const uint8_t *code, unsigned word, uint32_t *offset)
{
	static const uint8_t set[] = { 0x48, 0x89, 0xe5 };
	size_t prefix = word == 4; /* one of 32 bits has none */

	*offset = 0;
	return memcmp(code, set + prefix, sizeof(set) - prefix) == 0;
}

/* mov %eax,%edi; call */
static bool x86_passes_result_on(const uint8_t *code)
{
	static const uint8_t pass[] = { 0x89, 0xc7, CALL };

	return memcmp(code, pass, sizeof(pass)) == 0;
}

/* lea distance(%rip),%rdi, or mov $address,%rdi. */
static bool x86_find_main(const uint8_t *code, uint64_t address, uint64_t *ret)
{
	enum { LENGTH = 7 };
	uint32_t value;

	for (size_t i = 0; i + LENGTH <= CODE_PROLOGUE; i++) {
		memcpy(&value, code + i + 3, sizeof(value));
		if (memcmp(code + i, "\x48\x8d\x3d", 3) == 0)
			*ret = near_target(code + i + 3, address + i + LENGTH);
		else if (memcmp(code + i, "\x48\xc7\xc7", 3) == 0)
			*ret = le32toh(value);
		else
			continue;
		return true;
	}
	return false;
}

const struct machine_code x86_code = {
	.step = 1,
	.direct_call = 5,
	.before = CALL_MOST,
	.set_frame = 3,
	.in_line = 3, /* it is the first, as others are not decoded */
	.begins_branch = begins_branch,
	.next_jump = x86_next_jump,
	.branch = x86_branch,
	.ends_with_call = x86_ends_with_call,
	.ends_with_nop = x86_ends_with_nop,
	.ends_flow = x86_ends_flow,
	.may_make_frame = x86_may_make_frame,
	.go_makes_frame = x86_go_makes_frame,
	.is_stub = x86_is_stub,
	.stub_target = x86_stub_target,
	.sets_frame = x86_sets_frame,
	.passes_result_on = x86_passes_result_on,
	.find_main = x86_find_main,
};
