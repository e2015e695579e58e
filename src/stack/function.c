/* Compilers write the same few instructions: what is looked for is looked for at every byte, and what looks like
 * one by chance makes the answer that nothing is known. */
#include "stack/function.h"

#include <endian.h>

enum {
	FRAMELESS_MOST =
		16, /* pieces of a function without a frame that are looked through */
	FRAMELESS_BYTES = 512, /* of each */
	JUMP_MOST =
		6, /* bytes of the longest jump that is looked for, without prefixes */
};

/* What the rows of a function say. */
struct function_rows {
	uint8_t word; /* bytes of an address */
	bool go; /* its linker makes no short jumps from function to function */
	uint64_t start, end;
	bool framed; /* somewhere its CFA is counted from the frame pointer */
	bool too_many;
	size_t count;
	struct {
		uint64_t from, to;
	} frameless[FRAMELESS_MOST]; /* as it was called, or about to return */
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

	if (from < f->start)
		f->start = from;
	if (to > f->end)
		f->end = to;
	f->framed |= rule->cfa_kind == UNWIND_FP;
	if (!is_as_called(rule, f->word))
		return;
	/* A table has rows that are alike as one, single entries may not. */
	if (f->count && f->frameless[f->count - 1].to == from)
		from = f->frameless[--f->count].from;
	if (f->count == FRAMELESS_MOST || to - from > FRAMELESS_BYTES) {
		f->too_many = true;
		return;
	}
	f->frameless[f->count].from = from;
	f->frameless[f->count++].to = to;
}

/* Is there a jump at @code that leaves the function? What looks like one by chance does no harm. */
static bool jumps_out(const struct function_rows *f, const uint8_t *code, size_t size,
		      uint64_t address)
{
	bool near = code[0] == 0xe9;
	bool conditional = code[0] == 0x0f && (code[1] & 0xf0) == 0x80;
	size_t length = near ? 5 : 6;
	uint32_t distance;
	uint64_t target;

	/* Through a register or memory: FF /4. */
	if (code[0] == 0xff && (code[1] >> 3 & 7) == 4)
		return true;
	if (!f->go && (code[0] == 0xeb || (code[0] & 0xf0) == 0x70) && size >= 2) {
		target = address + 2 + (uint64_t)(int64_t)(int8_t)code[1];
		return target < f->start || target >= f->end;
	}
	if ((!near && !conditional) || size < length)
		return false;
	memcpy(&distance, code + length - 4, sizeof(distance));
	target = address + length + (uint64_t)(int64_t)(int32_t)le32toh(distance);
	return target < f->start || target >= f->end;
}

bool code_bytes(struct stack_walker *w, const struct code_place *at, void *ret,
		size_t size)
{
	return binary_constant(w->binaries, at->binary, at->offset, ret, size);
}

/* Could the function have jumped to another one, with the return address on top of the stack?
 * What cannot be read could have. */
static bool may_leave(struct stack_walker *w, const struct code_place *at,
		      const struct function_rows *f)
{
	uint8_t code[FRAMELESS_BYTES + JUMP_MOST];
	struct code_place piece = *at;

	for (size_t i = 0; i < f->count; i++) {
		uint64_t from = f->frameless[i].from;
		size_t size = (size_t)(f->frameless[i].to - from);

		memset(code, 0, sizeof(code));
		piece.offset = at->offset + (from - at->address);
		if (!code_bytes(w, &piece, code, size))
			return true;
		for (size_t k = 0; k < size; k++)
			if (jumps_out(f, code + k, size - k, from + k))
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

int function_keeps_frame(struct stack_walker *w, const struct code_place *at,
			 uint32_t *size)
{
	struct function_rows f = { .start = UINT64_MAX,
				   .word = at->binary->machine->word,
				   .go = at->binary->go };
	int found;

	if (!(f.go ? sets_frame_pointer(w, at) : may_push(w, at)))
		return 0;
	found = binaries_function(w->binaries, at->binary, at->address, note_row, &f);
	if (found <= 0)
		return found;
	f.framed |= f.go;
	*size = (uint32_t)(f.end - f.start);
	return f.start == at->address && f.framed && !f.too_many && !may_leave(w, at, &f);
}

/* The code that a jump or call of @length bytes leads to whose last four are its distance. */
static bool target_of(const struct code_place *at, const uint8_t *code, size_t length,
		      struct code_place *ret)
{
	uint32_t distance;

	memcpy(&distance, code + length - 4, sizeof(distance));
	*ret = *at;
	return move_place(ret, length + (uint64_t)(int64_t)(int32_t)le32toh(distance));
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

/* Could what is called there be the function that begins at @to, or have jumped to it? 1, 0, or -ENOMEM. */
static int may_become(struct stack_walker *w, const struct code_place *called,
		      const struct binary *binary, uint64_t to)
{
	struct function_rows f = { .start = UINT64_MAX,
				   .word = called->binary->machine->word,
				   .go = called->binary->go };
	int found;

	if ((called->binary == binary && called->address == to) || is_stub(w, called))
		return 1;
	found = binaries_function(w->binaries, called->binary, called->address, note_row,
				  &f);
	if (found <= 0)
		return found < 0 ? found : 1;
	return f.start != called->address || f.too_many || may_leave(w, called, &f);
}

static bool is_within(const struct code_place *at, const struct code_place *function,
		      uint32_t size)
{
	return at->address - function->address < size;
}

/* The same of one instruction of a function. */
static int may_lead(struct stack_walker *w, const struct code_place *function,
		    uint32_t size, size_t at, const uint8_t *code,
		    const struct code_place *to, uint64_t start)
{
	bool conditional = code[0] == 0x0f && (code[1] & 0xf0) == 0x80;
	bool near = code[0] == 0xe8 || code[0] == 0xe9;
	struct code_place here = *function, target;

	/* Through a register or memory: FF /2. */
	if (code[0] == 0xff && (code[1] >> 3 & 7) == 2)
		return 1;
	here.offset += at;
	here.address += at;
	if ((!near && !conditional) || !target_of(&here, code, near ? 5 : 6, &target) ||
	    is_within(&target, function, size))
		return 0;
	/* The rest of it, which compilers put elsewhere. */
	if (code[0] != 0xe8)
		return 1;
	return may_become(w, &target, to->binary, start);
}

int function_leads_to(struct stack_walker *w, const struct code_place *function,
		      uint32_t size, const struct code_place *to)
{
	enum { MOST = 1 << 13 };
	uint8_t code[MOST + JUMP_MOST] = { 0 };
	struct function_rows f = { .start = UINT64_MAX,
				   .word = function->binary->machine->word };
	int found;

	if (size > MOST || !code_bytes(w, function, code, size))
		return 1;
	found = binaries_function(w->binaries, to->binary, to->address, note_row, &f);
	/* Where it begins is not known. */
	if (found == 0)
		f.start = to->address;
	for (size_t i = 0; found >= 0 && i < size; i++) {
		int leads = may_lead(w, function, size, i, code + i, to, f.start);

		if (leads)
			return leads;
	}
	return found < 0 ? found : 0;
}
