#ifndef STACK_WALKER_H
#define STACK_WALKER_H

#include <time.h>

#include "stack/binaries.h"
#include "stack/chain.h"
#include "stack/stack.h"

/*
 * What one worker keeps between samples.
 *
 *	stack.c     joins the recorded chain and the user frames, marks what is cut
 *	addr_cache.c  address -> frame and unwind rule, remembered
 *	walk.c      registers and copied stack -> user frames, by three registers
 *	replay.c    the same with all registers
 *	fallback.c  one step without call frame information
 *	jit_leaf.c  the caller of a leaf without a frame that is code of a runtime
 *	trampoline.c  the caller of CPython's code without rows
 *	signal.c    signal frames that are known by their code
 *	switch.c    code that is known to change stacks
 *	call.c      whether code ends with a call
 *	garbage.c   what a recorded chain has that is no return address
 *	root.c      whether stacks begin at an address
 *	join.c      the rest of the recorded chain behind a walk
 *	leaf.c      the caller that a frame pointer chain lacks, by registers
 *	infer.c     the same by nothing but code
 *	split.c     functions in two halves, which are in a chain twice
 *	linked.c    which function of another object a call leads to
 *	function.c  what the code of a function says of it
 *	code_windows.c  pieces of files that were read to look at code
 */
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
enum { ADDR_CACHE_BITS = 14, CODES_BITS = 17, INFERRED_BITS = 14, THREADS_BITS = 10 };
#else
/* Pages of large tables would be most of what a small recording costs, and entries of
 * small ones are overwritten by others as those of large ones are in large recordings. */
enum { ADDR_CACHE_BITS = 6, CODES_BITS = 8, INFERRED_BITS = 6, THREADS_BITS = 1 };
#endif

enum {
	ADDR_CACHE_SIZE = 1 << ADDR_CACHE_BITS, /* addresses remembered, 16 bytes each */
	CODES = 1 << CODES_BITS, /* the same of images, whatever process they are of */
	RECENT = 64, /* frames */
	INFERRED = 1 << INFERRED_BITS, /* calls and functions remembered for infer.c */
	ABIS = 3,
	THREADS = 1 << THREADS_BITS, /* threads remembered */
};

/* An address that was looked up; the key stands for the address, whose it is and when. */
struct addr_entry {
	uint64_t key;
	uint32_t frame; /* + 1; 0: empty */
	uint32_t rule : 24; /* index in rules; RULE_UNSEEN: not looked up */
	uint32_t call : 3; /* enum after_call */
	uint32_t root : 2; /* enum root */
	uint32_t bottom : 3; /* enum stack_bottom */
};

/* The code before a return address. */
enum after_call {
	CALL_UNSEEN, /* not looked at */
	CALL_UNKNOWN, /* cannot be read */
	CALL_YES,
	CALL_NO,
	CALL_NOWHERE, /* no code is mapped there */
	CALL_SIGNAL, /* none, but handlers of signals return there */
};

/* What no call is before. */
enum stack_bottom {
	BOTTOM_UNSEEN,
	BOTTOM_NO,
	BOTTOM_LAST, /* a beginning, if the chain ends with it */
	BOTTOM_ALWAYS, /* in any case */
};

/* Does a stack begin there? */
enum root {
	ROOT_UNSEEN, /* not looked at */
	ROOT_UNKNOWN, /* nothing is known of the code */
	ROOT_YES,
	ROOT_NO,
};

/* What struct unwind_rule.cfa_kind is beside enum unwind_cfa. */
enum rule_kind {
	RULE_UNMAPPED = 64, /* no map covers the address, or none of code */
	RULE_NO_OBJECT, /* its object is not there, or is none */
	RULE_SIGNAL, /* a known trampoline; cfa: enum signal_frame */
	RULE_SWITCH, /* known code that calls on another stack; cfa: enum stack_switch */
};

/* A flag beside enum unwind_flag, of UNWIND_END: the address was put there by hand, and what
 * is before it did not call. */
enum { RULE_STACK_BOTTOM = 64 };

/* Fixed indices in rules. */
enum { RULE_UNSEEN, RULES_MOST = (1 << 24) - 1 };

/* What is known of a thread for a while. */
struct thread_seen {
	uint32_t pid, tid;
	uint64_t version; /* of the timeline that was asked */
	uint64_t from, until; /* of everything below; until 0: empty */
	struct space space;
	uint32_t comm, label; /* string ids */
	uint32_t frame; /* of the label + 1; 0: not made yet */
};

