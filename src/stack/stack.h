#ifndef STACK_STACK_H
#define STACK_STACK_H

#include <flamefold.h>

#include "process/process.h"

/*
 * A sample -> frames.
 *
 * A frame is an address of an image. Frames are interned: equal ones have one id,
 * whatever process they come from. Names come later, once a frame.
 */
enum frame_flag {
	FRAME_CALLER = 1, /* address is one below a return address: inside the call */
	FRAME_PID = 2, /* IMAGE_LABEL: address is a string id | pid << 32 */
	FRAME_TID = 4, /* IMAGE_LABEL: address is an index of struct frames.threads */
	FRAME_NAMELESS = 8, /* IMAGE_LABEL: address is a tid whose name is not known */
	FRAME_GAP =
		16, /* IMAGE_LABEL: no frame; its parent's own time in a flame chart */
	FRAME_FUNCTION =
		32, /* IMAGE_LABEL: address is an index of struct frames.functions */
	/* IMAGE_LABEL: a frame of a text, which may be a function; without it a process or
	 * a mark. */
	FRAME_TEXT = 64,
	/* No chain has it: the code alone tells that it was there (infer.c). Its address is the
	 * first of its function. */
	FRAME_INFERRED = 128,
	/* IMAGE_LABEL: "--"; behind it is the stack of a waker, leaf first. */
	FRAME_LINK = 256,
	/* IMAGE_LABEL: the name of an interrupt, beside the leaf of its stack: behind FRAME_LINK,
	 * else the leaf is before it. Until engine/interrupts.c cuts off what was interrupted. */
	FRAME_INTERRUPT = 512,
	FRAME_SOFTIRQ =
		1024, /* with that one: only if the stack has an interrupt's entry */
	/* IMAGE_LABEL: address is the string id of what was printed of the frame (input/printed.h) */
	FRAME_PRINTED = 2048,
	FRAME_MARKS = FRAME_LINK | FRAME_INTERRUPT | FRAME_SOFTIRQ,
};

struct frame {
	uint64_t address; /* see struct image; IMAGE_LABEL: a string id */
	uint32_t image;
	uint32_t flags; /* of enum frame_flag */
};

/* In a label: which process it is was not printed. No process has this number. */
#define PID_NOT_PRINTED (UINT32_MAX - 1)

/* A label "comm-PID/TID". */
struct thread_label {
	uint32_t comm, pid, tid;
};

/* What comes with its names, as trees of pictures do. */
enum saved_kind {
	SAVED_TEXT, /* a process, or a frame of folded text */
	SAVED_USER,
	SAVED_KERNEL,
	SAVED_JIT,
	SAVED_GAP,
	SAVED_KIND = 7, /* these bits */
	SAVED_UNNAMED = 8, /* no symbol */
	SAVED_INLINED = 16,
};

/* Texts are string ids. */
struct saved_function {
	uint32_t name, module;
	uint32_t file, line; /* where it is declared; 0: not known */
	uint8_t kind; /* enum saved_kind, with its flags */
};

struct frames {
	ARRAY(struct frame) list; /* by id */
	struct hash_set by_key;
	ARRAY(struct thread_label) threads; /* for FRAME_TID */
	struct hash_set threads_by_key;
	ARRAY(struct saved_function) functions; /* for FRAME_FUNCTION: named already */
	struct budget *budget; /* NULL: no limit */
	struct claim claim;
	size_t allowed; /* frames that the budget has given memory for */
	uint32_t limit; /* string id of what the others are */
	uint32_t limit_frame; /* the frame of that + 1; 0: there were no others */
};

/* What a frame takes until it has its name and is written. From now on frames ask @budget for it;
 * what that has nothing left for is the frame of the text @limit. */
enum { FRAME_MEMORY = 192 };
void frames_limit(struct frames *f, struct budget *budget, uint32_t limit);

void frames_release(struct frames *f);
/* 0, or -ENOMEM. */
int frames_add(struct frames *f, const struct frame *frame, uint32_t *ret);
int frames_add_thread(struct frames *f, const struct thread_label *label, uint32_t *ret);
/* *@map: for each id of @from its id in @f, to be freed by the caller. */
int frames_merge(struct frames *f, const struct frames *from, uint32_t **map);

/* Why a stack is not whole; the sample is in the tree all the same. */
enum incomplete_reason {
	INCOMPLETE_NO_CHAIN = 1, /* one frame: the sample's address */
	/* Cut at a value that is no address and no known marker. */
	INCOMPLETE_ODD_CONTEXT = 2,
	INCOMPLETE_MAX_STACK = 4, /* cut because it was asked for */
	INCOMPLETE_USER_STACK = 8, /* a stack dump came with it and was not unwound */
	INCOMPLETE_CUT_CHAIN = 16, /* as many frames as the kernel would record */
	/* Unwound, but not to the root: */
	INCOMPLETE_CUT_DUMP =
		32, /* the stack goes on behind the bytes that were copied */
	INCOMPLETE_NO_CFI = 64, /* nothing says how to leave a frame */
	INCOMPLETE_BAD_ADDRESS = 128, /* a return address that no code is at */
	INCOMPLETE_TOO_DEEP = 256, /* more frames than any stack has */
	INCOMPLETE_REPEATED = 512, /* a frame that does not bring the walk nearer */
	/* Of a recorded chain: */
	INCOMPLETE_NO_CALL = 1024, /* goes on with an address that no call is before */
	INCOMPLETE_NO_START = 2048, /* ends in a function that has a caller */
	/* Unwound, but the next frame is on another stack than the one that was copied. */
	INCOMPLETE_OTHER_STACK = 4096,
	INCOMPLETE_BITS = 13,
	INCOMPLETE_TRUNCATED = 8191 & ~(INCOMPLETE_NO_CHAIN | INCOMPLETE_USER_STACK),
};

