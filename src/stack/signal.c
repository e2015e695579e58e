/*
 * The kernel lets a handler return to a trampoline of a few bytes that asks for
 * sigreturn. So a frame is known by the code at pc, whatever call frame information and
 * symbols say. A row of the table has that code, where above sp the kernel has saved
 * registers, and their order.
 *
 *	sp -> | ... | registers, at .context | ... | frame record, at .record (aarch64) |
 *
 * In the middle of the trampoline the frame is the same, but for what i386's has popped
 * by then.
 */
#include "stack/signal.h"

#include <elf.h>

enum { CODE_MOST = 9 };

/* Offsets from the stack pointer in the trampoline. */
struct trampoline_layout {
	unsigned elf; /* machine */
	uint16_t context; /* of the saved registers */
	/* Of a pointer to struct ucontext, whose registers lie at .within; 0: there is none. */
	uint16_t pointer;
	uint16_t within;
	uint16_t record; /* of a frame record of what was interrupted; 0: none */
	uint16_t stack; /* so far below the registers is the thread's stack_t; 0: none */
	uint8_t code_size;
	uint8_t code[CODE_MOST];
	/* Where in it the program stands when the kernel has been asked. */
	uint8_t registers;
	/* DWARF numbers of the saved words, REGISTER_NONE: something else. */
	uint8_t saved[34];
};

#define NOT REGISTER_NONE

static const struct trampoline_layout layouts[] = {
	/* mov $15,%rax; syscall. siginfo lies behind ucontext: 40 bytes, then gregs. */
	[SIGNAL_X86_64] = { EM_X86_64, .context = 40, .stack = 24, .code_size = 9,
			    .code = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 },
			    .registers = 17,
			    .saved = { 8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2,
				       7, 16 } },
	/* mov $15,%eax; syscall: Go's. */
	[SIGNAL_X86_64_SHORT] = { EM_X86_64, .context = 40, .stack = 24, .code_size = 7,
				  .code = { 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05 },
				  .registers = 17,
				  .saved = { 8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1,
					     0, 2, 7, 16 } },
	/* pop %eax; mov $119,%eax; int $0x80. The signal's number, then sigcontext. */
	[SIGNAL_I386] = { EM_386, .context = 4, .code_size = 8,
			  .code = { 0x58, 0xb8, 0x77, 0, 0, 0, 0xcd, 0x80 },
			  .registers = 15,
			  .saved = { NOT, NOT, NOT, NOT, 7, 6, 5, 4, 3, 2, 1, 0, NOT, NOT,
				     8 } },
	/* Where that has popped the number. */
	[SIGNAL_I386_POPPED] = { EM_386, .code_size = 8,
				 .code = { 0x58, 0xb8, 0x77, 0, 0, 0, 0xcd, 0x80 },
				 .registers = 15,
				 .saved = { NOT, NOT, NOT, NOT, 7, 6, 5, 4, 3, 2, 1, 0,
					    NOT, NOT, 8 } },
	/* mov $173,%eax; int $0x80. Number, pointers to siginfo and to ucontext. */
	[SIGNAL_I386_RT] = { EM_386, .pointer = 8, .within = 20, .stack = 12,
			     .code_size = 7, .code = { 0xb8, 0xad, 0, 0, 0, 0xcd, 0x80 },
			     .registers = 15,
			     .saved = { NOT, NOT, NOT, NOT, 7, 6, 5, 4, 3, 2, 1, 0, NOT,
					NOT, 8 } },
	/* mov x8,#139; svc #0. siginfo of 128 bytes, ucontext with sigcontext at 176, the
	 * fault's address, x0 to x30, sp, pc, 4096 bytes for others from 288 on. */
	[SIGNAL_AARCH64] = { EM_AARCH64, .context = 128 + 176 + 8,
			     .record = 128 + 176 + 288 + 4096, .stack = 168,
			     .code_size = 8,
			     .code = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 },
			     .registers = 33,
			     .saved = { 0,  1,	2,  3,	4,  5,	6,  7,	8,  9,	10,
					11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
					22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32 } },
};

enum { FRAMES = sizeof(layouts) / sizeof(*layouts) };

static bool matches_frame(struct stack_walker *w, const struct addr_key *key,
			  const struct trampoline_layout *l, uint64_t start)
{
	uint8_t code[CODE_MOST];

	return addr_bytes(w, key, start, code, l->code_size) &&
	       memcmp(code, l->code, l->code_size) == 0;
}

/* A frame of rt_sigreturn holds a pointer to what lies further up in it. */
static int which_frame(const struct walk *k, int frame)
{
	enum { FRAME_MOST = 4096 };
	uint64_t context;

	if (frame != SIGNAL_I386_VDSO)
		return frame;
	return dump_word(k, k->sp + layouts[SIGNAL_I386_RT].pointer, &context) &&
			       context > k->sp && context - k->sp < FRAME_MOST
		       ? SIGNAL_I386_RT
		       : SIGNAL_I386;
}

