/*
 * The loop looks up pc, whose frame and rule are remembered by address, pushes the
 * frame, and takes one step by the rule. Only pc, sp, fp and the link register are
 * followed. A row that needs others ends the loop, and all is done again from the leaf
 * with every register, up to behind that row.
 *
 *	copied stack   | leaf    | f        | g     ...
 *	               sp        cfa        cfa           each step has to go this way
 *
 * Each step has to raise sp (a leaf's may leave it, one out of a signal's own stack may
 * lower it, once), so a walk ends; FRAMES_MOST bounds it further. How it ended is what
 * the sample counts as.
 */
#include "stack/walk.h"
#include "stack/infer.h"

#include <elf.h>
#include <sys/utsname.h>

#include "stack/root.h"
#include "stack/signal.h"
#include "stack/switch.h"

enum {
	/* Frames of 16 bytes fill the largest copy of a stack, 64 KiB, with as many. */
	FRAMES_MOST = 4096,
	/* Behind the copied bytes the stack goes on for so long; all else is garbage. */
	STACK_MOST = 16 << 20,
	WORDS_BEHIND = 8,
	RED_ZONE = 128, /* bytes below sp that are a leaf's (x86-64 psABI 3.2.2) */
};

const struct machine *walk_machine(struct stack_walker *w, const struct sample *s)
{
	uint32_t arch = w->rec->arch;
	struct utsname name;

	if (s->user_abi >= ABIS)
		return NULL;
	if (!arch) {
		if (!w->assumed)
			w->assumed = binaries_machine(w->binaries);
		if (!w->assumed && uname(&name) == 0)
			w->assumed = machine_by_name(name.machine, 2);
		return w->assumed ? machine_by_name(w->assumed->name, s->user_abi) : NULL;
	}
	for (unsigned abi = 1; w->arch != arch && abi < ABIS; abi++)
		w->machines[abi] = machine_by_name(intern_text(w->strings, arch), abi);
	w->arch = arch;
	return w->machines[s->user_abi];
}

/* The index of DWARF register @number in samples with @mask. */
static uint8_t index_of(const struct machine *m, uint64_t mask, uint8_t number)
{
	uint8_t index = 0;

	for (uint8_t i = 0; i < 64; i++) {
		if (!(mask >> i & 1))
			continue;
		if (m->of_recorded[i] == number ||
		    (number == m->pc && i == m->pc_recorded))
			return index;
		index++;
	}
	return REGISTER_NONE;
}

static uint64_t register_at(const struct walk *k, uint8_t index)
{
	uint64_t value;

	memcpy(&value, k->sample->user_registers + 8 * (size_t)index, sizeof(value));
	return k->machine->word == 4 ? (uint32_t)value : value;
}

void walk_registers(const struct walk *k, struct registers *ret)
{
	const struct machine *m = k->machine;
	uint8_t index = 0;

	*ret = (struct registers){ .pc = k->pc };
	for (uint8_t i = 0; i < 64; i++) {
		uint8_t number = m->of_recorded[i];

		if (!(k->sample->user_mask >> i & 1))
			continue;
		if (number != REGISTER_NONE && number < REGISTERS_MOST) {
			ret->value[number] = register_at(k, index);
			ret->known |= 1ull << number;
		}
		index++;
	}
}

