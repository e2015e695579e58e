/*
 * A walk with all registers, for rows that pc, sp, fp and the link register do not suffice for:
 * expressions, and a CFA that is counted from another register (DWARF 5, 6.4).
 *
 * It begins at the leaf again, where all registers are known, and goes up to behind the row that
 * the plain walk (walk.c) could not follow, or to the end. Where code has no rows it steps as the
 * plain walk does, and the registers that one does not follow are unknown from there on.
 * Expressions read the copied stack, or what nobody can have changed in a file. A hostile file
 * could have each step run millions of bytes, so all steps of a walk share what they may run.
 */
#include "stack/signal.h"
#include "stack/switch.h"

/* What one step reads. */
struct memory_reader {
	struct stack_walker *w;
	const struct walk *k;
	uint64_t missed; /* an address that could not be read */
};

/* The stack, or what the file has where nobody can have changed it. */
static bool read_memory(void *arg, uint64_t address, unsigned size, uint64_t *ret)
{
	struct memory_reader *r = arg;
	const struct walk *k = r->k;
	uint64_t at = address - k->base, value = 0;

	if (size > sizeof(value))
		return false;
	if (k->size >= size && at <= k->size - size) {
		memcpy(&value, k->dump + at, size);
	} else if (!addr_bytes(r->w, &k->keys[1], address, &value, size)) {
		r->missed = address;
		return false;
	}
	*ret = le64toh(value);
	return true;
}

/* All registers, behind a step that lost those which the plain walk does not follow. */
static void widen(const struct walk *k, struct registers *regs)
{
	const struct machine *m = k->machine;

	*regs = (struct registers){ .pc = k->pc };
	regs->value[m->sp] = k->sp;
	regs->value[m->fp] = k->fp;
	regs->known = (uint64_t)k->sp_known << m->sp | (uint64_t)k->fp_known << m->fp;
}

static enum walk_end step_without_row(struct stack_walker *w, struct walk *k,
				      const struct unwind_rule *rule,
				      struct registers *regs)
{
	enum walk_end end = fallback_step(w, k, rule);

	widen(k, regs);
	return end;
}

static enum walk_end step_found(struct walk *k, const struct memory_reader *r,
				bool signal, enum frame_found found,
				const struct registers *regs)
{
	const struct machine *m = k->machine;
	enum walk_end end;
	bool shrinks;

	switch (found) {
	case FRAME_END:
		return WALK_ROOT;
	case FRAME_UNREADABLE:
		if (!r->missed)
			return WALK_NO_CFI;
		end = why_unreadable(k, r->missed);
		return end == WALK_BAD_ADDRESS && may_be_stack(k, r->missed)
			       ? WALK_OTHER_STACK
			       : end;
	case FRAME_NOTHING:
		return WALK_NO_CFI;
	case FRAME_CALLER_FOUND:
		break;
	}
	shrinks = walk_shrinks(k, signal, regs->value[m->sp]);
	k->pc = regs->pc;
	k->sp = regs->value[m->sp];
	k->fp = regs->value[m->fp];
	k->sp_known = regs->known >> m->sp & 1;
	k->fp_known = regs->known >> m->fp & 1;
	k->exact = signal;
	k->lr_known = k->fp_popped = k->chained = false;
	if (is_no_address(k, regs->pc))
		return WALK_ROOT;
	return k->sp_known && shrinks ? WALK_ON : WALK_REPEATED;
}

/* Steps that real stacks take have 10 to 100 bytes of instructions each: so many are there
 * for each 8 bytes of the copy, and a large function may begin. */
enum { WORK_FREE = 1 << 16, WORK_A_BYTE = 128 };

static enum walk_end step_all(struct stack_walker *w, struct walk *k,
			      const struct unwind_rule *rule, struct registers *regs,
			      uint64_t *left)
{
	const struct addr_key *key = &k->keys[!k->exact];
	struct memory_reader reader = { w, k, 0 };
	const struct frame_memory memory = { k->machine, read_memory, &reader, left };
	struct registers before = *regs;
	enum frame_found found;
	const struct frame_info *info;
	struct code_site at;
	enum walk_end found_end;
	bool signal = false;
	/* A trampoline is returned to without having called anything. */
	uint64_t caller = !k->exact && !(rule->flags & UNWIND_SIGNAL);

	if (rule->cfa_kind == RULE_SIGNAL && signal_find_frame(k, rule->cfa))
		return signal_step_all(k, rule->cfa, regs);
	if (rule->cfa_kind == UNWIND_END)
		return WALK_ROOT;
	if (rule->cfa_kind == RULE_SWITCH) {
		found_end = switch_step(k, rule->cfa);
		widen(k, regs);
		return found_end;
	}
	if (rule->cfa_kind >= RULE_UNMAPPED || rule->cfa_kind == UNWIND_NONE ||
	    !addr_code(w, key, k->pc - caller, &at))
		return step_without_row(w, k, rule, regs);
	if (binaries_frames(w->binaries, at.binary, &info) < 0)
		return WALK_NO_MEMORY;
	found = info ? frame_step(info, at.address, &memory, regs, &signal)
		     : FRAME_NOTHING;
	if (found == FRAME_NOTHING) {
		*regs = before;
		return step_without_row(w, k, rule, regs);
	}
	return step_found(k, &reader, signal, found, regs);
}

enum walk_end walk_replay(struct stack_walker *w, struct walk *k, uint32_t steps)
{
	uint64_t left = WORK_FREE + WORK_A_BYTE * (uint64_t)k->size;
	enum walk_end end = WALK_ON;
	struct registers regs;

	walk_restart(w, k);
	walk_registers(k, &regs);
	for (uint32_t i = 0; i < steps && end == WALK_ON; i++) {
		struct addr_entry *seen;
		struct unwind_rule rule;

		if (w->stack.count >= k->most)
			return k->asked ? WALK_MAX_STACK : WALK_TOO_DEEP;
		seen = walk_addr(w, k);
		if (!seen)
			return WALK_NO_MEMORY;
		regs.pc = k->pc;
		rule = w->rules.v[seen->rule];
		walk_note_pc(w, k, &rule);
		w->stack.v[w->stack.count++] = seen->frame - 1;
		end = step_all(w, k, &rule, &regs, &left);
		if (end == WALK_ON && k->chained)
			end = walk_infer(w, k, &rule);
	}
	return end;
}
