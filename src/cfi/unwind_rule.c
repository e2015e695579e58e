/*
 * A row of call frame information is compared with the few forms that compilers and
 * linkers write. A row that is any of them becomes a rule; one that says more, or has a
 * number that does not fit, becomes UNWIND_OTHER, which costs a sample time but never
 * truth.
 *
 *	packed.cfa     kind | flags | more  |      cfa        bits 0, 8, 16, 32
 *	packed.saved   ra           |      fp                 bits 0, 32
 *
 * Nearly all rows are of one form (register + offset, all saved below that), so this is
 * tried first, on the row's numbers alone.
 */
#include "cfi/unwind_rule.h"

#include <dwarf.h>

#include "base/encoded.h"
#include "cfi/entry.h"

static const struct unwind_rule other = { .cfa_kind = UNWIND_OTHER };

/* register + offset, or *(register + offset) + more. */
struct address {
	uint32_t reg;
	int64_t offset, more;
	bool deref;
};

static bool read_base(struct cursor *c, struct address *ret)
{
	uint8_t op = cursor_u8(c);

	if (op < DW_OP_breg0 || op > DW_OP_breg31)
		return false;
	ret->reg = op - DW_OP_breg0;
	ret->offset = read_sleb(c);
	return !c->bad;
}

/*
 * breg N; deref; plus_uconst K, the last one or two of which may be missing. gcc writes
 * the second form in functions that align their stack, hand-written AES and SHA the
 * third.
 */
static bool read_address(const struct cfi_rule *rule, struct address *ret)
{
	struct cursor c = cursor_of(rule->expression, rule->size);

	*ret = (struct address){ 0 };
	if (!read_base(&c, ret))
		return false;
	if (cursor_left(&c) > 0) {
		ret->deref = true;
		if (cursor_u8(&c) != DW_OP_deref)
			return false;
	}
	if (cursor_left(&c) > 0) {
		if (cursor_u8(&c) != DW_OP_plus_uconst)
			return false;
		ret->more = (int64_t)read_uleb(&c);
	}
	return !c.bad && cursor_left(&c) == 0;
}

/*
 * What linkers write for the PLT, whose entries have 16 bytes and push a word at one
 * place in each:
 *
 *	breg(sp) N; breg(pc) 0; lit15; and; lit(place); ge; lit(log2 word); shl; plus
 */
static bool read_plt(const struct cfi_run *run, struct unwind_rule *ret)
{
	const struct machine *m = run->columns->machine;
	const uint8_t ops[] = { DW_OP_breg0 + m->pc,
				0,
				DW_OP_lit15,
				DW_OP_and,
				0,
				DW_OP_ge,
				(uint8_t)(m->word == 8 ? DW_OP_lit3 : DW_OP_lit2),
				DW_OP_shl,
				DW_OP_plus };
	const struct cfi_rule *expression = &run->row[CFI_EXPRESSION];
	enum { PLACE = 4 };
	struct cursor c = cursor_of(expression->expression, expression->size);
	struct address base;
	const uint8_t *p;

	if (!read_base(&c, &base) || base.reg != m->sp || cursor_left(&c) != sizeof(ops))
		return false;
	p = c.p;
	if (memcmp(p, ops, PLACE) != 0 || p[PLACE] < DW_OP_lit0 ||
	    p[PLACE] > DW_OP_lit15 ||
	    memcmp(p + PLACE + 1, ops + PLACE + 1, sizeof(ops) - PLACE - 1) != 0)
		return false;
	ret->cfa_kind = UNWIND_PLT;
	ret->cfa = (int32_t)base.offset;
	ret->more = (int16_t)(p[PLACE] - DW_OP_lit0);
	return ret->cfa == base.offset;
}

static bool set_cfa(const struct cfi_run *run, struct unwind_rule *ret)
{
	const struct cfi_rule *cfa = &run->row[CFI_CFA];
	struct address at = { .reg = cfa->size };

	if (cfa->how == CFI_REGISTER)
		at.offset = cfa->number;
	else if (cfa->how != CFI_VALUE_EXPRESSION)
		return false;
	else if (!read_address(&run->row[CFI_EXPRESSION], &at))
		return read_plt(run, ret);
	if (at.reg == run->columns->machine->sp)
		ret->cfa_kind = at.deref ? UNWIND_SP_DEREF : UNWIND_SP;
	else if (at.reg == run->columns->machine->fp)
		ret->cfa_kind = at.deref ? UNWIND_FP_DEREF : UNWIND_FP;
	else
		return false;
	ret->cfa = (int32_t)at.offset;
	ret->more = (int16_t)at.more;
	return ret->cfa == at.offset && ret->more == at.more;
}

/* Where a value was saved; @at_base goes to the flags where it counts from there. */
static bool set_rule_saved(const struct cfi_run *run, const struct cfi_rule *saved,
			   uint8_t at_base, struct unwind_rule *ret, int32_t *number)
{
	const struct machine *m = run->columns->machine;
	bool by_fp = ret->cfa_kind == UNWIND_FP || ret->cfa_kind == UNWIND_FP_DEREF;
	struct address at;

	if (saved->how == CFI_SAVED) {
		*number = (int32_t)saved->number;
		return *number == saved->number;
	}
	if (saved->how != CFI_SAVED_EXPRESSION || !read_address(saved, &at) || at.deref ||
	    at.reg != (by_fp ? m->fp : m->sp))
		return false;
	ret->flags |= at_base;
	*number = (int32_t)at.offset;
	return *number == at.offset;
}

