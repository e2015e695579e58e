/*
 * A stack is whole that goes on to a function which has no caller. Call frame information says so of
 * those that are written in assembler; the C library calls main(), and begins threads, in functions
 * that are known by their names, or by who refers to them (elf/starts.h).
 *
 * It is asked once for an address, and of most stacks for the last one only.
 */
#include "stack/root.h"

#include "elf/elf.h"
#include "stack/function.h"

/* Bytes that a function without call frame information is taken for. */
enum { UNBOUNDED_MOST = 160 };

/* No function that starts a program or a thread has as many: what is farther from all of them is not looked
 * up. */
enum { START_MOST = 1 << 14 };

/* Functions that a C library starts a program with, where it keeps frame pointers. */
enum { STARTS_MOST = 3 };

/* Addresses that happen to be behind calls, above where a stack begins. More would be no chance. */
enum { ABOVE_MOST = 3 };

/* Does what is before @ip pass the test? */
static bool is_behind(struct stack_walker *w, const struct addr_key *key, uint64_t ip,
		      bool (*test)(const uint8_t *code))
{
	const struct machine_code *m = key->machine->code;
	uint8_t code[CALL_MOST];

	return addr_bytes(w, key, ip - m->before, code, m->before) && test(code);
}

/* Go's runtime.goexit() is returned to behind a first instruction that does nothing, as unwinders look
 * one byte below. */
static bool is_behind_nop(struct stack_walker *w, const struct addr_key *key, uint64_t ip)
{
	return is_behind(w, key, ip, key->machine->code->ends_with_nop);
}

static enum stack_bottom find_stack_bottom(struct stack_walker *w,
					   const struct addr_key *key, uint64_t ip)
{
	struct addr_key of_code = *key;
	const struct starts *starts;
	struct addr_look look;
	uint64_t address, start;
	int found;

	addr_look(w, key, ip, &look);
	if (look.what != ADDR_FILE_CODE || !look.at.binary->machine)
		return BOTTOM_NO;
	of_code.machine = look.at.binary->machine;
	if (look.at.binary->go)
		return is_behind_nop(w, &of_code, ip) ? BOTTOM_LAST : BOTTOM_NO;
	address = look.at.address + 1;
	if (binaries_starts(w->binaries, look.at.binary, &starts) < 0) {
		w->failed = true;
		return BOTTOM_NO;
	}
	if (starts_begin_between(starts, address, address))
		return BOTTOM_ALWAYS;
	found = function_start(w, &look.at, address, &start);
	w->failed |= found < 0;
	/* Code without call frame information, which fills the gaps between functions. Right
	 * behind a return or a jump no other code goes on to it: a label that only a stack made
	 * by hand has as an address. */
	if (found == 0 && is_behind(w, &of_code, ip, of_code.machine->code->ends_flow))
		return BOTTOM_ALWAYS;
	if (found == 0)
		return is_behind_nop(w, &of_code, ip) ? BOTTOM_LAST : BOTTOM_NO;
	if (start != address)
		return BOTTOM_NO;
	return starts_contain(starts, address) ? BOTTOM_ALWAYS : BOTTOM_LAST;
}

bool is_stack_bottom(struct stack_walker *w, const struct addr_key *key, uint64_t ip,
		     bool last, struct addr_entry *seen)
{
	if (seen->bottom == BOTTOM_UNSEEN)
		seen->bottom = find_stack_bottom(w, key, ip);
	return seen->bottom == BOTTOM_ALWAYS || (last && seen->bottom == BOTTOM_LAST);
}

/* The functions that begin stacks in the object of @f, and where it is. NULL: nothing is known of that. */
static const struct starts *starts_around(struct stack_walker *w, const struct frame *f,
					  struct code_site *at)
{
	const struct starts *starts;

	if (binaries_kind(w->binaries, f->image) != IMAGE_FILE ||
	    !code_of_image(w, f->image, f->address, at))
		return NULL;
	if (binaries_starts(w->binaries, at->binary, &starts) == 0)
		return starts;
	w->failed = true;
	return NULL;
}

