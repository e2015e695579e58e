/*
 * Whether a function keeps the frame that it has made until it returns, so that a return address found in that frame
 * says that the function is on the stack; and whether one function can have called another.
 *
 *	rows       |  CFA = sp + 8   |  CFA counted from the frame pointer      |  CFA = sp + 8  |
 *	code        push; mov          ... call ... jne cold ... call ...          pop; ret or jmp
 *	looked for  jumps that leave   jumps to its parts elsewhere, and these     jumps that leave
 *	                               are looked through in the same way
 *
 * Compilers write the same few instructions, so nothing is decoded (elf/machine_code.h): what is looked for is looked
 * for wherever an instruction may begin, and what looks like one by chance makes the answer that nothing is known.
 *
 * Where a call leaves the return address in a register, a function has its frame from when it has saved that one until
 * it has loaded it again. Rows may not say so of the end of a function: those of clang go on as if it had its frame
 * still.
 */
#include "stack/function.h"

#include "cfi/cfi.h"
#include "elf/elf.h"

enum {
	/* Pieces of a function without a frame that are looked through. */
	FRAMELESS_MOST = 16,
	FRAMELESS_BYTES = 512, /* of each */
	BRANCH_MOST = 6, /* bytes of the longest branch that is known */
	/* Bytes of a function that are looked through for its other parts. */
	CODE_MOST = 1 << 16,
	CODE_WINDOW = 1 << 12,
	CALLED_MOST = 64, /* calls of a function that are followed */
};

struct code_extent {
	uint64_t start, end;
};

/* What the rows of a function say. */
struct function_rows {
	const struct machine *machine;
	struct code_extent code;
	bool framed; /* somewhere its CFA is counted from the frame pointer */
	bool recorded; /* somewhere it has saved the link, and the frame pointer beside it */
	bool saves; /* somewhere it has saved the frame pointer */
	bool too_many;
	size_t count;
	struct code_extent
		frameless[FRAMELESS_MOST]; /* as it was called, or about to return */
};

bool is_as_called(const struct unwind_rule *rule, const struct machine *m)
{
	if (rule->cfa_kind != UNWIND_SP || rule->flags & UNWIND_SIGNAL)
		return false;
	return m->link ? rule->flags & UNWIND_RA_SAME : rule->cfa == (int32_t)m->word;
}

static void note_row(void *arg, uint64_t from, uint64_t to,
		     const struct unwind_rule *rule)
{
	struct function_rows *f = arg;

	if (from < f->code.start)
		f->code.start = from;
	if (to > f->code.end)
		f->code.end = to;
	f->framed |= rule->cfa_kind == UNWIND_FP;
	f->recorded |= is_frame_record(f->machine, rule);
	f->saves |= (rule->flags & UNWIND_FP_SAVED) != 0;
	if (!is_as_called(rule, f->machine))
		return;
	/* A table has rows that are alike as one, single entries may not. */
	if (f->count && f->frameless[f->count - 1].end == from)
		from = f->frameless[--f->count].start;
	if (f->count == FRAMELESS_MOST || to - from > FRAMELESS_BYTES) {
		f->too_many = true;
		return;
	}
	f->frameless[f->count++] = (struct code_extent){ from, to };
}

static int find_rows(struct stack_walker *w, const struct code_site *at,
		     struct function_rows *ret)
{
	*ret = (struct function_rows){ .code.start = UINT64_MAX,
				       .machine = at->binary->machine };
	return binary_function(&w->windows, at->binary, at->address, note_row, ret);
}

static bool is_in_range(struct code_extent r, uint64_t address)
{
	return address >= r.start && address < r.end;
}

/* Of whose jumps and calls it is asked whether they stay within it. */
struct piece_of {
	struct code_extent function,
		other; /* a part of it that lies elsewhere, or nothing */
	bool no_short_jumps; /* from function to function, as by Go's linker */
};

/* Is there something at @code, of @size bytes, that leaves the function? What looks so by chance does no
 * harm. */
static bool jumps_out(const struct piece_of *of, const struct code_branch *b)
{
	switch (b->kind) {
	case BRANCH_JUMP_ANY:
		return true;
	case BRANCH_CALL:
		/* Of what follows it, as where jumps through registers are not to be foretold. */
		return b->target != of->function.start &&
		       is_in_range(of->function, b->target);
	case BRANCH_SHORT:
		if (of->no_short_jumps)
			return false;
		break;
	case BRANCH_JUMP:
		break;
	default:
		return false;
	}
	return !is_in_range(of->function, b->target) &&
	       !is_in_range(of->other, b->target);
}

bool code_bytes(struct stack_walker *w, const struct code_site *at, void *ret,
		size_t size)
{
	return binary_constant(&w->windows, at->binary, at->offset, ret, size);
}

/* Could the function have jumped to another one, with the return address on top of the stack?
 * What cannot be read could have. @at: of its file. */
