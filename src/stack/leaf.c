/*
 * The caller of a leaf, by one step from the sample's registers. A chain of frame
 * pointers on aarch64 begins behind a leaf that has not saved its return address; a
 * recorder that keeps just the link register lets the caller be found all the same.
 */
#include "stack/leaf.h"

uint64_t leaf_caller(struct stack_walker *w, const struct sample *s, uint64_t ip,
		     uint64_t next, bool *looked)
{
	size_t count = w->stack.count;
	const struct addr_entry *seen;
	enum walk_end end = WALK_ON;
	struct unwind_rule rule;
	struct walk k;

	*looked = false;
	if (!walk_begin(w, s, &k))
		return 0;
	/* The registers are those of the leaf; an aarch64 recorder may keep just the
	 * link. */
	if (!k.pc_known && k.machine->link)
		k.pc = ip;
	*looked = k.pc == ip;
	/* perf knows the link only. */
	if (!*looked || (w->options.as_perf && !k.machine->link))
		return 0;
	seen = walk_addr(w, &k);
	if (!seen)
		return 0;
	rule = w->rules.v[seen->rule];
	/* Without a copy of the stack there is just the link. */
	if (rule.cfa_kind == RULE_UNMAPPED || (!k.size && !(rule.flags & UNWIND_RA_SAME)))
		return 0;
	if (rule.flags & UNWIND_RA_SAME) {
		/* All that is needed is the link. */
		if (!k.lr_known)
			return 0;
		k.pc = k.lr;
		k.exact = false;
	} else if (rule.cfa_kind != UNWIND_OTHER) {
		end = walk_step(w, &k, &rule);
	} else {
		k.most = count + 1;
		k.asked = true;
		if (!array_reserve(&w->stack, 1))
			return 0;
		end = walk_replay(w, &k, 1);
		w->stack.count = count;
	}
	if (end != WALK_ON || k.exact || !walk_addr(w, &k) || k.pc == next ||
	    !is_return_address(w, &k, k.pc))
		return 0;
	return k.pc;
}
