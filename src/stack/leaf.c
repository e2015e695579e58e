/*
 * The caller of a leaf, by one step from the sample's registers. A chain of frame
 * pointers on aarch64 begins behind a leaf that has not saved its return address; a
 * recorder that keeps just the link register lets the caller be found all the same.
 */
#include "stack/leaf.h"

/* The registers are those of the leaf; an aarch64 recorder may keep just the link. */
static bool begin_at(struct stack_walker *w, const struct sample *s, uint64_t ip,
		     struct walk *k)
{
	if (!walk_begin(w, s, k))
		return false;
	if (!k->pc_known && k->machine->link)
		k->pc = ip;
	return k->pc == ip;
}

static enum walk_end step_once(struct stack_walker *w, struct walk *k,
			       const struct unwind_rule *rule)
{
	size_t count = w->stack.count;
	enum walk_end end;

	/* All that is needed is the link. */
	if (rule->flags & UNWIND_RA_SAME) {
		k->pc = k->lr;
		k->exact = false;
		return k->lr_known ? WALK_ON : WALK_NO_CFI;
	}
	if (rule->cfa_kind != UNWIND_OTHER)
		return walk_step(w, k, rule);
	k->most = count + 1;
	k->asked = true;
	if (!array_reserve(&w->stack, 1))
		return WALK_NO_MEMORY;
	end = walk_replay(w, k, 1);
	w->stack.count = count;
	return end;
}

/* perf knows the link only. */
static bool refuses_registers(const struct stack_walker *w, const struct walk *k)
{
	return w->options.as_perf && !k->machine->link;
}

uint64_t leaf_caller(struct stack_walker *w, const struct sample *s, uint64_t ip,
		     uint64_t next, bool *looked)
{
	const struct place_seen *seen;
	struct unwind_rule rule;
	struct walk k;

	*looked = begin_at(w, s, ip, &k);
	if (!*looked || refuses_registers(w, &k))
		return 0;
	seen = walk_place(w, &k);
	if (!seen)
		return 0;
	rule = w->rules.v[seen->rule];
	/* Without a copy of the stack there is just the link. */
	if (rule.cfa_kind == RULE_UNMAPPED || (!k.size && !(rule.flags & UNWIND_RA_SAME)))
		return 0;
	if (step_once(w, &k, &rule) != WALK_ON || k.exact || !walk_place(w, &k) ||
	    k.pc == next || !is_return_address(w, &k, k.pc))
		return 0;
	return k.pc;
}