static bool may_leave(struct stack_walker *w, const struct code_site *at,
		      const struct function_rows *f, const struct piece_of *of)
{
	const struct machine_code *m = f->machine->code;
	uint8_t code[FRAMELESS_BYTES];
	struct code_site piece = *at;

	if (f->too_many)
		return true;
	for (size_t i = 0; i < f->count; i++) {
		uint64_t from = f->frameless[i].start;
		size_t size = (size_t)(f->frameless[i].end - from);

		piece.offset = at->offset + (from - at->address);
		if (!code_bytes(w, &piece, code, size))
			return true;
		for (size_t k = 0; k < size; k += m->step) {
			struct code_branch b = branch_at(m, code + k, size - k, from + k);

			if (jumps_out(of, &b))
				return true;
		}
	}
	return false;
}

bool move_site(struct code_site *at, uint64_t distance)
{
	uint64_t address;
	bool code;

	at->offset += distance;
	at->address += distance;
	return binary_address(at->binary, at->offset, &address, &code) && code &&
	       address == at->address;
}

/* Could a function that begins so have a frame? */
static bool may_make_frame(struct stack_walker *w, const struct code_site *at)
{
	const struct machine_code *m = at->binary->machine->code;
	uint8_t code[CODE_PROLOGUE];

	if (at->binary->go)
		return m->go_makes_frame && code_bytes(w, at, code, CODE_PROLOGUE) &&
		       m->go_makes_frame(code);
	return !m->may_make_frame ||
	       (code_bytes(w, at, code, CODE_EARLY) && m->may_make_frame(code));
}

/* Could the part of a function have left it that a jump leads to? 1, 0, or -ENOMEM. */
static int part_may_leave(struct stack_walker *w, const struct code_site *function,
			  struct code_extent code, uint64_t target)
{
	struct code_site part = *function;
	struct piece_of of = { .other = code };
	struct function_rows f;
	int found;

	/* No code: it only looked like a jump. */
	if (!move_site(&part, target - function->address))
		return 0;
	found = find_rows(w, &part, &f);
	if (found <= 0)
		return found < 0 ? found : 1;
	of.function = f.code;
	return may_leave(w, &part, &f, &of);
}

/* The code of a function, from one piece of it to the next. */
struct code_reader {
	struct stack_walker *w;
	struct code_site window;
	uint64_t left; /* bytes from the window on */
	uint8_t code[CODE_WINDOW + BRANCH_MOST];
	size_t size, all; /* of the window, and with what follows it */
};

/* Nobody reads the window before read_window(). What is behind the end of the function is zeros: an
 * instruction that is cut there is looked at whole. */
static void read_function(struct stack_walker *w, const struct code_site *at,
			  struct code_extent code, struct code_reader *ret)
{
	ret->w = w;
	ret->window = *at;
	ret->left = code.end - code.start;
	ret->size = 0;
}

/* 1, 0 at the end, or -EIO. */
static int read_window(struct code_reader *r)
{
	r->window.offset += r->size;
	r->window.address += r->size;
	r->left -= r->size;
	r->size = r->left < CODE_WINDOW ? (size_t)r->left : CODE_WINDOW;
	r->all = r->left < sizeof(r->code) ? (size_t)r->left : sizeof(r->code);
	if (r->size && !code_bytes(r->w, &r->window, r->code, r->all))
		return -EIO;
	memset(r->code + r->all, 0,
	       sizeof(r->code) - r->all < BRANCH_MOST ? sizeof(r->code) - r->all
						      : BRANCH_MOST);
	return r->size > 0;
}

/* A function that jumps while it has its frame goes on in a part of it that lies elsewhere, and may leave it
 * from there. 1, 0, or -ENOMEM. */
static int parts_may_leave(struct stack_walker *w, const struct code_site *at,
			   struct code_extent code)
{
	const struct machine_code *m = at->binary->machine->code;
	struct code_reader r;
	bool given_up = false;
	int found;

	read_function(w, at, code, &r);
	if (r.left > CODE_MOST)
		return 1;
	while ((found = read_window(&r)) > 0) {
		for (size_t i = 0; i < r.size; i += m->step) {
			/* Where no instruction gives the frame up, only such jumps count. */
			if (!m->gives_up_frame && m->next_jump)
				i += m->next_jump(r.code + i, r.size - i);
			if (i == r.size)
				break;

			struct code_branch b =
				branch_at(m, r.code + i, r.all - i, r.window.address + i);
			int leaves = 0;

			if (b.kind == BRANCH_JUMP && !is_in_range(code, b.target))
				leaves =
					given_up || part_may_leave(w, at, code, b.target);
			if (leaves || (given_up && b.kind == BRANCH_JUMP_ANY))
				return leaves < 0 ? leaves : 1;
			/* What follows another branch is come to from elsewhere. */
			given_up &= b.kind == BRANCH_NONE || b.conditional;
			given_up |= m->gives_up_frame && m->gives_up_frame(r.code + i);
		}
	}
	return found < 0;
}

