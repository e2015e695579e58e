/*
 * A function that was compiled with -fsplit-stack and needs more stack calls __morestack() of libgcc as it begins, and
 * that calls the rest of the function on another piece of the stack:
 *
 *	f:      compare; jae rest          __morestack:   push %rbp; mov %rsp,%rbp
 *	        call __morestack                          ...
 *	        ret                                       inc  %r10      the address behind the ret
 *	rest:   push %rbp; mov %rsp,%rbp                  call *%r10
 *
 *	chain   leaf   rest   behind call *%r10   behind call __morestack   f's caller's caller
 *
 * So f is in the chain twice, with a function in between that nobody has called in the source. Where f calls one that
 * does the same, the address in the rest of f is in no frame that the chain goes through, but that of its beginning is.
 */
#include "stack/split.h"

#include <elf.h>

#include "elf/elf.h"
#include "stack/function.h"

int split_enters(struct stack_walker *w, const struct code_site *at)
{
	static const uint8_t enter[] = { 0x41, 0xff, 0xd2 }; /* call *%r10 */
	struct code_site call = *at;
	struct unwind_rule rule;
	uint8_t code[sizeof(enter)];

	call.offset -= sizeof(enter) - 1;
	call.address -= sizeof(enter) - 1;
	if (at->binary->machine->elf != EM_X86_64 ||
	    !code_bytes(w, &call, code, sizeof(code)) ||
	    memcmp(code, enter, sizeof(enter)) != 0)
		return 0;
	if (code_rule(w, at, &rule) < 0)
		return -ENOMEM;
	/* Two return addresses, and the frame pointer below. */
	return rule.cfa_kind == UNWIND_FP && rule.cfa == 24 && rule.ra == -8 &&
	       rule.fp == -24;
}

/* The site of a return address of the chain, or of the call before it. */
static bool site_in_chain(struct stack_walker *w, const struct chain *chain,
			  uint32_t index, struct code_site *ret)
{
	struct addr_key key = addr_key(w, MODE_USER, ADDR_CALLER, false, NULL);
	const struct addr_entry *seen;
	const struct frame *f;

	if (index >= chain->sample->chain_count)
		return false;
	seen = addr_find(w, &key, sample_chain(chain->sample, index));
	if (!seen)
		return false;
	f = &w->frames->list.v[seen->frame - 1];
	return f->flags & FRAME_CALLER && code_of_image(w, f->image, f->address, ret);
}

int split_behind(struct stack_walker *w, const struct chain *chain, bool follows_split,
		 enum split *ret)
{
	enum { CALL = 0xe8, RET = 0xc3 };
	struct code_site more, first, call, last;
	uint64_t start, before, called, of_last;
	const struct frame *f;
	uint8_t code[6];
	int found;

	*ret = SPLIT_NO;
	if (!site_in_chain(w, chain, chain->next, &more) ||
	    !site_in_chain(w, chain, chain->next + 1, &first))
		return w->failed ? -ENOMEM : 0;
	/* Where the function begins that is called there, to return from it at once. */
	call = first;
	call.offset -= 4;
	call.address -= 4;
	if (!code_bytes(w, &call, code, sizeof(code)) || code[0] != CALL ||
	    code[5] != RET)
		return w->failed ? -ENOMEM : 0;
	called = near_target(code + 1, call.address + 5);
	/* Has that call led to the one with the other call? __morestack_non_split(),
	 * which lies before it, goes on to it. */
	if (more.image != first.image)
		return 0;
	found = function_start(w, &more, more.address, &start);
	if (found > 0 && start != called) {
		found = function_start(w, &more, start - 1, &before);
		if (found > 0 && before != called)
			return 0;
	}
	if (found <= 0)
		return found;
	if (function_start(w, &first, first.address, &start) < 0)
		return -ENOMEM;
	*ret = SPLIT_OTHER;
	/* Is the last frame of the same function? */
	f = &w->frames->list.v[*array_last(&w->stack)];
	if (!follows_split && f->image == first.image &&
	    code_of_image(w, f->image, f->address, &last)) {
		w->failed |= function_start(w, &last, last.address, &of_last) < 0;
		if (of_last == start)
			*ret = SPLIT_SAME;
	}
	return w->failed ? -ENOMEM : 0;
}