void walk_restart(struct stack_walker *w, struct walk *k)
{
	uint64_t mask = k->sample->user_mask;
	const struct machine *m = k->machine;
	struct register_order *o = &w->order;

	if (o->machine != m || o->mask != mask) {
		*o = (struct register_order){ .machine = m, .mask = mask };
		o->pc = index_of(m, mask, m->pc);
		o->sp = index_of(m, mask, m->sp);
		o->fp = index_of(m, mask, m->fp);
		o->lr = m->link ? index_of(m, mask, m->ra) : REGISTER_NONE;
	}
	k->pc_known = o->pc != REGISTER_NONE;
	k->sp_known = o->sp != REGISTER_NONE;
	k->pc = k->pc_known ? register_at(k, o->pc) : 0;
	k->sp = k->sp_known ? register_at(k, o->sp) : 0;
	k->fp_known = o->fp != REGISTER_NONE;
	k->lr_known = o->lr != REGISTER_NONE;
	if (k->fp_known)
		k->fp = register_at(k, o->fp);
	if (k->lr_known)
		k->lr = register_at(k, o->lr);
	k->exact = true;
	k->jumped = k->elsewhere = k->chained = k->fp_popped = false;
}

bool walk_begin(struct stack_walker *w, const struct sample *s, struct walk *ret)
{
	bool entered = s->mode == MODE_KERNEL;
	const struct machine *m;

	if (!s->user_abi || !s->user_registers)
		return false;
	m = walk_machine(w, s);
	if (!m)
		return false;
	*ret = (struct walk){ .sample = s, .machine = m };
	walk_restart(w, ret);
	ret->dump = s->user_stack;
	ret->base = ret->sp;
	ret->size = s->user_stack && ret->sp_known ? s->user_stack_size : 0;
	ret->keys[0] = addr_key(w, MODE_USER, ADDR_EXACT, entered, m);
	ret->keys[1] =
		addr_key(w, MODE_USER,
			 w->options.as_perf ? ADDR_CALLER_BELOW : ADDR_CALLER, false, m);
	return true;
}

enum walk_end why_unreadable(const struct walk *k, uint64_t address)
{
	uint64_t end = k->base + k->size;

	if (k->jumped)
		return k->elsewhere ? WALK_OTHER_STACK : WALK_CUT_DUMP;
	/* The kernel copies from sp on: nothing of the leaf's red zone, where OpenSSL keeps
	 * the old sp. */
	if (k->machine->elf == EM_X86_64 && k->exact && k->sp == k->base &&
	    address < k->base && k->base - address <= RED_ZONE)
		return WALK_CUT_DUMP;
	if (address < k->base || address - k->base > STACK_MOST)
		return WALK_BAD_ADDRESS;
	/* A copy that is not full ends where the stack does. */
	if (!k->sample->user_stack_cut && k->size && address >= end &&
	    address - end < WORDS_BEHIND * (uint64_t)k->machine->word)
		return WALK_ROOT;
	return WALK_CUT_DUMP;
}

struct addr_entry *walk_addr(struct stack_walker *w, struct walk *k)
{
	/* How many bits addresses have: aarch64 signs return addresses in those above, and
	 * a program may keep what it likes in the highest 8. */
	static const uint8_t widths[] = { 48, 52, 47, 42, ADDRESS_BITS_LEAST };
	struct addr_entry *seen = addr_find(w, &k->keys[!k->exact], k->pc);

	if (!seen || k->exact || !k->machine->link ||
	    w->rules.v[seen->rule].cfa_kind != RULE_UNMAPPED)
		return seen;
	for (size_t i = 0; i < sizeof(widths); i++) {
		uint64_t pc = k->pc & ((1ull << widths[i]) - 1);

		seen = addr_find(w, &k->keys[1], pc);
		if (!seen)
			return NULL;
		if (w->rules.v[seen->rule].cfa_kind != RULE_UNMAPPED) {
			k->pc = pc;
			return seen;
		}
	}
	k->pc &= (1ull << 52) - 1;
	return addr_find(w, &k->keys[1], k->pc);
}

/* The register that a row counts from. */
static bool find_base(const struct walk *k, const struct unwind_rule *r, uint64_t *ret)
{
	bool sp = r->cfa_kind == UNWIND_SP || r->cfa_kind == UNWIND_SP_DEREF ||
		  r->cfa_kind == UNWIND_PLT;

	*ret = sp ? k->sp : k->fp;
	return sp ? k->sp_known : k->fp_known;
}

