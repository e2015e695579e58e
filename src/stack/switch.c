/*
 * cgo: runtime.asmcgocall() of Go calls C functions on the thread's stack. Its row says that nothing was
 * pushed, so what a walk takes for its return address is a word that nobody wrote. What it does behind the call
 * is the same in all versions since 1.4, and is what it is known by:
 *
 *	call *%rax                                call *%rax
 *	mov  48(%rsp),%rdi    the goroutine       mov  40(%rsp),%rsi    its own sp
 *	mov  8(%rdi),%rsi     end of its stack    mov  %rsi,%rsp
 *	sub  40(%rsp),%rsi    how deep it was
 *
 * On the right it was called on the thread's stack.
 *
 * -fsplit-stack: __morestack() of libgcc calls the second half of a function on a new piece of the stack. Its
 * frame is on the old one, and has two return addresses: the function's and its caller's.
 */
#include "stack/switch.h"

#include <elf.h>

enum { SAVED_SP = 40 };

int switch_at(struct stack_walker *w, const struct addr_key *key, uint64_t ra,
	      const struct unwind_rule *r)
{
	static const uint8_t away[] = { 0x48, 0x8b, 0x7c, 0x24, 0x30, 0x48, 0x8b,
					0x77, 0x08, 0x48, 0x2b, 0x74, 0x24, 0x28 };
	static const uint8_t saved[] = { 0x48, 0x8b, 0x74, 0x24, 0x28, 0x48, 0x89, 0xf4 };
	/* A row that says that nothing was pushed, as no caller's of C does, or none. */
	bool may_be_go =
		r->cfa_kind == UNWIND_NONE || (r->cfa_kind == UNWIND_SP && r->cfa == 8);
	uint8_t code[sizeof(away)];

	if (key->machine->elf != EM_X86_64 || !may_be_go || w->options.as_perf ||
	    !addr_bytes(w, key, ra, code, sizeof(code)))
		return SWITCH_NONE;
	if (memcmp(code, away, sizeof(away)) == 0)
		return SWITCH_AWAY;
	return memcmp(code, saved, sizeof(saved)) == 0 ? SWITCH_SAVED : SWITCH_NONE;
}

enum walk_end switch_step(struct walk *k, int how)
{
	uint64_t sp, ra;

	if (how == SWITCH_AWAY)
		return WALK_OTHER_STACK;
	if (!dump_word(k, k->sp + SAVED_SP, &sp))
		return why_unreadable(k, k->sp + SAVED_SP);
	if (!dump_word(k, sp, &ra))
		return why_unreadable(k, sp);
	if (!walk_shrinks(k, false, sp + k->machine->word))
		return WALK_REPEATED;
	k->sp = sp + k->machine->word;
	k->pc = ra;
	k->exact = k->chained = k->fp_popped = false;
	return is_no_address(k, ra) ? WALK_NO_RETURN : WALK_ON;
}

bool is_split(const struct walk *k, const struct unwind_rule *r)
{
	enum { OWN_FRAME = 256 }; /* bytes, as long as it is on the old piece */
	int32_t word = k->machine->word;

	return k->machine->elf == EM_X86_64 && r->cfa_kind == UNWIND_FP &&
	       r->flags == UNWIND_FP_SAVED && r->cfa == 3 * word && r->ra == -word &&
	       r->fp == -3 * word && k->fp - k->sp > OWN_FRAME;
}