/* The caller's stack pointer has to be the CFA. Signal frames say so in other words:
 * they have saved it where the CFA is read from. */
static bool sp_is_cfa(const struct cfi_run *run, const struct unwind_rule *rule)
{
	const struct cfi_rule *sp = &run->row[CFI_SP];
	struct address at;

	if (sp->how == CFI_VALUE)
		return sp->number == 0;
	return sp->how == CFI_SAVED_EXPRESSION && read_address(sp, &at) && !at.deref &&
	       rule->cfa_kind == UNWIND_SP_DEREF && at.reg == run->columns->machine->sp &&
	       at.offset == rule->cfa && rule->more == 0;
}

static void set_rule(const struct cfi_run *run, struct unwind_rule *ret)
{
	const struct cfi_rule *ra = &run->row[CFI_RA], *fp = &run->row[CFI_FP];
	bool ra_same = ra->how == CFI_SAME && run->columns->machine->link;
	bool fp_saved = fp->how != CFI_SAME;

	*ret = (struct unwind_rule){ .flags = run->cie->signal ? UNWIND_SIGNAL : 0 };
	if (run->row[CFI_CFA].how == CFI_UNDEFINED) {
		*ret = unwind_none;
		return;
	}
	if (run->cie->ra != run->columns->machine->ra) {
		*ret = other;
		return;
	}
	if (ra->how == CFI_UNDEFINED) {
		*ret = (struct unwind_rule){ .cfa_kind = UNWIND_END };
		return;
	}
	if (run->row[CFI_SIGNED].how)
		ret->flags |= UNWIND_SIGNED;
	if (ra_same)
		ret->flags |= UNWIND_RA_SAME;
	if (fp_saved)
		ret->flags |= UNWIND_FP_SAVED;
	if (!set_cfa(run, ret) ||
	    (!ra_same && !set_rule_saved(run, ra, UNWIND_RA_AT_BASE, ret, &ret->ra)) ||
	    (fp_saved && !set_rule_saved(run, fp, UNWIND_FP_AT_BASE, ret, &ret->fp)) ||
	    !sp_is_cfa(run, ret))
		*ret = other;
}

static inline struct packed_rule pack_rule(struct unwind_rule rule)
{
	return (struct packed_rule){ rule.cfa_kind | (uint64_t)rule.flags << 8 |
					     (uint64_t)(uint16_t)rule.more << 16 |
					     (uint64_t)(uint32_t)rule.cfa << 32,
				     (uint32_t)rule.ra | (uint64_t)(uint32_t)rule.fp
								 << 32 };
}

struct packed_rule rule_pack(const struct unwind_rule *rule)
{
	return pack_rule(*rule);
}

struct unwind_rule rule_unpack(struct packed_rule p)
{
	return (struct unwind_rule){ .cfa_kind = (uint8_t)p.cfa,
				     .flags = (uint8_t)(p.cfa >> 8),
				     .more = (int16_t)(p.cfa >> 16),
				     .cfa = (int32_t)(p.cfa >> 32),
				     .ra = (int32_t)p.saved,
				     .fp = (int32_t)(p.saved >> 32) };
}

/* Nearly all rows: CFA is register + offset, and what is saved is saved below it. */
static bool is_plain_row(const struct cfi_run *run)
{
	const struct cfi_rule *row = run->row;

	return row[CFI_CFA].how == CFI_REGISTER && row[CFI_RA].how == CFI_SAVED &&
	       (row[CFI_FP].how == CFI_SAME || row[CFI_FP].how == CFI_SAVED) &&
	       row[CFI_SP].how == CFI_VALUE && row[CFI_SP].number == 0 &&
	       row[CFI_SIGNED].how == CFI_UNDEFINED && !run->cie->signal &&
	       run->cie->ra == run->columns->machine->ra;
}

struct packed_rule rule_of_row(const struct cfi_run *run)
{
	const struct cfi_rule *row = run->row;
	int64_t cfa = row[CFI_CFA].number, ra = row[CFI_RA].number;
	bool saved = row[CFI_FP].how == CFI_SAVED;
	int64_t fp = saved ? row[CFI_FP].number : 0;
	uint32_t reg = row[CFI_CFA].size;
	bool by_sp = reg == run->columns->machine->sp;
	struct unwind_rule rule;

	/* The same as what is set below, without a look at memory that was just written. */
	if (is_plain_row(run) && (by_sp || reg == run->columns->machine->fp) &&
	    cfa == (int32_t)cfa && ra == (int32_t)ra && fp == (int32_t)fp)
		return pack_rule((struct unwind_rule){
			.cfa_kind = by_sp ? UNWIND_SP : UNWIND_FP,
			.flags = saved ? UNWIND_FP_SAVED : 0,
			.cfa = (int32_t)cfa,
			.ra = (int32_t)ra,
			.fp = (int32_t)fp,
		});
	set_rule(run, &rule);
	return rule_pack(&rule);
}

void unwind_rows_visit(struct cfi_run *run, unwind_visit *visit, void *arg)
{
	while (cfi_run_next(run)) {
		struct unwind_rule rule = rule_unpack(rule_of_row(run));

		visit(arg, run->from, run->to, &rule);
	}
}