/* Words of it are aligned, not where nothing can be mapped, and not right below the leaf, which is of this
 * stack and unused. */
bool may_be_stack(const struct walk *k, uint64_t address)
{
	const uint64_t lowest = 1 << 16, highest = (uint64_t)1 << 56, page = 4096;

	return address % k->machine->word == 0 && address >= lowest &&
	       address < highest && (address >= k->base || k->base - address >= page);
}

/*
 * Where a row counts from is right: however large a frame is, it is of this stack if it begins here;
 * and what lies below the leaf, or farther up than any stack reaches, is of another one.
 */
static enum walk_end why_no_word(const struct walk *k, const struct unwind_rule *r,
				 uint64_t at)
{
	enum walk_end end = why_unreadable(k, at);
	bool large = r->cfa_kind == UNWIND_SP && at >= k->sp && k->sp >= k->base &&
		     k->sp - k->base <= STACK_MOST;

	if (end == WALK_CUT_DUMP)
		return is_split(k, r) ? WALK_OTHER_STACK : end;
	if (end != WALK_BAD_ADDRESS)
		return end;
	if (large)
		return WALK_CUT_DUMP;
	return may_be_stack(k, at) ? WALK_OTHER_STACK : end;
}

bool walk_shrinks(struct walk *k, bool signal, uint64_t cfa)
{
	enum { SIGNAL_FRAME_MOST = 1 << 17 };
	bool outside = signal && cfa - k->base > k->size;

	if (cfa <= k->sp && (cfa != k->sp || !k->exact)) {
		if (!signal || k->jumped)
			return false;
		k->jumped = true;
	}
	k->jumped |= outside;
	/* The kernel's frame for a handler lies right below what was interrupted, or at the top
	 * of a stack of the handler's own. */
	k->elsewhere |= outside &&
			(k->alternate || cfa < k->sp || cfa - k->sp > SIGNAL_FRAME_MOST);
	return true;
}

static enum walk_end step_row(struct walk *k, const struct unwind_rule *r)
{
	uint64_t base, cfa, ra = k->lr, at;
	bool known = k->fp_known;

	k->alternate = false;
	find_base(k, r, &base);
	at = base + (uint64_t)(int64_t)r->cfa;
	if (r->cfa_kind == UNWIND_PLT && (k->pc & 15) >= (uint64_t)r->more)
		at += k->machine->word;
	cfa = k->machine->word == 4 ? (uint32_t)at : at;
	if (r->cfa_kind == UNWIND_SP_DEREF || r->cfa_kind == UNWIND_FP_DEREF) {
		if (!dump_word(k, at, &cfa))
			return why_no_word(k, r, at);
		cfa += (uint64_t)(int64_t)r->more;
	}
	at = (r->flags & UNWIND_RA_AT_BASE ? base : cfa) + (uint64_t)(int64_t)r->ra;
	if (!(r->flags & UNWIND_RA_SAME) && !dump_word(k, at, &ra))
		return why_no_word(k, r, at);
	if (!walk_shrinks(k, r->flags & UNWIND_SIGNAL, cfa))
		return WALK_REPEATED;
	if (r->flags & UNWIND_FP_SAVED) {
		at = r->flags & UNWIND_FP_AT_BASE ? base : cfa;
		at += (uint64_t)(int64_t)r->fp;
		k->fp_known = dump_word(k, at, &k->fp);
		/* Compilers for x86 do not say that an epilogue has popped a register: by their
		 * rows it lies where it was saved, which is below sp by then, and not copied. */
		if (!k->fp_known)
			k->fp_popped = known && k->exact && at < k->sp &&
				       k->sp - at <= POPPED_MOST;
	}
	k->sp = cfa;
	k->pc = ra;
	k->sp_known = true;
	k->exact = r->flags & UNWIND_SIGNAL;
	k->lr_known = k->chained = false;
	return is_no_address(k, ra) ? WALK_NO_RETURN : WALK_ON;
}

