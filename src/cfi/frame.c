/*
 * The rows of a function are run from its beginning to that of the address, over all
 * registers (DWARF 5, 6.4.3): first the CIE's instructions, then its own. Then CFA,
 * return address and registers are found in this order, each from the one before it and
 * from memory that was recorded.
 *
 * A row may be wrong in an epilogue, because compilers do not say there that a register
 * was popped. What it says was saved below the stack pointer was not recorded, and the
 * register has its value again.
 */
#include "cfi/frame.h"

#include <errno.h>
#include <stdlib.h>

#include "cfi/expression.h"
#include "cfi/functions.h"

struct frame_info {
	struct cfi_functions functions;
	struct cfi_columns columns; /* all */
};

int frame_info_open(const struct object *o, const struct object *debug,
		    struct frame_info **ret)
{
	struct frame_info *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return -ENOMEM;
	err = cfi_functions_open(o, debug, &f->functions);
	if (err < 0) {
		free(f);
		return err;
	}
	if (f->functions.columns.machine)
		cfi_columns_all(f->functions.columns.machine, &f->columns);
	*ret = f;
	return 0;
}

void frame_info_close(struct frame_info *f)
{
	if (!f)
		return;
	cfi_functions_release(&f->functions);
	free(f);
}

/* A step under way: the registers of the frame, and what its row makes of them. */
struct step {
	struct expression_context context;
	const struct cfi_run *run;
	const struct registers *regs;
	uint64_t cfa;
	uint64_t mask; /* addresses of 32 bits wrap */
};

static bool read_word(const struct step *s, uint64_t address, uint64_t *ret)
{
	return s->context.read(s->context.read_arg, address & s->mask,
			       s->context.machine->word, ret);
}

static bool read_register(const struct step *s, uint64_t reg, uint64_t *ret)
{
	if (reg == s->context.machine->pc) {
		*ret = s->regs->pc;
		return true;
	}
	if (reg >= REGISTERS_MOST || !(s->regs->known >> reg & 1))
		return false;
	*ret = s->regs->value[reg];
	return true;
}

static bool evaluate(const struct step *s, const struct cfi_rule *rule, uint64_t *ret)
{
	return expression_run(&s->context, rule->expression, rule->size, ret);
}

/* The caller's value of register @reg. */
static bool restore_register(const struct step *s, uint64_t reg,
			     const struct cfi_rule *rule, uint64_t *ret)
{
	uint64_t value, sp;

	switch (rule->how) {
	case CFI_SAME:
		return read_register(s, reg, ret);
	case CFI_SAVED:
		value = s->cfa + (uint64_t)rule->number;
		if (read_word(s, value, ret))
			return true;
		/* Compilers do not say that an epilogue has popped a register: where it was
		 * saved, nothing was recorded, because that is below the stack pointer now. */
		value &= s->mask;
		return reg != s->run->cie->ra &&
		       read_register(s, s->context.machine->sp, &sp) && value < sp &&
		       sp - value <= POPPED_MOST && read_register(s, reg, ret);
	case CFI_VALUE:
		value = s->cfa + (uint64_t)rule->number;
		break;
	case CFI_REGISTER:
		return read_register(s, rule->size, ret);
	case CFI_SAVED_EXPRESSION:
		return evaluate(s, rule, &value) && read_word(s, value, ret);
	case CFI_VALUE_EXPRESSION:
		return evaluate(s, rule, ret);
	default:
		return false;
	}
	*ret = value & s->mask;
	return true;
}

static enum frame_found step_to_caller(struct step *s, struct registers *regs)
{
	const struct machine *m = s->context.machine;
	const struct cfi_rule *cfa = &s->run->row[CFI_CFA];
	const struct cfi_rule *rules = &s->run->row[CFI_ALL_FIRST];
	struct registers caller = { .known = 0 };
	uint64_t ra = s->run->cie->ra;

	if (cfa->how == CFI_UNDEFINED || ra >= m->registers)
		return FRAME_NOTHING;
	if (rules[ra].how == CFI_UNDEFINED)
		return FRAME_END;
	/* Only where calls leave it in a register can it be there still. */
	if (rules[ra].how == CFI_SAME && (!m->link || ra != m->ra))
		return FRAME_NOTHING;
	if (cfa->how == CFI_VALUE_EXPRESSION) {
		if (!evaluate(s, &s->run->row[CFI_EXPRESSION], &s->cfa))
			return FRAME_UNREADABLE;
	} else {
		if (cfa->how != CFI_REGISTER || !read_register(s, cfa->size, &s->cfa))
			return FRAME_UNREADABLE;
		s->cfa += (uint64_t)cfa->number;
	}
	s->context.cfa = &s->cfa;
	if (!restore_register(s, ra, &rules[ra], &caller.pc))
		return FRAME_UNREADABLE;
	for (uint64_t i = 0; i < m->registers; i++)
		if (i != m->pc && restore_register(s, i, &rules[i], &caller.value[i]))
			caller.known |= (uint64_t)1 << i;
	caller.value[m->pc] = caller.pc;
	caller.known |= (uint64_t)1 << m->pc;
	*regs = caller;
	return FRAME_CALLER_FOUND;
}

/* The row of @at, with all registers: rows are run until that one, and all of them may not be more
 * work than is left. */
static bool find_row(const struct frame_info *f, uint64_t at, uint64_t *left,
		     struct cfi_run *run, struct cfi_rule *initial)
{
	const struct span *span = spans_find(&f->functions.spans, at);
	const struct cfi_source *source;
	const struct cfi_fde *fde;
	const struct cfi_cie *cie;
	const uint8_t *begin;
	bool cut, found = false;

	if (!span)
		return false;
	fde = cfi_functions_at(&f->functions, span, &source);
	cie = &source->reader.cies.v[fde->cie];
	run->columns = &f->columns;
	run->section = &source->section;
	if (left && cie->size > *left) {
		*left = 0;
		return false;
	}
	if (left)
		*left -= cie->size;
	if (!cfi_run_initial(run, cie, initial))
		return false;
	cfi_run_begin(run, cie, initial, fde);
	begin = run->c.p;
	cut = left && cursor_left(&run->c) > *left;
	if (cut)
		run->c.end = begin + *left;
	while (!found && cfi_run_next(run))
		found = at < run->to;
	if (!left)
		return found;
	/* What would follow could belong to the row. */
	if (cut && cursor_left(&run->c) == 0)
		found = false;
	*left -= (uint64_t)(run->c.p - begin);
	return found;
}

enum frame_found frame_step(const struct frame_info *f, uint64_t at,
			    const struct frame_memory *memory, struct registers *regs,
			    bool *signal)
{
	const struct machine *m = memory->machine;
	struct cfi_run run = { 0 };
	struct cfi_rule initial[CFI_ALL];
	enum frame_found found = FRAME_NOTHING;
	struct step s = { .context = { m, regs, memory->read, memory->arg, NULL,
				       memory->left },
			  .run = &run,
			  .regs = regs,
			  .mask = m->word == 8 ? UINT64_MAX : UINT32_MAX };

	if (f->columns.machine == m && find_row(f, at, memory->left, &run, initial)) {
		*signal = run.cie->signal;
		found = step_to_caller(&s, regs);
	}
	cfi_run_release(&run);
	return found;
}