enum root root_of_frame(struct stack_walker *w, uint32_t frame)
{
	const struct frame *f = &w->frames->list.v[frame];
	struct code_site at;
	const struct starts *starts = starts_around(w, f, &at);
	struct unwind_rule rule;
	uint64_t least, start;
	enum root root;
	int found = 0;

	if (!starts)
		return ROOT_UNKNOWN;
	/* All of Go's keeps frame pointers, so what a chain ends in is a beginning. */
	if ((at.binary->go && !starts->known) || starts_contain(starts, at.address))
		return ROOT_YES;
	root = starts->known ? ROOT_NO : ROOT_UNKNOWN;
	/* Is it in a function that others refer to which start it? */
	least = at.address > START_MOST ? at.address - START_MOST : 0;
	if (starts_begin_between(starts, least, at.address)) {
		found = function_start(w, &at, at.address, &start);
		/* Of musl nothing says where its functions begin. */
		if (found == 0)
			start = at.address > UNBOUNDED_MOST ? at.address - UNBOUNDED_MOST
							    : 0;
		if (found >= 0)
			found = starts_begin_between(starts, start,
						     found ? start : at.address);
	}
	/* Nobody stops in the few instructions of a function that has no caller, but all
	 * that it has called returns there. */
	if (found == 0 && f->flags & FRAME_CALLER) {
		found = code_rule(w, &at, &rule);
		/* Who begins stacks in assembler says nothing of its frames, but nor does
		 * musl. */
		if (found == 0 && rule.cfa_kind == UNWIND_NONE && !starts->libc)
			root = ROOT_UNKNOWN;
		if (found == 0)
			found = rule.cfa_kind == UNWIND_END;
	}
	w->failed |= found < 0;
	return found > 0 ? ROOT_YES : root;
}

enum root root_at(struct stack_walker *w, struct addr_entry *seen)
{
	if (seen->root == ROOT_UNSEEN && seen->call == CALL_NO)
		seen->root = ROOT_YES; /* let pass as one that nobody calls */
	else if (seen->root == ROOT_UNSEEN)
		seen->root = root_of_frame(w, seen->frame - 1);
	return seen->root;
}

bool roots_follow(struct stack_walker *w, const struct chain *chain)
{
	struct addr_key key = addr_key(w, MODE_USER, ADDR_CALLER, false, NULL);
	struct chain rest = *chain;
	struct addr_entry *seen;
	struct chain_entry e;

	chain_next(&rest, &e);
	for (int i = 0; chain_next(&rest, &e) && e.mode == MODE_USER && e.caller; i++) {
		seen = addr_find(w, &key, e.ip);
		if (!seen || i == STARTS_MOST || root_at(w, seen) != ROOT_YES)
			return false;
	}
	return true;
}

/* Where a sample was taken has to be a beginning for sure. That a function's address is passed on makes one of it
 * where something is returned to, and execve()'s is passed on, too. */
static bool is_beginning(struct stack_walker *w, struct addr_entry *seen, bool returned)
{
	const struct starts *starts;
	struct code_site at;

	if (returned)
		return root_at(w, seen) == ROOT_YES;
	starts = starts_around(w, &w->frames->list.v[seen->frame - 1], &at);
	return starts && starts_contain(starts, at.address);
}

bool root_in_chain(struct stack_walker *w, const struct sample *s, size_t count)
{
	struct addr_key key = { 0 };
	struct addr_entry *seen;
	struct chain_entry e;
	struct chain chain;

	chain_start(&chain, s);
	for (size_t i = 0; i < count && chain_next(&chain, &e);) {
		if (e.mode != MODE_USER || i++ + ABOVE_MOST < count)
			continue;
		if (!key.salt || e.caller != (key.kind == ADDR_CALLER) ||
		    e.entered != key.entered)
			key = addr_key(w, e.mode, e.caller ? ADDR_CALLER : ADDR_EXACT,
				       e.entered, NULL);
		seen = addr_find(w, &key, e.ip);
		if (seen && is_beginning(w, seen, e.caller))
			return true;
	}
	return false;
}
