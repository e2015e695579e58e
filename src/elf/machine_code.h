#ifndef ELF_MACHINE_CODE_H
#define ELF_MACHINE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What code is looked through for: where it branches to, and how it makes and gives up frames. A machine has one of
 * these (struct machine).
 *
 * On x86 an instruction may begin at any byte, so what is found may only look like one. On aarch64 it is exact.
 */
enum branch_kind {
	BRANCH_NONE,
	BRANCH_JUMP, /* to .target */
	BRANCH_SHORT, /* the same, not as far as to another function, unless that is next to it */
	BRANCH_JUMP_ANY, /* to an address in a register or in memory */
	BRANCH_CALL, /* of .target */
	BRANCH_CALL_ANY,
	BRANCH_RETURN,
};

struct code_branch {
	uint8_t kind; /* enum branch_kind */
	bool conditional; /* what follows may run, too */
	uint64_t target;
};

/* Bytes that have to be known before a return address; of no machine are more. */
enum { CALL_MOST = 7 };

/* Bytes that the functions below are given, where they do not say another number. */
enum { CODE_FIRST = 8, CODE_EARLY = 16, CODE_PROLOGUE = 64 };

struct machine_code {
	uint8_t step; /* an instruction may begin so many bytes behind another */
	uint8_t direct_call; /* bytes of a direct call */
	uint8_t before; /* bytes that have to be known before a return address */
	uint8_t set_frame; /* bytes of an instruction that sets the frame pointer */
	uint8_t in_line; /* in so many bytes is that one looked for, from an instruction on */

	/* By a first byte: could it be a branch's? Most are not, and all of a function's are asked. NULL: each could. */
	const bool *begins_branch;
	/* Bytes until one that could begin a BRANCH_JUMP, @size where there is none: for those who look for nothing
	 * else. NULL: each could. */
	size_t (*next_jump)(const uint8_t *code, size_t size);
	/* The branch that the @size bytes at @code begin with, if they hold all of it. */
	struct code_branch (*branch)(const uint8_t *code, size_t size, uint64_t address);

	/* Do the .before bytes end with a call; with an instruction that does nothing; with one that no code goes on
	 * behind? */
	bool (*ends_with_call)(const uint8_t *code);
	bool (*ends_with_nop)(const uint8_t *code);
	bool (*ends_flow)(const uint8_t *code);

	/* Of the first CODE_EARLY bytes of a function: could it be one with a frame of its own? NULL: all could. */
	bool (*may_make_frame)(const uint8_t *code);
	/* Of the first CODE_PROLOGUE bytes of a function of Go: does it have one? NULL: it is not known. */
	bool (*go_makes_frame)(const uint8_t *code);
	/* Of the first bytes of a function: is it one that only jumps, a stub of the PLT or another one's name? */
	bool (*is_stub)(const uint8_t *code);
	/* The same of one at @address that jumps to *@ret. */
	bool (*stub_target)(const uint8_t *code, uint64_t address, uint64_t *ret);

	/* The instruction sets the frame pointer to what the stack pointer is, plus *@offset. @word: bytes of an
	 * address. */
	bool (*sets_frame)(const uint8_t *code, unsigned word, uint32_t *offset);

	/* It takes the return address back from the frame. NULL: that is where it is until the return. */
	bool (*gives_up_frame)(const uint8_t *code);

	/* Is the result of the call before it given on to another function, as its first argument? */
	bool (*passes_result_on)(const uint8_t *code);

	/* Of a program's first CODE_PROLOGUE bytes, at @address: where main() is, which they hand to the C library. */
	bool (*find_main)(const uint8_t *code, uint64_t address, uint64_t *ret);
};

static inline bool may_begin_branch(const struct machine_code *m, uint8_t first)
{
	return !m->begins_branch || m->begins_branch[first];
}

static inline struct code_branch branch_at(const struct machine_code *m,
					   const uint8_t *code, size_t size,
					   uint64_t address)
{
	if (!may_begin_branch(m, code[0]))
		return (struct code_branch){ .kind = BRANCH_NONE };
	return m->branch(code, size, address);
}

extern const struct machine_code x86_code, aarch64_code;

#endif
