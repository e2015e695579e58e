#ifndef STACK_WALK_H
#define STACK_WALK_H

#include <endian.h>

#include "cfi/cfi.h"
#include "stack/addr_cache.h"

/* A walk from frame to frame: where it stands. */
struct walk {
	const struct sample *sample;
	const struct machine *machine;
	const uint8_t *dump; /* the bytes from sp at first on */
	uint64_t base; /* address of the first */
	uint64_t size;
	uint64_t pc, sp, fp, lr;
	bool exact; /* pc is where it stood, no return address */
	bool pc_known; /* at the beginning */
	bool sp_known; /* else sp is below the real one (frame records of aarch64) */
	bool fp_known, lr_known;
	bool fp_popped; /* fp is not known, but right where the leaf has popped it */
	bool jumped; /* a signal has interrupted what lies outside of the copied bytes */
	bool elsewhere; /* and on another stack, for the handler has one of its own */
	bool alternate; /* the signal frame that is left is known to lie on such a stack */
	bool chained; /* the last step was made through a frame pointer */
	size_t most; /* frames that the stack may have */
	bool asked; /* because the user wants no more */
	size_t inferred; /* frames that no step has come to */
	struct addr_key keys[2]; /* by !exact */
};

enum walk_end {
	WALK_ON,
	WALK_ROOT,
	WALK_NO_RETURN, /* there is no return address; the root, if stacks begin there */
	WALK_CUT_DUMP, /* the bytes that are needed were not copied */
	WALK_OTHER_STACK, /* nor would more have them: they are those of another stack */
	WALK_NO_CFI,
	WALK_BAD_ADDRESS, /* no code is there, or no stack */
	WALK_TOO_DEEP,
	WALK_REPEATED, /* the stack does not shrink */
	WALK_MAX_STACK, /* as was asked for */
	WALK_OTHER, /* a row that three registers cannot follow */
	WALK_NO_MEMORY,
};

/* The machine whose registers a sample has; NULL where it is not known here. */
const struct machine *walk_machine(struct stack_walker *w, const struct sample *s);

/* False where the sample has no registers of a known machine. */
bool walk_begin(struct stack_walker *w, const struct sample *s, struct walk *ret);

/* Back to the sample's own registers. */
void walk_restart(struct stack_walker *w, struct walk *k);

/* Pushes the user's frames, leaf first. 0 with *@incomplete, of enum incomplete_reason, or -ENOMEM. */
int walk_user(struct stack_walker *w, struct walk *k, unsigned *incomplete);

/* What is known of pc; a return address is freed of what is no address in it. NULL without
 * memory. */
struct addr_entry *walk_addr(struct stack_walker *w, struct walk *k);

/* One step by a rule; WALK_ON: k is in the caller. */
enum walk_end walk_step(struct stack_walker *w, struct walk *k,
			const struct unwind_rule *rule);

/* Pushes who called the last frame of the stack, of @rule, by the return address behind it, @next, and a mark where
 * more is missing; @most: frames of the stack, 0: any number. 0, or -ENOMEM. */
int walk_put_in(struct stack_walker *w, const struct walk *k, uint64_t next,
		const struct unwind_rule *rule, size_t most);

/* Pushes the function that a step through a frame pointer has passed over; @rule: of the frame that it has
 * left. WALK_ON, or WALK_NO_MEMORY. */
enum walk_end walk_infer(struct stack_walker *w, struct walk *k,
			 const struct unwind_rule *rule);

/* replay.c: begins again at the leaf with all registers, and goes on for @steps frames,
 * or to the end. */
enum { REPLAY_ALL = UINT32_MAX };
enum walk_end walk_replay(struct stack_walker *w, struct walk *k, uint32_t steps);

/* fallback.c: one step without a row. */
enum walk_end fallback_step(struct stack_walker *w, struct walk *k,
			    const struct unwind_rule *rule);
/* jit_leaf.c: has the leaf at hand no frame, and was called by code that a runtime has made? *@at: where its
 * return address is. */
bool jit_leaf_returns(struct stack_walker *w, const struct walk *k,
		      const struct unwind_rule *rule, uint64_t *at);

/* trampoline.c: is k in CPython's code for calls of its interpreter? *@at: where its return address is. */
bool trampoline_returns(struct stack_walker *w, const struct walk *k, uint64_t *at);

/* join.c: the recorded chain behind the walk, whose frames begin at @first and which ended with
 * the copied bytes, or their stack: pushed if it is sure to be what was not copied, and to the root.
 * WALK_ROOT, @end or WALK_NO_MEMORY. */
enum walk_end join_chain(struct stack_walker *w, const struct walk *k, size_t first,
			 enum walk_end end);

/* The same behind a walk that has ended, by @end, with a stack that Go's runtime has switched to:
 * WALK_ROOT, @end or WALK_NO_MEMORY. */
enum walk_end join_switched(struct stack_walker *w, const struct walk *k, size_t first,
			    enum walk_end end);

/* Could a call have left @ra behind? */
bool is_return_address(struct stack_walker *w, const struct walk *k, uint64_t ra);
/* Is it behind a call for sure? */
bool is_behind_call(struct stack_walker *w, const struct walk *k, uint64_t ra);

/* Can it be where a stack is, in a register that call frame information has led to? */
bool may_be_stack(const struct walk *k, uint64_t address);

/*
 * Does a step to @cfa lead towards the root? A leaf may leave the stack as its caller had
 * it; and signals may be handled on another stack: one that lies deeper in the copied
 * bytes is as good as any, but not twice.
 */
bool walk_shrinks(struct walk *k, bool signal, uint64_t cfa);

/* Why there are no bytes at @address. */
enum walk_end why_unreadable(const struct walk *k, uint64_t address);

/* An outermost frame may have a return address of 0, which an aarch64 function signs as
 * any other. */
enum { ADDRESS_BITS_LEAST = 39 };
static inline bool is_no_address(const struct walk *k, uint64_t ra)
{
	return (k->machine->link ? ra << (64 - ADDRESS_BITS_LEAST) : ra) == 0;
}

/* A word of the copied stack. */
static inline bool dump_word(const struct walk *k, uint64_t address, uint64_t *ret)
{
	uint64_t at = address - k->base;
	uint64_t word64;
	uint32_t word32;

	if (k->machine->word == 8) {
		if (k->size < 8 || at > k->size - 8)
			return false;
		memcpy(&word64, k->dump + at, 8);
		*ret = le64toh(word64);
		return true;
	}
	if (k->size < 4 || at > k->size - 4)
		return false;
	memcpy(&word32, k->dump + at, 4);
	*ret = le32toh(word32);
	return true;
}

/* What the frame that is pushed next has as its pc; 0: it is in no chain. */
static inline void walk_note_pc(struct stack_walker *w, const struct walk *k,
				const struct unwind_rule *rule)
{
	/* What a signal or nobody called returns to is no return address. */
	bool exact = k->exact || rule->flags & (UNWIND_SIGNAL | RULE_STACK_BOTTOM);

	if (w->options.join)
		w->pcs.v[w->stack.count] = k->pc | (exact ? PC_EXACT : 0);
}

/* The sample's own registers. */
void walk_registers(const struct walk *k, struct registers *ret);

#endif
