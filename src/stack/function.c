/*
 * Whether a function keeps the frame that it has made until it returns, so that a return address found in that frame
 * says that the function is on the stack; and whether one function can have called another.
 *
 *	rows       |  CFA = sp + 8   |  CFA counted from the frame pointer      |  CFA = sp + 8  |
 *	code        push; mov          ... call ... jne cold ... call ...          pop; ret or jmp
 *	looked for  jumps that leave   jumps to its parts elsewhere, and these     jumps that leave
 *	                               are looked through in the same way
 *
 * Compilers write the same few instructions, so nothing is decoded: what is looked for is looked for at every byte,
 * and what looks like one by chance makes the answer that nothing is known.
 */
#include "stack/function.h"

#include "elf/elf.h"

enum {
	FRAMELESS_MOST =
		16, /* pieces of a function without a frame that are looked through */
	FRAMELESS_BYTES = 512, /* of each */
	JUMP_MOST =
		6, /* bytes of the longest jump that is looked for, without prefixes */
	CODE_MOST =
		1
		<< 16, /* bytes of a function that are looked through for its other parts */
	CODE_WINDOW = 1 << 12,
	CALLED_MOST = 64, /* calls of a function that are followed */
};

struct range {
	uint64_t start, end;
};

/* What the rows of a function say. */
struct function_rows {
	uint8_t word; /* bytes of an address */
	struct range code;
	bool framed; /* somewhere its CFA is counted from the frame pointer */
	bool saves; /* somewhere it has saved the frame pointer */
	bool too_many;
	size_t count;
	struct range frameless[FRAMELESS_MOST]; /* as it was called, or about to return */
};

bool is_as_called(const struct unwind_rule *rule, unsigned word)
{
	return rule->cfa_kind == UNWIND_SP && rule->cfa == (int32_t)word &&
	       !(rule->flags & UNWIND_SIGNAL);
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
	f->saves |= (rule->flags & UNWIND_FP_SAVED) != 0;
	if (!is_as_called(rule, f->word))
		return;
	/* A table has rows that are alike as one, single entries may not. */
	if (f->count && f->frameless[f->count - 1].end == from)
		from = f->frameless[--f->count].start;
	if (f->count == FRAMELESS_MOST || to - from > FRAMELESS_BYTES) {
		f->too_many = true;
		return;
	}
	f->frameless[f->count++] = (struct range){ from, to };
}

static int find_rows(struct stack_walker *w, const struct code_place *at,
		     struct function_rows *ret)
{
	*ret = (struct function_rows){ .code.start = UINT64_MAX,
				       .word = at->binary->machine->word };
	return binaries_function(w->binaries, at->binary, at->address, note_row, ret);
}

static bool is_in(struct range r, uint64_t address)
{
	return address >= r.start && address < r.end;
}

/* Of whose jumps and calls it is asked whether they stay within it. */
struct piece_of {
	struct range function, other; /* a part of it that lies elsewhere, or nothing */
	bool no_short_jumps; /* from function to function, as by Go's linker */
};

/* Bytes of a jump whose last four are its distance; 0: it is none. */
static size_t near_jump(const uint8_t *code)
{
	if (code[0] == 0xe9)
		return 5;
	return code[0] == 0x0f && (code[1] & 0xf0) == 0x80 ? 6 : 0;
}

/* A return to what was not called: push %reg; ret, and mov %reg,(%rsp); ret behind a call of what follows
 * it, as where jumps through registers are not to be foretold. */
static bool returns_elsewhere(const uint8_t *code)
{
	enum { RET = 0xc3 };

	if ((code[0] & 0xf8) == 0x50 && code[1] == RET)
		return true;
	return (code[0] & 0xfb) == 0x48 && code[1] == 0x89 && (code[2] & 0xc7) == 0x04 &&
	       code[3] == 0x24 && code[4] == RET;
}

/* Is there something at @code, of @size bytes, that leaves the function? What looks so by chance does no
 * harm. */
static bool jumps_out(const struct piece_of *of, const uint8_t *code, size_t size,
		      uint64_t address)
{
	size_t length = near_jump(code);
	uint64_t target;

	/* Through a register or memory: FF /4. */
	if ((code[0] == 0xff && (code[1] >> 3 & 7) == 4) || returns_elsewhere(code))
		return true;
	if (code[0] == 0xe8 && size >= 5) {
		target = near_target(code + 1, address + 5);
		return target != of->function.start && is_in(of->function, target);
	}
	if (length) {
		target = near_target(code + length - 4, address + length);
		return size >= length && !is_in(of->function, target) &&
		       !is_in(of->other, target);
	}
	if (of->no_short_jumps || (code[0] != 0xeb && (code[0] & 0xf0) != 0x70) ||
	    size < 2)
		return false;
	target = address + 2 + (uint64_t)(int64_t)(int8_t)code[1];
	return !is_in(of->function, target) && !is_in(of->other, target);
}

