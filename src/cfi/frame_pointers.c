/*
 * Whether code keeps frame pointers, by its call frame information.
 *
 * A function votes by its rows, in bytes: those where the frame pointer leads to the caller's
 * frame against those where there is a frame that only the stack pointer leads to. The two
 * or three bytes between "push %rbp" and "mov %rsp,%rbp" are among the latter, so the larger
 * part decides, and the function's vote weighs as many bytes as it has with a frame.
 *
 *	x86-64, i386  CFA = rbp + n	  (DWARF numbers and names: psABI 3.6.2)
 *	aarch64       the same, or the frame record: x29 and x30 saved side by side, which is all
 *	              that gcc says (AAPCS64 6.4.6)
 *
 * Go writes no .eh_frame, and its .debug_frame counts from the stack pointer though all but its
 * smallest functions keep a frame pointer (since 1.7 on amd64, 1.12 on arm64). What of its code is in
 * no function of .eh_frame, where cgo's are, counts as kept.
 */
#include "cfi/frame_pointers.h"

#include <errno.h>

#include "cfi/functions.h"
#include "cfi/unwind_rule.h"

enum {
	FUNCTIONS_MOST = 2048,
	FUNCTIONS_FEW = 128,
	RARE = 7, /* one part of kept frame pointers in so many, or less */
	DECIDED_BY = 10, /* one part in so many may be otherwise */
};

/* The rows of one function. */
struct frame_vote {
	const struct machine *machine;
	uint64_t by_fp, by_sp; /* bytes */
};

bool is_frame_record(const struct machine *m, const struct unwind_rule *rule)
{
	return m->link && rule->flags & UNWIND_FP_SAVED &&
	       !(rule->flags & UNWIND_RA_SAME) && rule->ra == rule->fp + m->word;
}

static void vote(void *arg, uint64_t from, uint64_t to, const struct unwind_rule *rule)
{
	struct frame_vote *v = arg;
	/* More than what a call leaves there. */
	bool sets_up_frame = v->machine->link ? !(rule->flags & UNWIND_RA_SAME)
					      : rule->cfa > v->machine->word;

	if (rule->flags & UNWIND_SIGNAL)
		return;
	if (rule->cfa_kind == UNWIND_FP || rule->cfa_kind == UNWIND_FP_DEREF ||
	    is_frame_record(v->machine, rule))
		v->by_fp += to - from;
	else if (rule->cfa_kind == UNWIND_SP && sets_up_frame)
		v->by_sp += to - from;
}

static void count_vote(struct frame_pointers *f, const struct frame_vote *v)
{
	uint64_t size = v->by_fp + v->by_sp;

	if (v->by_fp >= v->by_sp)
		f->kept += size;
	else
		f->omitted += size;
}

static bool read_object_bytes(void *arg, uint64_t offset, void *ret, size_t size)
{
	return object_read(arg, offset, ret, size);
}

/* Number @i of @most functions that are spread evenly over @count. */
static size_t spread_index(size_t i, size_t most, size_t count)
{
	return count <= most ? i : (size_t)((uint64_t)i * count / most);
}

static size_t less(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* By the list that linkers leave: @most functions of it. */
static int ask_list(const struct object *o, struct unwind_single *s, size_t most,
		    struct frame_pointers *ret)
{
	const struct unwind_file file = { read_object_bytes, (void *)o };
	size_t count = less(s->count, most);
	int found = 0;

	for (size_t i = 0; i < count && found >= 0; i++) {
		struct frame_vote v = { .machine = s->columns.machine };
		uint32_t at = (uint32_t)spread_index(i, most, s->count);

		found = unwind_single_rows(s, at, &file, vote, &v);
		count_vote(ret, &v);
	}
	return found < 0 ? found : 0;
}

/* By all of its call frame information. */
static int ask_spread_functions(const struct object *o, const struct object *debug,
				struct frame_pointers *ret)
{
	struct cfi_functions f;
	struct cfi_run run = { .columns = &f.columns };
	int err = cfi_functions_open(o, debug, &f);
	size_t count;

	if (err < 0)
		return err;
	count = less(f.spans.list.count, FUNCTIONS_MOST);
	for (size_t i = 0; i < count && err == 0; i++) {
		struct frame_vote v = { .machine = f.columns.machine };
		size_t at = spread_index(i, FUNCTIONS_MOST, f.spans.list.count);
		const struct cfi_source *source;
		const struct cfi_fde *fde =
			cfi_functions_at(&f, &f.spans.list.v[at], &source);
		const struct cfi_cie *cie = &source->reader.cies.v[fde->cie];

		run.section = &source->section;
		cfi_run_begin(&run, cie, cie->initial, fde);
		unwind_rows_visit(&run, vote, &v);
		err = run.no_memory ? -ENOMEM : 0;
		count_vote(ret, &v);
	}
	cfi_run_release(&run);
	cfi_functions_release(&f);
	return err;
}

int frame_pointers_find(const struct object *o, const struct object *debug,
			struct frame_pointers *ret)
{
	struct frame_pointers f = { 0 };
	struct unwind_single s;
	bool go = object_is_go(o);
	uint64_t code = 0, covered;
	int err = unwind_single_open(o, debug, &s);

	if (err == 0 && s.count)
		err = ask_list(o, &s, FUNCTIONS_MOST, &f);
	else if (err == 0 && !go)
		err = ask_spread_functions(o, debug, &f);
	unwind_single_release(&s);
	if (err < 0)
		return err;
	/* Go's own code: what .eh_frame does not know. */
	for (size_t i = 0; i < o->segments.count; i++)
		if (o->segments.v[i].exec)
			code += o->segments.v[i].size;
	covered = f.kept + f.omitted;
	if (go && cfi_machine(o) && cfi_machine(o)->word == 8 && code > covered)
		f.kept += code - covered;
	*ret = f;
	return 0;
}

int frame_pointers_rare(const struct object *o, struct unwind_single *s, bool *ret)
{
	struct frame_pointers f = { 0 };
	int err;

	*ret = false;
	if (object_is_go(o) || !object_needs_others(o))
		return 0;
	err = ask_list(o, s, FUNCTIONS_FEW, &f);
	*ret = f.kept < f.omitted / RARE;
	return err;
}

enum frame_pointer_use frame_pointers_use(const struct frame_pointers *f)
{
	uint64_t all = f->kept + f->omitted;

	if (all == 0)
		return FRAME_POINTERS_UNKNOWN;
	if (f->omitted <= all / DECIDED_BY)
		return FRAME_POINTERS_KEPT;
	return f->kept > f->omitted ? FRAME_POINTERS_MIXED : FRAME_POINTERS_OMITTED;
}
