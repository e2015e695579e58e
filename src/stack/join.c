/*
 * A walk that ends with the bytes that were copied, and the chain that the kernel recorded by frame
 * pointers, which does not: the rest of the stack.
 *
 *	copied bytes   |leaf|  f  |  g  |  h ..|.... main |
 *	walk            leaf   f     g     h
 *	chain           leaf   f           h	     main
 *	                                   ^ joined here
 *
 * The chain is that of records "caller's frame pointer, return address", from the leaf's register
 * on. Those that were copied are gone through again, until one is the record of the frame at which
 * the walk has ended: what the chain says next is what that frame returns to. From there on
 * the chain leaves nothing out if all its code keeps them. The last address may be in code that
 * does not, for what starts main() and threads is the C library's. It never returns, so it saves
 * no register of its caller, and it is none of those known to have one. A function that has saved the
 * frame pointer, as qsort() that calls back, has used it for something else, and where the chain ends
 * then is chance.
 *
 * The same is done where the next frame is on another stack, of which nothing was copied: a handler's of
 * signals, or one that the program has changed. Frame pointers lead from one to the other.
 *
 * Go's runtime does much of its work on a stack of the thread's: systemstack() and mcall() switch
 * to it, where a walk ends. They leave the frame pointer alone, so the chain leads on to the
 * goroutine's own stack. Of that nothing was copied.
 *
 *	walk            leaf   f     systemstack
 *	chain           leaf   f     systemstack	mallocgc ... main.main   runtime.main   goexit
 *					     ^ joined here; who called systemstack() has no record
 *
 * The first thread's stack has above systemstack() what began the program, which has gone: there a
 * walk ends with an address that is none.
 */
#include "stack/chain.h"
#include "stack/root.h"
#include "stack/walk.h"

/* Is the return address of the frame at hand right behind the frame pointer's target? */
static bool has_own_record(const struct walk *k, const struct unwind_rule *rule)
{
	uint64_t base, cfa;

	if (!k->fp_known)
		return false;
	switch (rule->cfa_kind) {
	case UNWIND_FP:
	case UNWIND_SP:
		break;
	case UNWIND_NONE:
	case RULE_NO_OBJECT:
		return k->chained; /* code without rows; frame pointers have led to it */
	case RULE_SWITCH:
		/* asmcgocall() has none, and leaves that of who called it to C, which gives
		 * it back. */
		return true;
	default:
		return false;
	}
	if (rule->flags & UNWIND_RA_SAME || (rule->cfa_kind == UNWIND_SP && !k->sp_known))
		return false;
	base = rule->cfa_kind == UNWIND_FP ? k->fp : k->sp;
	cfa = base + (uint64_t)(int64_t)rule->cfa;
	if (rule->flags & UNWIND_RA_AT_BASE)
		cfa = base;
	return cfa + (uint64_t)(int64_t)rule->ra == k->fp + k->machine->word;
}

/* The leaf of the user's part has been passed. */
static bool pass_leaf(struct chain *c)
{
	struct chain_entry e;

	while (chain_next(c, &e))
		if (e.mode == MODE_USER)
			return true;
	return false;
}

/* Goes through the records that were copied, to that of the frame at hand; @c: what comes next
 * is what it returns to. */
static bool find_record_of_frame(struct stack_walker *w, const struct walk *k,
				 struct chain *c)
{
	struct walk leaf = *k;
	struct chain_entry e;
	uint64_t record, next, ra;

	walk_restart(w, &leaf);
	if (!leaf.fp_known || !pass_leaf(c))
		return false;
	for (record = leaf.fp; record != k->fp; record = next) {
		if (!chain_next(c, &e) || !dump_word(k, record + k->machine->word, &ra))
			return false;
		/* Return addresses that may be signed are not compared. */
		if (!k->machine->link && ra != e.ip)
			return false;
		if (!dump_word(k, record, &next) || (next <= record && next != k->fp))
			return false;
	}
	return true;
}

/* How far a chain can be relied on. */
enum chain_link { LINK_BROKEN, LINK_KEPT, LINK_LAST, LINK_NO_MEMORY };

/* May the chain end in the function that is returned to, which need not keep a frame pointer? @kept: its file
 * does. Of code without rows, as musl's in a program that is linked with it, only that speaks for it. */
static enum chain_link may_be_last(struct stack_walker *w, const struct walk *k,
				   uint64_t ra, bool kept)
{
	struct addr_entry *seen = addr_find(w, &k->keys[1], ra);
	const struct unwind_rule *rule;

	if (!seen)
		return LINK_NO_MEMORY;
	rule = &w->rules.v[seen->rule];
	if ((rule->cfa_kind == UNWIND_NONE && !kept) || rule->cfa_kind == UNWIND_OTHER ||
	    root_at(w, seen) == ROOT_NO)
		return LINK_BROKEN;
	/* One that counts from it has a record of its own, and its caller's would follow. */
	return rule->flags & UNWIND_FP_SAVED && rule->cfa_kind != UNWIND_FP ? LINK_BROKEN
									    : LINK_LAST;
}

static enum chain_link judge_link(struct stack_walker *w, const struct walk *k,
				  uint64_t ra)
{
	enum frame_pointer_use use;
	struct code_site at;

	if (!is_return_address(w, k, ra))
		return LINK_BROKEN;
	/* JIT code: who writes no rows keeps frame pointers, or the chain would not be here. */
	if (!addr_code(w, &k->keys[1], ra - 1, &at))
		return w->failed ? LINK_NO_MEMORY : LINK_KEPT;
	if (binaries_frame_pointers(w->binaries, at.binary, &use) < 0)
		return LINK_NO_MEMORY;
	if (use == FRAME_POINTERS_KEPT)
		return LINK_KEPT;
	/* The function keeps none. */
	return may_be_last(w, k, ra, false);
}

