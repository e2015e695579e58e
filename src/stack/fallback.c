/*
 * Steps without call frame information, which are guesses and are checked as such: the
 * frame pointer has to point into the stack above, and what lies there has to be a
 * return address.
 */
#include "stack/call.h"
#include "stack/walk.h"

#include <elf.h>

static bool may_be_frame(const struct walk *k)
{
	return k->fp_known && k->fp >= k->sp && k->fp % k->machine->word == 0;
}

/* What stands before a return address; CALL_NO where no code is. */
static enum after_call call_before(struct stack_walker *w, const struct walk *k,
				   uint64_t ra)
{
	struct addr_entry *seen = addr_find(w, &k->keys[1], ra);

	if (!seen || w->rules.v[seen->rule].cfa_kind == RULE_UNMAPPED)
		return CALL_NO;
	/* Of a signal's handler, which was called from anywhere. */
	if (w->rules.v[seen->rule].flags & UNWIND_SIGNAL)
		return CALL_YES;
	if (seen->call == CALL_UNSEEN) {
		seen->call = call_ends_at(w, &k->keys[1], ra);
		addr_note_call(w, &k->keys[1], ra, seen->call);
	}
	return seen->call;
}

/* The address that a word of the stack returns to: without the bits that sign it. */
static uint64_t unsigned_address(struct stack_walker *w, const struct walk *k,
				 uint64_t word)
{
	struct walk there;

	if (!k->machine->link)
		return word;
	there = *k;
	there.pc = word;
	there.exact = false;
	return walk_addr(w, &there) ? there.pc : word;
}

bool is_return_address(struct stack_walker *w, const struct walk *k, uint64_t ra)
{
	return call_before(w, k, unsigned_address(w, k, ra)) != CALL_NO;
}

bool is_behind_call(struct stack_walker *w, const struct walk *k, uint64_t ra)
{
	return call_before(w, k, unsigned_address(w, k, ra)) == CALL_YES;
}

/*
 * At sp there may be what an earlier call has left in memory that is not used yet. That
 * is so if pc is in a function without rows that begins with push %rbp; mov %rsp,%rbp,
 * has done so, and was called by what is before the frame's return address. Not if the
 * same can be said of the one at sp, and of a function that begins behind it.
 */
static bool is_left_over(struct stack_walker *w, const struct walk *k)
{
	static const uint8_t frame[] = { 0x55, 0x48, 0x89, 0xe5 };
	enum { FUNCTION_MOST = 1 << 16 };
	const struct addr_key *callers = &k->keys[1];
	uint64_t ra, framed, start, later;
	uint8_t code[sizeof(frame)];
	const struct addr_entry *seen;

	if (!may_be_frame(k) || !dump_word(k, k->sp, &ra) ||
	    !dump_word(k, k->fp + k->machine->word, &framed) || !is_behind_call(w, k, ra))
		return false;
	if (!call_target(w, callers, framed, &start) || start + sizeof(frame) > k->pc ||
	    k->pc - start > FUNCTION_MOST ||
	    !addr_bytes(w, callers, start, code, sizeof(code)) ||
	    memcmp(code, frame, sizeof(frame)) != 0)
		return false;
	if (call_target(w, callers, ra, &later) && later > start && later <= k->pc)
		return false;
	seen = addr_find(w, &k->keys[0], start);
	return seen && w->rules.v[seen->rule].cfa_kind == UNWIND_NONE;
}

/* To the return address at @at, above which is the caller's stack. */
static void leave_frame(struct walk *k, uint64_t at, uint64_t ra)
{
	k->sp = at + k->machine->word;
	k->pc = ra;
	k->exact = k->lr_known = k->chained = false;
}

/* A leaf that has pushed @words words: its return address lies above them. */
static bool step_leaf(struct stack_walker *w, struct walk *k, uint64_t words)
{
	uint64_t at = k->sp + words * k->machine->word, ra;

	if (k->machine->link || !dump_word(k, at, &ra) || !is_behind_call(w, k, ra))
		return false;
	leave_frame(k, at, ra);
	return true;
}

static enum walk_end step_frame_pointer(struct stack_walker *w, struct walk *k)
{
	uint64_t word = k->machine->word, next, ra;
	const struct addr_entry *seen;