enum walk_end walk_step(struct stack_walker *w, struct walk *k,
			const struct unwind_rule *rule)
{
	uint64_t base;

	switch (rule->cfa_kind) {
	case UNWIND_END:
		return WALK_ROOT;
	case UNWIND_OTHER:
		return WALK_OTHER;
	case UNWIND_NONE:
	case RULE_UNMAPPED:
	case RULE_NO_OBJECT:
		return fallback_step(w, k, rule);
	case RULE_SIGNAL:
		return signal_find_frame(k, rule->cfa) ? signal_step(k, rule->cfa)
						       : fallback_step(w, k, rule);
	case RULE_SWITCH:
		return switch_step(k, rule->cfa);
	}
	/* Has the walk got what the row is about? */
	if (!find_base(k, rule, &base) || (rule->flags & UNWIND_RA_SAME && !k->lr_known))
		return fallback_step(w, k, rule);
	return step_row(k, rule);
}

int walk_put_in(struct stack_walker *w, const struct walk *k, uint64_t next,
		const struct unwind_rule *rule, size_t most)
{
	struct missing missing;
	size_t first = w->stack.count;

	if (infer_walked(w, &k->keys[1], next, rule, &missing) < 0 ||
	    (missing.frame && push_missing(w, &missing, most) < 0))
		return -ENOMEM;
	for (size_t i = first; w->options.join && i < w->stack.count; i++)
		w->pcs.v[i] = 0;
	return 0;
}

enum walk_end walk_infer(struct stack_walker *w, struct walk *k,
			 const struct unwind_rule *rule)
{
	size_t first = w->stack.count;

	if (!k->chained || !w->options.infer || first >= k->most)
		return WALK_ON;
	if (walk_put_in(w, k, k->pc, rule, k->most) < 0)
		return WALK_NO_MEMORY;
	k->inferred += w->stack.count - first;
	return WALK_ON;
}

static enum walk_end walk_plain(struct stack_walker *w, struct walk *k)
{
	enum walk_end end;

	do {
		struct addr_entry *seen;
		struct unwind_rule rule;

		if (w->stack.count >= k->most)
			return k->asked ? WALK_MAX_STACK : WALK_TOO_DEEP;
		seen = walk_addr(w, k);
		if (!seen)
			return WALK_NO_MEMORY;
		_Static_assert(ADDR_CACHE_SIZE <= UINT16_MAX + 1, "recent holds indices");
		if (w->recent_count < RECENT)
			w->recent[w->recent_count++] = (uint16_t)(seen - w->addr_cache);
		rule = w->rules.v[seen->rule];
		walk_note_pc(w, k, &rule);
		w->stack.v[w->stack.count++] = seen->frame - 1;
		end = walk_step(w, k, &rule);
		if (end == WALK_ON && k->chained)
			end = walk_infer(w, k, &rule);
	} while (end == WALK_ON);
	return end;
}

/*
 * A row that is made of other registers needs them from the leaf on. The plain walk goes
 * on behind it; where that happens again the rest is made with all of them.
 */
static enum walk_end walk_on(struct stack_walker *w, struct walk *k)
{
	size_t first = w->stack.count;
	enum walk_end end;

	for (uint32_t i = 0; i < w->recent_count; i++)
		__builtin_prefetch(&w->addr_cache[w->recent[i]]);
	w->recent_count = 0;
	end = walk_plain(w, k);
	for (int round = 0; end == WALK_OTHER && round < 2; round++) {
		size_t steps = w->stack.count - first - k->inferred;

		w->stack.count = first;
		k->inferred = 0;
		w->has_inferred = w->has_skipped = false;
		w->counts.replays++;
		end = walk_replay(w, k, round == 0 ? (uint32_t)steps : REPLAY_ALL);
		if (end == WALK_ON)
			end = walk_plain(w, k);
	}
	return end;
}

