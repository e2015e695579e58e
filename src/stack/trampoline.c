/*
 * CPython calls its interpreter for each Python function through a copy of one piece of code, made as it runs, so that
 * the function has an address of its own. Up to 3.13 it keeps no frame pointer, and only a jitdump has call frame
 * information for it (Python/asm_trampoline.S, x86-64):
 *
 *	sub $8,%rsp
 *	call *%rcx		the interpreter, which returns to the 7th byte
 *	add $8,%rsp
 *	ret			to the interpreter's own caller of trampolines
 *
 * So it is known by what is around it. Who returns to it and what it returns to are in one file, and a call is before
 * that; copies lie one behind another, in blocks that are mapped for them, since 3.13 at multiples of 16 bytes; and the
 * stack is aligned, as it is in all that C calls.
 */
#include "stack/walk.h"

#include <elf.h>

enum {
	WORD = 8,
	ALIGNED = 16,
	LENGTH = 11,
	RETURNED_TO = 6,
	BLOCK = 1 << 16, /* bytes */
};

bool trampoline_returns(struct stack_walker *w, const struct walk *k, uint64_t *at)
{
	size_t count = w->stack.count;
	const struct frame *callee;
	enum image_kind kind;
	struct location location;
	uint64_t ra, begins;

	if (w->options.as_perf || k->exact || !k->sp_known || count < 2 ||
	    k->machine->elf != EM_X86_64 || k->sp % ALIGNED != 0 ||
	    (k->fp_known && k->fp == k->sp) || !dump_word(k, k->sp + WORD, &ra))
		return false;
	if (!processes_locate(w->ps, &w->thread->space, k->pc, &location) ||
	    !location.executable || k->pc - location.start < RETURNED_TO)
		return false;
	kind = binaries_kind(w->binaries, location.image);
	begins = k->pc - location.start - RETURNED_TO;
	if ((kind != IMAGE_ANON && kind != IMAGE_JIT) ||
	    (begins % ALIGNED != 0 && begins % BLOCK % LENGTH != 0))
		return false;
	callee = &w->frames->list.v[w->stack.v[count - 2]];
	if (binaries_kind(w->binaries, callee->image) != IMAGE_FILE ||
	    !processes_locate(w->ps, &w->thread->space, ra - 1, &location) ||
	    location.image != callee->image || !is_behind_call(w, k, ra))
		return false;
	*at = k->sp + WORD;
	return true;
}
