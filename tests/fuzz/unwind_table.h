#ifndef FUZZ_UNWIND_TABLE_H
#define FUZZ_UNWIND_TABLE_H

/*
 * The unwind table of an object: every row asked for, and the step by a rule compared with the
 * one with all registers.
 */
#include <stdint.h>
#include <stdlib.h>

#include "cfi/frame.h"
#include "cfi/unwind.h"
#include "cfi/unwind_single.h"
#include "spread.h"

enum { MOST_STEPS = 512 };

/* Memory holds numbers made of the address, but one word of 16. */
static bool read_memory(void *arg, uint64_t address, unsigned size, uint64_t *ret)
{
	(void)arg;
	if ((address >> 3) % 16 == 0)
		return false;
	*ret = spread(address);
	if (size < 8)
		*ret &= ((uint64_t)1 << (8 * size)) - 1;
	return true;
}

static void check(bool fine)
{
	if (!fine)
		abort();
}

static void set_registers(const struct machine *m, uint64_t pc, struct registers *ret)
{
	*ret = (struct registers){ .pc = pc };
	for (uint64_t i = 0; i < m->registers; i++) {
		ret->value[i] = spread(pc + i) & (m->word == 8 ? UINT64_MAX : UINT32_MAX);
		ret->known |= (uint64_t)1 << i;
	}
	ret->value[m->pc] = pc;
}

struct caller {
	uint64_t cfa, ra, fp;
	bool fp_known;
};

static bool read_word(const struct machine *m, uint64_t address, uint64_t *ret)
{
	return read_memory(NULL, m->word == 8 ? address : (uint32_t)address, m->word,
			   ret);
}

/* Where an epilogue has popped it the register still has the caller's value. */
static bool is_popped(const struct machine *m, const struct registers *regs, uint64_t at)
{
	uint64_t sp = regs->value[m->sp];

	if (m->word == 4)
		at = (uint32_t)at;
	return at < sp && sp - at <= POPPED_MOST;
}

/* The walker's step; false where memory is missing. */
static bool step_by_rule(const struct machine *m, const struct unwind_rule *rule,
			 const struct registers *regs, struct caller *ret)
{
	bool by_fp = rule->cfa_kind == UNWIND_FP || rule->cfa_kind == UNWIND_FP_DEREF;
	uint64_t base = regs->value[by_fp ? m->fp : m->sp], from;

	ret->cfa = base + (uint64_t)(int64_t)rule->cfa;
	if (rule->cfa_kind == UNWIND_PLT && (regs->pc & 15) >= (uint64_t)rule->more)
		ret->cfa += m->word;
	if (rule->cfa_kind == UNWIND_SP_DEREF || rule->cfa_kind == UNWIND_FP_DEREF) {
		if (!read_word(m, ret->cfa, &ret->cfa))
			return false;
		ret->cfa += (uint64_t)(int64_t)rule->more;
	}
	from = rule->flags & UNWIND_RA_AT_BASE ? base : ret->cfa;
	ret->ra = regs->value[m->ra];
	if (!(rule->flags & UNWIND_RA_SAME) &&
	    !read_word(m, from + (uint64_t)(int64_t)rule->ra, &ret->ra))
		return false;
	from = rule->flags & UNWIND_FP_AT_BASE ? base : ret->cfa;
	ret->fp = regs->value[m->fp];
	ret->fp_known = true;
	if (rule->flags & UNWIND_FP_SAVED) {
		from += (uint64_t)(int64_t)rule->fp;
		ret->fp_known = read_word(m, from, &ret->fp) || is_popped(m, regs, from);
	}
	if (m->word == 4)
		ret->cfa = (uint32_t)ret->cfa;
	return true;
}