/* Does the function set its frame pointer to the record that it has made? Rows say just where that is. 1, 0, or
 * -ENOMEM. */
static int sets_record(struct stack_walker *w, const struct code_site *at,
		       const struct function_rows *f)
{
	const struct machine_code *m = f->machine->code;
	struct code_reader r;

	read_function(w, at, f->code, &r);
	if (r.left > CODE_MOST)
		return 0;
	while (read_window(&r) > 0) {
		for (size_t i = 0; i + m->set_frame <= r.all; i += m->step) {
			struct code_site there = r.window;
			struct unwind_rule rule;
			uint32_t offset;

			if (!m->sets_frame(r.code + i, f->machine->word, &offset))
				continue;
			there.offset += i;
			there.address += i;
			if (code_rule(w, &there, &rule) < 0)
				return -ENOMEM;
			if (is_frame_record(f->machine, &rule) &&
			    rule.cfa_kind == UNWIND_SP &&
			    (uint32_t)(rule.cfa + rule.fp) == offset)
				return 1;
		}
	}
	return 0;
}

int function_keeps_frame(struct stack_walker *w, const struct code_site *at,
			 uint32_t *size)
{
	struct piece_of of = { 0 };
	struct function_rows f;
	int found;

	if (!may_make_frame(w, at))
		return 0;
	found = find_rows(w, at, &f);
	if (found <= 0)
		return found;
	/* C in a program of Go has rows that say what it does with the frame pointer. */
	of.no_short_jumps = at->binary->go && !f.framed && !f.saves;
	of.function = f.code;
	*size = (uint32_t)(f.code.end - f.code.start);
	if (f.recorded && !f.framed) {
		found = sets_record(w, at, &f);
		if (found < 0)
			return found;
		f.framed = found;
	}
	if (f.code.start != at->address || !(f.framed || of.no_short_jumps) ||
	    (at->binary->omits_frame_pointers && !of.no_short_jumps) ||
	    may_leave(w, at, &f, &of))
		return 0;
	found = parts_may_leave(w, at, f.code);
	return found < 0 ? found : !found;
}

static bool is_stub(struct stack_walker *w, const struct code_site *at)
{
	uint8_t code[CODE_FIRST];

	return !code_bytes(w, at, code, sizeof(code)) ||
	       at->binary->machine->code->is_stub(code);
}

static void note_from(void *arg, uint64_t from, uint64_t to,
		      const struct unwind_rule *rule)
{
	uint64_t *start = arg;

	(void)to;
	(void)rule;
	if (from < *start)
		*start = from;
}

int function_start(struct stack_walker *w, const struct code_site *at, uint64_t address,
		   uint64_t *ret)
{
	*ret = UINT64_MAX;
	return binary_function(&w->windows, at->binary, address, note_from, ret);
}

int function_leads_to(struct stack_walker *w, const struct code_site *function,
		      uint32_t size, const struct binary *to, uint64_t start)
{
	const struct machine_code *m = function->binary->machine->code;
	struct code_extent range = { function->address, function->address + size };
	uint8_t code[CODE_WINDOW];
	unsigned calls = 0;

	if (size > CODE_WINDOW || !code_bytes(w, function, code, size))
		return 1;
	for (size_t i = 0; i < size; i += m->step) {
		struct code_branch b =
			branch_at(m, code + i, size - i, function->address + i);
		struct code_site called = *function;
		struct piece_of of = { 0 };
		struct function_rows f;
		int found;

		if (b.kind == BRANCH_CALL_ANY)
			return 1;
		if (b.kind != BRANCH_CALL && b.kind != BRANCH_JUMP)
			continue;
		if (is_in_range(range, b.target)) {
			/* A call of what follows is none of a function. */
			if (b.kind == BRANCH_CALL && b.target != range.start)
				return 1;
			continue;
		}
		if (!move_site(&called, b.target - called.address))
			continue;
		/* A jump goes to the rest of it, which compilers put elsewhere. */
		if (b.kind == BRANCH_JUMP || calls++ == CALLED_MOST)
			return 1;
		/* Could what is called be the function that is looked for, or have jumped
		 * to it? */
		if (is_stub(w, &called) ||
		    (called.binary == to && called.address == start))
			return 1;
		found = find_rows(w, &called, &f);
		if (found <= 0)
			return found < 0 ? found : 1;
		of.function = f.code;
		if (f.code.start != called.address || may_leave(w, &called, &f, &of))
			return 1;
		/* Where its rows do not say that it has given up its frame. */
		found = m->gives_up_frame ? parts_may_leave(w, &called, f.code) : 0;
		if (found)
			return found;
	}
	return 0;
}