/* How many of what is left of the chain lead to the root; 0: not there. */
static size_t count_links(struct stack_walker *w, const struct walk *k, struct chain c,
			  bool *failed)
{
	enum chain_link link = LINK_KEPT;
	struct chain_entry e;
	struct code_site at;
	size_t count = 0;
	uint64_t last = 0;

	while (chain_next(&c, &e) && e.mode == MODE_USER && e.caller) {
		/* What the last one had in its frame pointer is anything. */
		if (link == LINK_LAST)
			return is_return_address(w, k, e.ip) ? 0 : count;
		link = judge_link(w, k, e.ip);
		*failed |= link == LINK_NO_MEMORY;
		if (link == LINK_BROKEN || link == LINK_NO_MEMORY)
			return 0;
		last = e.ip;
		count++;
	}
	/* A program that keeps them has begun in files that were compiled with a C library, which may keep none: the
	 * chain ends in __libc_csu_init() where that has a zero in the register, and has been called all the same. */
	if (count && link == LINK_KEPT && addr_code(w, &k->keys[1], last - 1, &at))
		link = may_be_last(w, k, last, true);
	*failed |= link == LINK_NO_MEMORY || w->failed;
	return c.odd || link == LINK_BROKEN ? 0 : count;
}

static bool push_links(struct stack_walker *w, const struct walk *k, struct chain *c,
		       size_t count)
{
	enum { FRAMES = 3 }; /* at most, of a link */
	struct chain_entry e;

	if (!array_reserve(&w->stack, FRAMES * count) ||
	    !array_reserve(&w->pcs, w->stack.count + FRAMES * count))
		return false;
	for (; count && chain_next(c, &e); count--) {
		uint64_t last = w->pcs.v[w->stack.count - 1];
		const struct addr_entry *seen;
		struct unwind_rule rule;

		/* As where the chain is all that there is: who called the last one, if
		 * that one leaves the frame pointer alone. */
		if (w->options.infer && !(last & PC_EXACT)) {
			seen = addr_find(w, &k->keys[1], last);
			if (!seen)
				return false;
			rule = w->rules.v[seen->rule];
			if (walk_put_in(w, k, e.ip, &rule, 0) < 0)
				return false;
		}
		seen = addr_find(w, &k->keys[1], e.ip);
		if (!seen)
			return false;
		w->pcs.v[w->stack.count] = e.ip;
		w->stack.v[w->stack.count++] = seen->frame - 1;
	}
	return true;
}

static bool is_in_go(struct stack_walker *w, const struct walk *k, uint64_t ra)
{
	struct code_site at;

	return addr_code(w, &k->keys[1], ra - 1, &at) && at.binary->go;
}

/* Goroutines begin in the second byte of goexit(), which no call is before: the last may be
 * without. 0 where one of them is not Go's. */
static size_t count_go_links(struct stack_walker *w, const struct walk *k, struct chain c)
{
	struct chain_entry e;
	bool called = true;
	size_t count = 0;

	for (; chain_next(&c, &e); count++) {
		if (e.mode != MODE_USER || !e.caller || !called || !is_in_go(w, k, e.ip))
			return 0;
		called = is_return_address(w, k, e.ip);
	}
	return c.odd ? 0 : count;
}

enum walk_end join_chain(struct stack_walker *w, const struct walk *k, size_t first,
			 enum walk_end end)
{
	const struct sample *s = k->sample;
	struct walk there = *k;
	struct addr_entry *seen;
	struct chain c;
	bool failed = false;
	size_t count;

	if (w->stack.count == first || k->asked ||
	    stack_chain_is_cut(s, &w->rec->events.v[s->event]))
		return end;
	seen = walk_addr(w, &there);
	if (!seen)
		return WALK_NO_MEMORY;
	chain_start(&c, s);
	if (!has_own_record(k, &w->rules.v[seen->rule]) ||
	    !find_record_of_frame(w, k, &c))
		return end;
	count = count_links(w, k, c, &failed);
	if (count == 0 && !failed && is_in_go(w, k, there.pc))
		count = count_go_links(w, k, c);
	if (failed || w->failed || (count && !push_links(w, k, &c, count)))
		return WALK_NO_MEMORY;
	w->counts.joined += count > 0;
	return count ? WALK_ROOT : end;
}

enum walk_end join_switched(struct stack_walker *w, const struct walk *k, size_t first,
			    enum walk_end end)
{
	enum { STALE_MOST = 4 }; /* frames, of what the thread's stack was left with */
	size_t most = end == WALK_ROOT ? 1 : STALE_MOST;
	const struct sample *s = k->sample;

	if (k->asked || stack_chain_is_cut(s, &w->rec->events.v[s->event]))
		return end;
	for (size_t i = w->stack.count; most && i > first + 1; i--, most--) {
		uint64_t pc = w->pcs.v[i - 1];
		struct chain_entry e;
		bool found = false;
		size_t count = 0;
		struct chain c;

		/* The chain behind that frame. */
		chain_start(&c, s);
		if (!(pc & PC_EXACT) && pass_leaf(&c))
			while (!found && chain_next(&c, &e))
				found = e.ip == pc;
		if (found && is_in_go(w, k, pc))
			count = count_go_links(w, k, c);
		if (w->failed)
			return WALK_NO_MEMORY;
		if (count == 0)
			continue;
		w->stack.count = i;
		return push_links(w, k, &c, count) ? WALK_ROOT : WALK_NO_MEMORY;
	}
	return end;
}
