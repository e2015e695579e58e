/*
 * A leaf without a frame, of code that a runtime has made or that helps it to run it, called by such code:
 * its return address is the word at sp, and the frame pointer is its caller's. By that alone the caller is
 * lost.
 *
 *	stack     | behind X's call | X's variables | fp of Y | behind Y's call | ...
 *	          sp                                fp
 *
 * A leaf that has a frame looks the same where the lowest word of its variables is what an earlier call has
 * left there. Where the code is not in a file nothing can be looked up there, so that the word is believed
 * only if one of these tells it from that:
 *
 *   - It is the frame pointer itself. Then that was pushed just now, and above it is the return address.
 *   - A jitdump has the code of both: a call is before the address, and the leaf has made no frame so far.
 *   - The frame is that of a function which V8 interprets. Code for a bytecode is no function that could have
 *     one of those, so the leaf is such code, and has none.
 *   - sp lies as it does right behind a call. Where code is called by the x86-64 psABI (3.2.2), return addresses
 *     are 8 bytes off a multiple of 16 and the lowest words of frames are not, so no frame ends in an old one. V8
 *     and the interpreter of HotSpot do not keep to that, so what could be a frame of theirs says nothing.
 */
#include "stack/walk.h"

#include <elf.h>

#include "base/file.h"
#include "elf/elf.h"

enum {
	WORD = 8, /* bytes; all of this is about x86-64 */
	PROLOGUE_MOST = 64, /* bytes of a function in which it makes its frame */
	R12 = 12, /* DWARF's number */
	FRAME_MOST = 1 << 16, /* bytes */
	FUNCTIONS_AT = 16, /* where compilers let functions begin */
};

/* What is at an address that code was made for. */
struct made_code {
	bool dumped; /* a jitdump has its bytes */
	const struct jitdump *dump;
	const struct jitdump_function *function;
	uint64_t within; /* bytes from the function's beginning */
};

static bool is_made(struct stack_walker *w, uint64_t ip, struct made_code *ret)
{
	const struct images *images = binaries_images(w->binaries);
	const struct image *image;
	struct location location;

	*ret = (struct made_code){ 0 };
	if (!processes_locate(w->ps, &w->thread->space, ip, &location) ||
	    !location.executable)
		return false;
	image = &images->list.v[location.image];
	if (image->kind != IMAGE_JIT)
		return image->kind == IMAGE_ANON;
	ret->dump = &images->dumps.v[image->dump]->dump;
	ret->function = jitdump_find(ret->dump, location.address);
	ret->dumped = ret->function != NULL;
	if (ret->dumped)
		ret->within = location.address - ret->function->bytes;
	return true;
}

static bool read_code(const struct made_code *c, uint64_t from, void *ret, size_t size)
{
	return file_read_at(c->dump->fd, ret, size, c->function->bytes + from) == size;
}

/* Is before @ra a call of what begins at @leaf, or of what only the processor knew? @c: the call's last byte. */
static bool calls(struct stack_walker *w, const struct made_code *c, uint64_t ra,
		  uint64_t leaf)
{
	uint8_t code[CALL_MOST] = { 0 }, jump[5];
	struct made_code there;
	uint64_t end = c->within + 1, target;
	size_t have = end < CALL_MOST ? (size_t)end : CALL_MOST;

	if (!read_code(c, end - have, code + CALL_MOST - have, have) ||
	    !call_code_ends(EM_X86_64, code))
		return false;
	if (code[CALL_MOST - 5] != 0xe8)
		return true;
	target = near_target(code + CALL_MOST - 4, ra);
	if (target == leaf)
		return true;
	/* Erlang has a jump before its functions, for break points, and calls that. */
	if (!is_made(w, target, &there) || !there.dumped ||
	    there.function->size - there.within < sizeof(jump) ||
	    !read_code(&there, there.within, jump, sizeof(jump)))
		return false;
	if (jump[0] == 0xeb)
		return target + 2 + (uint64_t)(int64_t)(int8_t)jump[1] == leaf;
	return jump[0] == 0xe9 && near_target(jump + 1, target + 5) == leaf;
}