	if (!may_be_frame(k))
		return WALK_NO_CFI;
	if (!dump_word(k, k->fp, &next) || !dump_word(k, k->fp + word, &ra))
		return k->chained ? why_unreadable(k, k->fp + word) : WALK_NO_CFI;
	if (next == 0 && is_no_address(k, ra))
		return WALK_ROOT;
	if (!is_return_address(w, k, ra)) {
		/* The psABIs: the outermost frame has no frame pointer of its own, so the
		 * one it calls saves 0. Where the chain has led to that one by calls, its
		 * caller is the last whatever it is: of a goroutine it is the second byte
		 * of runtime.goexit(), which no call is before. */
		if (!k->chained || next != 0)
			return WALK_NO_CFI;
		seen = addr_find(w, &k->keys[1], ra);
		if (!seen || w->rules.v[seen->rule].cfa_kind == RULE_UNMAPPED)
			return WALK_NO_CFI;
	}
	k->sp = k->fp + 2 * word;
	/* An aarch64 function keeps its variables above its frame record. */
	k->sp_known = !k->machine->link;
	k->fp = next;
	k->pc = ra;
	k->exact = k->lr_known = false;
	k->chained = true;
	return WALK_ON;
}

/*
 * The leaf's frame pointer, if the leaf was about to return. On x86-64 it may lie in the red
 * zone as well, so it is believed only if it leads to a return address.
 */
static enum walk_end step_popped(struct stack_walker *w, struct walk *k,
				 const struct unwind_rule *rule)
{
	struct walk there = *k;
	enum walk_end end;

	there.fp_known = true;
	there.fp_popped = false;
	if (w->options.as_perf || !may_be_frame(&there))
		return WALK_NO_CFI;
	end = walk_step(w, &there, rule);
	if (end == WALK_BAD_ADDRESS || end == WALK_OTHER_STACK ||
	    (end == WALK_ON && !is_return_address(w, k, there.pc)))
		return WALK_NO_CFI;
	if (end == WALK_ON)
		*k = there;
	return end;
}

/* The kernel starts a program with nothing in its registers. */
static bool is_first_instruction(const struct walk *k)
{
	uint64_t others = ~(1ull << k->machine->sp | 1ull << k->machine->pc);
	struct registers regs;

	if (!k->exact || k->sp != k->base || k->fp != 0)
		return false;
	walk_registers(k, &regs);
	for (uint64_t left = regs.known & others; left; left &= left - 1)
		if (regs.value[__builtin_ctzll(left)])
			return false;
	return k->fp_known;
}

enum walk_end fallback_step(struct stack_walker *w, struct walk *k,
			    const struct unwind_rule *rule)
{
	bool unmapped = rule->cfa_kind == RULE_UNMAPPED && !k->exact;
	uint64_t word = k->machine->word, at, ra, fp;
	enum walk_end end;

	/* perf makes no step where the object is not at hand. */
	if (w->options.as_perf &&
	    (rule->cfa_kind == RULE_NO_OBJECT || rule->cfa_kind == RULE_UNMAPPED))
		return unmapped ? WALK_BAD_ADDRESS : WALK_NO_CFI;
	/* System calls of i386 go through the vdso, which is mostly not at hand: it has
	 * pushed ecx, edx and ebp when the kernel is asked. */
	if (k->exact && k->machine->elf == EM_386 &&
	    addr_image_kind(w, &k->keys[0], k->pc) == IMAGE_VDSO &&
	    dump_word(k, k->sp, &fp) && step_leaf(w, k, 3)) {
		k->fp = fp;
		return WALK_ON;
	}
	if (k->exact && !is_left_over(w, k) && step_leaf(w, k, 0))
		return WALK_ON;
	if ((k->exact ? jit_leaf_returns(w, k, rule, &at)
		      : trampoline_returns(w, k, &at)) &&
	    dump_word(k, at, &ra)) {
		leave_frame(k, at, ra);
		return WALK_ON;
	}
	if (!k->fp_known && k->fp_popped)
		return step_popped(w, k, rule);
	/* The psABIs: the outermost frame's caller has none. */
	if (!k->exact && k->fp_known && k->fp == 0)
		return WALK_ROOT;
	if (is_first_instruction(k))
		return WALK_ROOT;
	end = step_frame_pointer(w, k);
	/* _init and _fini push nothing, but align the stack. */
	if (end == WALK_NO_CFI && k->exact && step_leaf(w, k, 1))
		return WALK_ON;
	/* Nothing could be read to try it. */
	if (end == WALK_NO_CFI && k->elsewhere)
		return WALK_OTHER_STACK;
	if (end != WALK_NO_CFI || !unmapped)
		return end;
	/* Rows that miss a push, as those of memcpy() in glibc for i386: what the leaf is
	 * said to return to is what it has pushed, and no frame. */
	if (k->machine->link || k->sp != k->base + word || !dump_word(k, k->sp, &ra) ||
	    !is_behind_call(w, k, ra))
		return WALK_BAD_ADDRESS;
	w->stack.count--;
	k->sp += word;
	k->pc = ra;
	return WALK_ON;
}