bool code_bytes(struct stack_walker *w, const struct code_place *at, void *ret,
		size_t size)
{
	return binary_constant(w->binaries, at->binary, at->offset, ret, size);
}

/* Could the function have jumped to another one, with the return address on top of the stack?
 * What cannot be read could have. @at: of its file. */
static bool may_leave(struct stack_walker *w, const struct code_place *at,
		      const struct function_rows *f, const struct piece_of *of)
{
	uint8_t code[FRAMELESS_BYTES + JUMP_MOST];
	struct code_place piece = *at;

	if (f->too_many)
		return true;
	for (size_t i = 0; i < f->count; i++) {
		uint64_t from = f->frameless[i].start;
		size_t size = (size_t)(f->frameless[i].end - from);

		memset(code, 0, sizeof(code));
		piece.offset = at->offset + (from - at->address);
		if (!code_bytes(w, &piece, code, size))
			return true;
		for (size_t k = 0; k < size; k++)
			if (jumps_out(of, code + k, size - k, from + k))
				return true;
	}
	return false;
}

bool move_place(struct code_place *at, uint64_t distance)
{
	uint64_t address;
	bool code;

	at->offset += distance;
	at->address += distance;
	return binary_address(at->binary, at->offset, &address, &code) && code &&
	       address == at->address;
}

/* Is there a byte early in the function that could be push %rbp? One that has a frame pointer of
 * its own does that among its first instructions, where no shorter way out comes before it. */
static bool may_push(struct stack_walker *w, const struct code_place *at)
{
	uint8_t code[16];

	return code_bytes(w, at, code, sizeof(code)) && memchr(code, 0x55, sizeof(code));
}

/* Does a function of Go set up its frame pointer there? Its rows never count from it:
 * push %rbp; mov %rsp,%rbp, and before Go 1.21 lea N(%rsp),%rbp behind the check of the stack's size. */
static bool sets_frame_pointer(struct stack_walker *w, const struct code_place *at)
{
	enum { FIRST = 64 };
	uint8_t code[FIRST];

	if (!code_bytes(w, at, code, sizeof(code)))
		return false;
	for (size_t i = 0; i + 4 <= FIRST; i++)
		if (memcmp(code + i, "\x55\x48\x89\xe5", 4) == 0 ||
		    memcmp(code + i, "\x48\x8d\x6c\x24", 4) == 0 ||
		    memcmp(code + i, "\x48\x8d\xac\x24", 4) == 0)
			return true;
	return false;
}

/* Could the part of a function have left it that a jump leads to? 1, 0, or -ENOMEM. */
static int part_may_leave(struct stack_walker *w, const struct code_place *function,
			  struct range code, uint64_t target)
{
	struct code_place part = *function;
	struct piece_of of = { .other = code };
	struct function_rows f;
	int found;

	/* No code: it only looked like a jump. */
	if (!move_place(&part, target - function->address))
		return 0;
	found = find_rows(w, &part, &f);
	if (found <= 0)
		return found < 0 ? found : 1;
	of.function = f.code;
	return may_leave(w, &part, &f, &of);
}

/* A function that jumps while it has its frame goes on in a part of it that lies elsewhere, and may leave it
 * from there. 1, 0, or -ENOMEM. */
static int parts_may_leave(struct stack_walker *w, const struct code_place *at,
			   struct range code)
{
	uint8_t bytes[CODE_WINDOW + JUMP_MOST];
	struct code_place window = *at;
	uint64_t left = code.end - code.start;

	if (left > CODE_MOST)
		return 1;
	while (left > 0) {
		size_t size = left < CODE_WINDOW ? (size_t)left : CODE_WINDOW;
		size_t all = left < sizeof(bytes) ? (size_t)left : sizeof(bytes);

		memset(bytes, 0, sizeof(bytes));
		if (!code_bytes(w, &window, bytes, all))
			return 1;
		for (size_t i = 0; i < size; i++) {
			size_t length = near_jump(bytes + i);
			uint64_t target;
			int leaves;

			if (!length)
				continue;
			target = near_target(bytes + i + length - 4,
					     window.address + i + length);
			leaves = is_in(code, target)
					 ? 0
					 : part_may_leave(w, at, code, target);
			if (leaves)
				return leaves;
		}
		window.offset += size;
		window.address += size;
		left -= size;
	}
	return 0;
}