/* What infer.c remembers: whose frame it is that returns to behind a call, of which functions it
 * can be, which of them is the main() of a process, whether one can have called another, and which one a
 * process calls through a slot of its dynamic linker. */
enum inferred_kind {
	INFERRED_CALL,
	INFERRED_FUNCTION,
	INFERRED_MAIN,
	INFERRED_LEADS,
	INFERRED_LINKED,
	INFERRED_KIND_BITS = 3,
};
struct inferred {
	/* The offset in the file, or the layout of a process, shifted, and the kind. */
	uint64_t key;
	uint64_t
		slot; /* address of what the call goes through; 0: it goes to a function */
	uint32_t image; /* + 1; 0: empty */
	uint32_t frame; /* of the function + 1; 0: not known */
	uint32_t size; /* of the function */
	bool starts; /* the call is the one of main() */
	bool leads; /* it can */
	bool split; /* the call is that of the second half of a function */
};

/* The files that the process at hand has code of. */
enum { CODE_FILES_MOST = 256 };
struct code_files {
	bool known;
	uint32_t of; /* struct space .files */
	size_t count; /* more than CODE_FILES_MOST: too many */
	uint32_t images[CODE_FILES_MOST];
};

/* Where the recorder's registers lie in a sample, for one machine and one mask. */
struct register_order {
	const struct machine *machine; /* NULL: none yet */
	uint64_t mask;
	/* Index in the sample's registers, or REGISTER_NONE. */
	uint8_t pc, sp, fp, lr;
};

/* A frame that has come by name. */
struct printed_known {
	uint32_t frame; /* its id + 1; 0: not met yet */
	bool is_kernel;
};

struct stack_walker {
	const struct processes *ps;
	struct frames *frames;
	const struct recording *rec;
	const struct intern *strings;
	struct binaries *binaries;
	struct code_windows windows; /* of its files */
	struct stack_options options;
	struct stack_counts counts;
	struct space kernel;
	uint64_t kernel_version;
	struct thread_seen *thread; /* of the sample at hand */
	ARRAY(uint32_t) stack; /* leaf first, then turned round */
	ARRAY(struct printed_known) printed; /* by string id: frames that came by name */
	/* Call frame information: that of images, and the rules that addresses had. */
	ARRAY(const struct binary *) by_image;
	ARRAY(struct unwind_rule) rules;
	struct hash_set rules_by_key;
	/* That was put behind the leaf of the last sample walked, or 0; and which that was:
	 * its position + 1. */
	uint64_t leaf_caller, leaf_of;
	uint64_t caller_of; /* the same for one that was found before the walk */
	/* So far the chain at hand goes on to addresses behind calls. */
	uint32_t leads_to;
	/* The stack at hand has a caller that code alone tells; and a mark where others are missing. */
	bool has_inferred, has_skipped;
	bool failed; /* something of the sample was not found for want of memory */
	/* With .join: what each frame of the stack had as its pc, or'ed with PC_EXACT; and which
	 * of them the walk has found, if it came to the root, and the frame that this is. */
	ARRAY(uint64_t) pcs;
	size_t walked_first, walked_count;
	uint32_t walked_root;
	bool dump_preferred; /* to the user's part of the chain, which was left out */
	ARRAY(uint64_t) user_chain;
	struct register_order order;
	const struct machine *assumed; /* where the recording does not say */
	uint32_t arch; /* as the recording says it, of the following; 0: not yet */
	const struct machine *machines[ABIS]; /* by the kernel's number */
	/* Where in addr_cache the frames of the last walk lie: the next one meets many of them
	 * again, but a stack dump went through the cache in between. */
	uint16_t recent[RECENT];
	uint32_t recent_count;
	/* Recordings that it has walked before: their numbers of maps mean others. */
	uint64_t recording;
	struct thread_seen threads[THREADS];
	struct inferred inferred[INFERRED];
	struct code_files code_files;
	struct addr_entry addr_cache[ADDR_CACHE_SIZE];
	struct addr_entry *codes; /* CODES of them */
};

/* Times a recording's number: no number that a recording has of its maps is as another one's is then. */
#define RECORDING_SALT 0xd1b54a32d192ed03u

/* No return address, so nothing is subtracted from it. No user's address has this bit. */
#define PC_EXACT (1ull << 63)

/* ns; 0 where the time is not taken. */
static inline uint64_t walker_clock(const struct stack_walker *w)
{
	struct timespec now;

	if (!w->options.timed)
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline int push_frame(struct stack_walker *w, uint32_t frame)
{
	if (!array_reserve(&w->stack, 1))
		return -ENOMEM;
	w->stack.v[w->stack.count++] = frame;
	return 0;
}

#endif