static void check_step(const struct unwind_table *t, const struct frame_info *f,
		       uint64_t at)
{
	const struct unwind_rule *rule = unwind_find(t, at);
	const struct machine *m = t->machine;
	struct registers regs, caller;
	struct caller expected;
	bool signal = false;
	enum frame_found found;

	set_registers(m, at, &regs);
	caller = regs;
	found = frame_step(f, at, &(struct frame_memory){ m, .read = read_memory },
			   &caller, &signal);
	/* A piece of a function that cost too much is left out of the table. */
	if (rule->cfa_kind == UNWIND_NONE || rule->cfa_kind == UNWIND_OTHER)
		return;
	check(found != FRAME_NOTHING);
	check((rule->cfa_kind == UNWIND_END) == (found == FRAME_END));
	if (rule->cfa_kind == UNWIND_END)
		return;
	if (!step_by_rule(m, rule, &regs, &expected)) {
		check(found == FRAME_UNREADABLE);
		return;
	}
	check(found == FRAME_CALLER_FOUND);
	check(caller.known >> m->sp & 1 && caller.value[m->sp] == expected.cfa);
	check(caller.pc == expected.ra);
	check(signal == !!(rule->flags & UNWIND_SIGNAL));
	check((caller.known >> m->fp & 1) == expected.fp_known);
	check(!expected.fp_known || caller.value[m->fp] == expected.fp);
}

static void check_table(const struct unwind_table *t, const struct frame_info *f)
{
	uint32_t every = t->row_count / MOST_STEPS + 1;
	uint64_t start;

	check(t->base % (1 << UNWIND_PAGE_BITS) == 0 && t->pages[0] == 0);
	check(t->pages[t->page_count] == t->row_count);
	for (uint32_t p = 0; p < t->page_count; p++) {
		uint64_t page = t->base + ((uint64_t)p << UNWIND_PAGE_BITS);

		check(t->pages[p] <= t->pages[p + 1]);
		for (uint32_t r = t->pages[p]; r < t->pages[p + 1]; r++) {
			uint64_t at = page - (page & UINT16_MAX) + t->low[r];

			check(at >= page && at - page < 1 << UNWIND_PAGE_BITS);
			check(r == t->pages[p] || t->low[r - 1] < t->low[r]);
			check(t->rule[r] < t->rules.count);
			check(unwind_find(t, at) == &t->rules.v[t->rule[r]]);
			check(!unwind_function(t, at, &start) || start <= at);
			if (r % every == 0)
				check_step(t, f, at);
		}
	}
	check(unwind_find(t, t->end)->cfa_kind == UNWIND_NONE);
	check(unwind_find(t, t->base - 1)->cfa_kind == UNWIND_NONE);
}

static bool read_object(void *arg, uint64_t offset, void *ret, size_t size)
{
	return object_read(arg, offset, ret, size);
}

/* What the header of .eh_frame leads to may differ from the table where entries lie within
 * others; but it is a rule. */
static void check_single(const struct object *o, const struct object *debug,
			 const struct unwind_table *t)
{
	uint64_t step = (t->end - t->base) / MOST_STEPS + 1, start;
	const struct unwind_file file = { read_object, (void *)o };
	struct unwind_single s;
	struct unwind_rule rule;
	int found;

	if (unwind_single_open(o, debug, &s) < 0)
		return;
	for (uint64_t at = t->base; s.count && at < t->end; at += step) {
		found = unwind_single_find(&s, at, &file, &rule);
		check(found < 1 || rule.cfa_kind <= UNWIND_OTHER);
		if (unwind_single_function(&s, at, &file, &start) == 1)
			check(start <= at);
	}
	unwind_single_release(&s);
}

static void check_unwinding(const struct object *o, const struct object *debug)
{
	struct unwind_table t;
	struct frame_info *f;

	if (unwind_compile(o, debug, &t) < 0)
		return;
	if (t.row_count > 0 && frame_info_open(o, debug, &f) == 0) {
		check_table(&t, f);
		frame_info_close(f);
		check_single(o, debug, &t);
	}
	unwind_release(&t);
}

#endif