int function_keeps_frame(struct stack_walker *w, const struct code_place *at,
			 uint32_t *size)
{
	struct piece_of of = { 0 };
	struct function_rows f;
	int found;

	if (!(at->binary->go ? sets_frame_pointer(w, at) : may_push(w, at)))
		return 0;
	found = find_rows(w, at, &f);
	if (found <= 0)
		return found;
	/* C in a program of Go has rows that say what it does with the frame pointer. */
	of.no_short_jumps = at->binary->go && !f.framed && !f.saves;
	of.function = f.code;
	*size = (uint32_t)(f.code.end - f.code.start);
	if (f.code.start != at->address || !(f.framed || of.no_short_jumps) ||
	    (at->binary->omits_frame_pointers && !of.no_short_jumps) ||
	    may_leave(w, at, &f, &of))
		return 0;
	found = parts_may_leave(w, at, f.code);
	return found < 0 ? found : !found;
}

/* Does it begin with a jump: a stub of the PLT, or another function's name? */
static bool is_stub(struct stack_walker *w, const struct code_place *at)
{
	static const uint8_t branch[] = { 0xf3, 0x0f, 0x1e, 0xfa }; /* endbr64 */
	uint8_t code[8] = { 0 };
	size_t first;

	if (!code_bytes(w, at, code, sizeof(code)))
		return true;
	first = memcmp(code, branch, sizeof(branch)) == 0 ? sizeof(branch) : 0;
	first += code[first] == 0xf2; /* bnd */
	return code[first] == 0xe9 || code[first] == 0xeb ||
	       (code[first] == 0xff && (code[first + 1] >> 3 & 7) == 4);
}

/* Whom it could have called. */
struct leading {
	struct stack_walker *w;
	const struct code_place *function;
	struct range code;
	const struct binary *to;
	uint64_t start; /* of what it should lead to; UINT64_MAX: not known */
	unsigned called;
};

/* Could what is called there be the function that is looked for, or have jumped to it? 1, 0, or -ENOMEM. */
static int may_become(struct leading *l, const struct code_place *called)
{
	struct piece_of of = { 0 };
	struct function_rows f;
	int found;

	if (l->called++ == CALLED_MOST || is_stub(l->w, called) ||
	    (called->binary == l->to && called->address == l->start))
		return 1;
	found = find_rows(l->w, called, &f);
	if (found <= 0)
		return found < 0 ? found : 1;
	of.function = f.code;
	return f.code.start != called->address || may_leave(l->w, called, &f, &of);
}

/* The same of one instruction of the function, that has the number @at. */
static int may_lead(struct leading *l, size_t at, const uint8_t *code)
{
	uint64_t address = l->function->address + at, target;
	size_t length = code[0] == 0xe8 ? 5 : near_jump(code);
	struct code_place called = *l->function;

	/* Through a register or memory: FF /2. */
	if (code[0] == 0xff && (code[1] >> 3 & 7) == 2)
		return 1;
	if (!length)
		return 0;
	target = near_target(code + length - 4, address + length);
	/* A call of what follows is none of a function. */
	if (is_in(l->code, target))
		return code[0] == 0xe8 && target != l->code.start;
	if (!move_place(&called, target - called.address))
		return 0;
	/* The rest of it, which compilers put elsewhere. */
	return code[0] == 0xe8 ? may_become(l, &called) : 1;
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

int function_start(struct stack_walker *w, const struct code_place *at, uint64_t address,
		   uint64_t *ret)
{
	*ret = UINT64_MAX;
	return binaries_function(w->binaries, at->binary, address, note_from, ret);
}

int function_leads_to(struct stack_walker *w, const struct code_place *function,
		      uint32_t size, const struct binary *to, uint64_t start)
{
	uint8_t code[CODE_WINDOW + JUMP_MOST] = { 0 };
	struct leading l = { .w = w,
			     .function = function,
			     .code = { function->address, function->address + size },
			     .to = to,
			     .start = start };

	if (size > CODE_WINDOW || !code_bytes(w, function, code, size))
		return 1;
	for (size_t i = 0; i < size; i++) {
		int leads = may_lead(&l, i, code + i);

		if (leads)
			return leads;
	}
	return 0;
}
