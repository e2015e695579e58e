#ifndef STACK_SIGNAL_H
#define STACK_SIGNAL_H

#include "stack/walk.h"

/*
 * Frames that the kernel makes for signal handlers, where call frame information does
 * not say it or says it wrong: by the code of the trampoline, which asks the kernel to
 * go back. Layouts: struct rt_sigframe and struct sigcontext of the kernel, which no
 * program can do without.
 */
enum signal_frame {
	SIGNAL_NONE,
	SIGNAL_X86_64,
	SIGNAL_X86_64_SHORT, /* by an instruction of 32 bits */
	SIGNAL_I386, /* sigreturn */
	SIGNAL_I386_POPPED, /* the same, behind its first instruction */
	SIGNAL_I386_RT, /* rt_sigreturn */
	SIGNAL_AARCH64,
	SIGNAL_I386_VDSO, /* one of the two: the frame tells */
};

/* What pc is in, of enum signal_frame. */
int signal_frame_at(struct stack_walker *w, const struct addr_key *key, uint64_t pc);

/* Is it known where the frame lies? Where the stack pointer is not, the frame record
 * behind it may tell, and sp is known from then on. */
bool signal_find_frame(struct walk *k, int frame);

/* Steps to where the signal came. */
enum walk_end signal_step(struct walk *k, int frame);

/* The same with all registers. */
enum walk_end signal_step_all(struct walk *k, int frame, struct registers *regs);

#endif