/* Has a chain as many addresses as there was room for? Markers do not count. */
bool stack_chain_is_cut(const struct sample *s, const struct event *event);

/* Frames at the root of stacks, above the process: string ids by event, 0: none. */
struct event_labels {
	uint32_t *v;
	size_t count;
};

struct stack_options {
	enum ff_root root;
	uint32_t max_stack; /* 0: all */
	bool by_address; /* addresses without a map are told apart */
	uint32_t
		truncated; /* string id of the frame below which cut stacks go; 0: none */
	uint32_t
		kernel; /* string id of the frame between the user's part and the kernel's; 0: none */
	uint32_t
		skipped; /* string id of the frame that stands for missing ones; 0: none */
	bool empty_chains; /* a chain without frames stays empty, as perf script has it */
	bool timed; /* takes the time of each walk */
	bool as_perf; /* unwinds what perf unwinds, and shows addresses as it does */
	const struct event_labels
		*labels; /* may change until the first stack; NULL: none */
	bool leaf_only; /* stack dumps serve to find the caller of a leaf, no more */
	bool infer; /* the callers of leaves, by code alone */
	/* Chains have a user's part beside the stack dump: the dump is walked, and the chain goes
	 * on where the walk ends with the bytes that were copied. */
	bool join;
};

/* Root first: the process frame, user frames, kernel frames, leaf. */
struct stack {
	const uint32_t *frames; /* until the next call */
	size_t count;
	unsigned incomplete; /* of enum incomplete_reason */
	/* The user's part is what the kernel found by frame pointers, as far as they led. */
	bool followed;
	bool inferred; /* it has a caller that the code tells, not the chain */
	bool skipped; /* a mark says where frames are missing in its midst */
};

/*
 * The files that code was mapped from, with their call frame information: read when a
 * walker needs it, for all walkers of a profile. Places, images and strings outlive it.
 */
struct binaries;

/* @frame_pointers_asked: each one is asked as it is opened whether it keeps frame pointers. */
int binaries_new(struct context *ctx, const struct search_dirs *dirs,
		 const struct images *images, bool frame_pointers_asked,
		 struct binaries **ret);
void binaries_free(struct binaries *b); /* NULL is fine */

/* The first file that could not be read, and why; NULL: all could. Not while any thread asks. */
const char *binaries_trouble(const struct binaries *b);

/* Is the code of the image's file known to keep no frame pointers? 0, or -ENOMEM. Any thread, while
 * no image is added. */
int binaries_omit_frame_pointers(struct binaries *b, uint32_t image, bool *ret);

/* What a walker asks; all of it outlives the walker. */
struct stack_sources {
	const struct processes *ps;
	const struct recording *rec;
	const struct intern *strings;
	struct binaries *binaries;
};

/* What walking the stack dumps came to. */
struct stack_counts {
	uint64_t unwound; /* samples */
	uint64_t frames; /* of these */
	uint64_t replays; /* walks that had to begin again with all registers */
	uint64_t joined; /* samples whose recorded chain went on where the dump was cut */
	uint64_t nanoseconds; /* that it took, where the time is taken; tables apart */
	uint64_t table_nanoseconds; /* to find objects and to make their tables */
};

void stack_counts_add(struct stack_counts *to, const struct stack_counts *from);

struct stack_walker;

/* One a worker. */
int stack_walker_new(struct context *ctx, const struct stack_sources *sources,
		     struct frames *frames, const struct stack_options *options,
		     struct stack_walker **ret);
/* The same walker for another recording of the same binaries, whose frames are those with others behind
 * them: what it has learned of code holds. */
void stack_walker_take_next(struct stack_walker *w, const struct stack_sources *sources,
			    struct frames *frames, const struct stack_options *options);
void stack_walker_free(struct stack_walker *w); /* NULL is fine */

/*
 * 128 bits that stand for the whole stack of a sample: samples of one walker with
 * the same key have the same stack. Costs one hash of the chain; and where registers and a
 * stack dump serve to find the caller of a leaf, to look for that. False where more of the
 * stack comes from them: these have no key.
 */
struct stack_key {
	uint64_t low, high;
};
bool stack_key(struct stack_walker *w, const struct sample *s, struct stack_key *ret);

/* After stack_key() of the same sample. 0, or -ENOMEM. */
int stack_walk(struct stack_walker *w, const struct sample *s, struct stack *ret);

/* The caller of the user's leaf, where stack_walk() put one into the recorded chain of
 * this sample; 0: it did not. 0, or -ENOMEM. */
int stack_leaf_caller(struct stack_walker *w, const struct sample *s, uint64_t *ret);

/*
 * With .join: the user's part of this sample's stack as the kernel records chains, markers
 * included, where the walk through its dump came to the root, or there was none to walk through;
 * NULL: it did not come there, or a chain would not say the same. Until the next call. 0, or -ENOMEM.
 */
int stack_user_chain(struct stack_walker *w, const struct sample *s, const uint64_t **ret,
		     size_t *count);

const struct stack_counts *stack_walker_counts(const struct stack_walker *w);

/* The name of the sample's thread at its time: a string id. */
uint32_t stack_comm(struct stack_walker *w, const struct sample *s);

#endif