/* Has the function left sp where it was up to this byte of it, as far as can be seen? */
static bool is_frameless(const struct made_code *c)
{
	enum { POP = 0x5d, LEAVE = 0xc9, RETURN = 0xc3, RETURN_POPPING = 0xc2 };
	uint64_t size = c->function->size, within = c->within;
	uint8_t code[PROLOGUE_MOST + 4] = { 0 }, around[2] = { 0 };
	size_t have = size < sizeof(code) ? (size_t)size : sizeof(code);

	if (!read_code(c, 0, code, have) ||
	    (within && !read_code(c, within - 1, around, sizeof(around))))
		return false;
	for (size_t i = 0; i < PROLOGUE_MOST && i < within; i++) {
		const uint8_t *at = code + i;

		/* push %rbp; mov %rsp,%rbp, in both of its forms: the frame has been left
		 * where it was given up right before, by pop %rbp or leave, or is about
		 * to return. */
		if (at[0] == 0x55 && at[1] == 0x48 &&
		    ((at[2] == 0x89 && at[3] == 0xe5) ||
		     (at[2] == 0x8b && at[3] == 0xec)))
			return around[0] == POP || around[0] == LEAVE ||
			       around[1] == RETURN || around[1] == RETURN_POPPING;
		/* sub $..., %rsp; or a push, as the first instruction. */
		if ((at[0] == 0x48 && (at[1] == 0x83 || at[1] == 0x81) &&
		     at[2] == 0xec) ||
		    (i == 0 && (code[0] & 0xf8) == 0x50) ||
		    (i == 0 && code[0] == 0x41 && (code[1] & 0xf8) == 0x50))
			return false;
	}
	return true;
}

/* Two words of V8 below its frame pointer: pointers to objects, which it marks by their lowest bits. */
static bool is_object(uint64_t word)
{
	return (word & 3) == 1 && word >> 16 != 0;
}

static bool may_be_of_v8(const struct walk *k)
{
	uint64_t context, function;

	return dump_word(k, k->fp - WORD, &context) && is_object(context) &&
	       k->fp - 2 * WORD > k->sp && dump_word(k, k->fp - 2 * WORD, &function) &&
	       is_object(function);
}

/* The bytecodes that are run are in a register, and in the frame behind context, function and (since V8 9)
 * number of arguments. */
static bool is_interpreted_by_v8(const struct walk *k)
{
	struct registers regs;
	uint64_t third, fourth, code;

	walk_registers(k, &regs);
	code = regs.value[R12];
	return regs.known >> R12 & 1 && is_object(code) && k->sp + 4 * WORD <= k->fp &&
	       may_be_of_v8(k) && dump_word(k, k->fp - 3 * WORD, &third) &&
	       dump_word(k, k->fp - 4 * WORD, &fourth) &&
	       (third == code || fourth == code);
}

static bool is_right_behind_call(const struct walk *k, uint64_t ra)
{
	enum { KINDS_MOST = 128 };
	uint64_t below;

	if (k->sp % (2 * WORD) != WORD || k->fp % (2 * WORD) != 0 ||
	    ra % FUNCTIONS_AT == 0 || may_be_of_v8(k))
		return false;
	if (!dump_word(k, k->fp - WORD, &below))
		return true;
	/* Frames of V8's WebAssembly and builtins have their kind in that word: a small
	 * number, shifted by one. */
	if (below % 2 == 0 && below < 2 * KINDS_MOST)
		return false;
	/* The interpreter of HotSpot keeps in it what its caller's sp was; it calls
	 * places within itself, which are no functions. */
	return below <= k->fp || below - k->fp > FRAME_MOST;
}

bool jit_leaf_returns(struct stack_walker *w, const struct walk *k,
		      const struct unwind_rule *rule, uint64_t *at)
{
	struct made_code leaf, caller;
	uint64_t ra, next, framed;
	bool made, pushed;

	if (w->options.as_perf || !k->exact || !k->sp_known || k->sp != k->base ||
	    !k->fp_known || k->machine->elf != EM_X86_64 || k->fp <= k->sp ||
	    k->fp - k->sp > FRAME_MOST || k->fp % WORD != 0 || !dump_word(k, k->sp, &ra))
		return false;
	pushed = ra == k->fp;
	if (pushed && !dump_word(k, k->sp + WORD, &ra))
		return false;
	if (!is_made(w, ra - 1, &caller))
		return false;
	/* The frame pointer leads on: to a call, where code is that can be looked at, or
	 * else to one more frame above. */
	if (!dump_word(k, k->fp, &next) || !dump_word(k, k->fp + WORD, &framed) ||
	    framed == ra || !is_return_address(w, k, framed) ||
	    (next != 0 && next <= k->fp && !is_behind_call(w, k, framed)))
		return false;
	*at = k->sp + (pushed ? WORD : 0);
	made = is_made(w, k->pc, &leaf);
	if (pushed)
		return made || rule->cfa_kind == UNWIND_NONE;
	if (!made)
		return rule->cfa_kind == UNWIND_NONE && is_interpreted_by_v8(k);
	if (leaf.dumped && caller.dumped)
		return is_frameless(&leaf) && calls(w, &caller, ra, k->pc - leaf.within);
	return !leaf.dumped && !caller.dumped && is_right_behind_call(k, ra);
}