/*
 * A walk that can go no further is at the root where stacks begin, as in musl, of which
 * no call frame information says so, and at a label: whoever makes a stack by hand lets
 * its first function return to one, which is behind no call, but a jump that no code goes
 * on behind. Where there is no return address that is so of all but a function that is
 * known to have a caller, unless there is no frame pointer either, as whoever makes a
 * stack by hand has it.
 */
static enum walk_end judge_walk_end(struct stack_walker *w, const struct walk *k,
				    size_t first, enum walk_end end)
{
	struct addr_entry *seen;
	enum root root;

	if ((end != WALK_NO_CFI && end != WALK_NO_RETURN) || w->stack.count == first)
		return end;
	root = w->options.as_perf ? ROOT_UNKNOWN
				  : root_of_frame(w, *array_last(&w->stack));
	if (end == WALK_NO_RETURN)
		return root == ROOT_NO && k->fp_known && k->fp != 0 ? end : WALK_ROOT;
	if (root == ROOT_YES)
		return WALK_ROOT;
	if (k->exact || w->options.as_perf || is_return_address(w, k, k->pc))
		return end;
	seen = addr_find(w, &k->keys[1], k->pc);
	return seen && is_stack_bottom(w, &k->keys[1], k->pc, false, seen) ? WALK_ROOT
									   : end;
}

int walk_user(struct stack_walker *w, struct walk *k, unsigned *incomplete)
{
	static const unsigned reasons[] = {
		[WALK_CUT_DUMP] = INCOMPLETE_CUT_DUMP,
		[WALK_OTHER_STACK] = INCOMPLETE_OTHER_STACK,
		[WALK_NO_RETURN] = INCOMPLETE_BAD_ADDRESS,
		[WALK_NO_CFI] = INCOMPLETE_NO_CFI,
		[WALK_BAD_ADDRESS] = INCOMPLETE_BAD_ADDRESS,
		[WALK_TOO_DEEP] = INCOMPLETE_TOO_DEEP,
		[WALK_REPEATED] = INCOMPLETE_REPEATED,
		[WALK_MAX_STACK] = INCOMPLETE_MAX_STACK,
		[WALK_OTHER] = INCOMPLETE_NO_CFI,
		[WALK_NO_MEMORY] = 0,
	};
	uint64_t began = walker_clock(w), tables = w->counts.table_nanoseconds;
	size_t first = w->stack.count, asked = w->options.max_stack;
	enum walk_end end;

	/* What was asked for counts for both halves of the stack, and in perf for
	 * each. */
	if (w->options.as_perf)
		asked += first;
	k->most = first + FRAMES_MOST;
	k->asked = w->options.max_stack && asked < k->most;
	if (k->asked)
		k->most = asked;
	if (!array_reserve(&w->stack, FRAMES_MOST) ||
	    (w->options.join && !array_reserve(&w->pcs, w->stack.count + FRAMES_MOST)))
		return -ENOMEM;
	end = judge_walk_end(w, k, first, walk_on(w, k));
	if (w->options.join && (end == WALK_CUT_DUMP || end == WALK_OTHER_STACK))
		end = join_chain(w, k, first, end);
	else if (w->options.join && (end == WALK_ROOT || end == WALK_BAD_ADDRESS))
		end = join_switched(w, k, first, end);
	w->counts.nanoseconds +=
		walker_clock(w) - began - (w->counts.table_nanoseconds - tables);
	if (end == WALK_NO_MEMORY)
		return -ENOMEM;
	*incomplete |= reasons[end];
	if (end == WALK_ROOT && w->options.join && w->stack.count > first) {
		w->walked_first = first;
		w->walked_count = w->stack.count - first;
		w->walked_root = *array_last(&w->stack);
	}
	w->counts.unwound++;
	w->counts.frames += w->stack.count - first;
	return 0;
}