int signal_frame_at(struct stack_walker *w, const struct addr_key *key, uint64_t pc)
{
	struct code_site at;

	for (int i = SIGNAL_NONE + 1; i < FRAMES; i++) {
		const struct trampoline_layout *l = &layouts[i];

		if (l->elf != key->machine->elf)
			continue;
		if (i != SIGNAL_I386_POPPED && matches_frame(w, key, l, pc))
			return i;
		/* Behind the system call; the stack is as before, but for a pop. */
		if (key->kind == ADDR_EXACT && i != SIGNAL_I386 &&
		    matches_frame(w, key, l, pc - l->code_size))
			return i;
	}
	/* Nothing in these vdsos is returned to but their trampolines, so those are known
	 * also where the vdso is not at hand. */
	if (key->kind == ADDR_EXACT || addr_image_kind(w, key, pc) != IMAGE_VDSO ||
	    addr_code(w, key, pc, &at))
		return SIGNAL_NONE;
	if (key->machine->elf == EM_386)
		return SIGNAL_I386_VDSO;
	return key->machine->elf == EM_AARCH64 ? SIGNAL_AARCH64 : SIGNAL_NONE;
}

static bool find_context(const struct walk *k, const struct trampoline_layout *l,
			 uint64_t *ret)
{
	if (!l->pointer) {
		*ret = k->sp + l->context;
		return true;
	}
	if (!dump_word(k, k->sp + l->pointer, ret))
		return false;
	*ret += l->within;
	return true;
}

/* The saved word that is DWARF register @number. */
static bool saved_word(const struct walk *k, const struct trampoline_layout *l,
		       uint64_t context, uint8_t number, uint64_t *ret)
{
	for (uint8_t i = 0; i < l->registers; i++)
		if (l->saved[i] == number)
			return dump_word(k, context + (uint64_t)i * k->machine->word,
					 ret);
	return false;
}

bool signal_find_frame(struct walk *k, int frame)
{
	const struct trampoline_layout *l = &layouts[which_frame(k, frame)];
	const struct machine *m = k->machine;
	uint64_t sp = k->fp - l->record, context = sp + l->context;
	uint64_t fp, link, saved_fp, saved_link;

	if (k->sp_known)
		return true;
	/* The record holds the same as what was saved of the two registers. */
	if (!l->record || !k->fp_known || !dump_word(k, k->fp, &fp) ||
	    !dump_word(k, k->fp + m->word, &link) ||
	    !saved_word(k, l, context, m->fp, &saved_fp) ||
	    !saved_word(k, l, context, m->ra, &saved_link) || fp != saved_fp ||
	    link != saved_link)
		return false;
	k->sp = sp;
	k->sp_known = true;
	return true;
}

enum walk_end signal_step(struct walk *k, int frame)
{
	const struct trampoline_layout *l = &layouts[which_frame(k, frame)];
	const struct machine *m = k->machine;
	uint64_t context, pc, sp, start, size;

	if (!find_context(k, l, &context))
		return why_unreadable(k, k->sp + l->pointer);
	if (!saved_word(k, l, context, m->pc, &pc) ||
	    !saved_word(k, l, context, m->sp, &sp))
		return why_unreadable(k, context);
	/* The kernel notes in each frame which stack the thread has for handlers. Is the
	 * frame on it, and what was interrupted is not? */
	k->alternate = l->stack && dump_word(k, context - l->stack, &start) &&
		       dump_word(k, context - l->stack + 2u * m->word, &size) &&
		       k->sp - start < size && sp - start > size;
	k->fp_known = saved_word(k, l, context, m->fp, &k->fp);
	k->lr_known = m->link && saved_word(k, l, context, m->ra, &k->lr);
	if (!walk_shrinks(k, true, sp))
		return WALK_REPEATED;
	k->pc = pc;
	k->sp = sp;
	k->exact = k->sp_known = true;
	k->chained = k->fp_popped = false;
	return pc ? WALK_ON : WALK_ROOT;
}

enum walk_end signal_step_all(struct walk *k, int frame, struct registers *regs)
{
	const struct trampoline_layout *l = &layouts[which_frame(k, frame)];
	uint64_t context, word;
	enum walk_end end;

	if (!find_context(k, l, &context))
		return why_unreadable(k, k->sp + l->pointer);
	end = signal_step(k, frame);
	if (end != WALK_ON)
		return end;
	regs->known = 0;
	for (uint8_t i = 0; i < l->registers; i++) {
		if (l->saved[i] == NOT ||
		    !dump_word(k, context + (uint64_t)i * k->machine->word, &word))
			continue;
		regs->value[l->saved[i]] = word;
		regs->known |= 1ull << l->saved[i];
	}
	regs->pc = k->pc;
	return WALK_ON;
}
