#ifndef STACK_STACK_H
#define STACK_STACK_H

#include "process/process.h"

/*
 * A sample -> frames.
 *
 * A frame is an address of an image. Frames are interned: equal ones have one id,
 * whatever process they come from. Names come later, once a frame.
 */
enum frame_flag {
	FRAME_CALLER = 1, /* address is one below a return address: inside the call */
	FRAME_PID = 2, /* IMAGE_NAMES: address is a string id | pid << 32 */
	FRAME_TID = 4, /* IMAGE_NAMES: address is an index of struct frames.threads */
	FRAME_NAMELESS = 8, /* IMAGE_NAMES: address is a tid whose name is not known */
	FRAME_GAP =
		16, /* IMAGE_NAMES: no frame; its parent's own time in a flame chart */
};

struct frame {
	uint64_t address; /* see struct image; IMAGE_NAMES: a string id */
	uint32_t image;
	uint32_t flags; /* of enum frame_flag */
};

/* A label "comm-PID/TID". */
struct thread_label {
	uint32_t comm, pid, tid;
};

struct frames {
	ARRAY(struct frame) list; /* by id */
	struct hash_set by_key;
	ARRAY(struct thread_label) threads; /* for FRAME_TID */
	struct hash_set threads_by_key;
};

void frames_release(struct frames *f);
/* 0, or -ENOMEM. */
int frames_add(struct frames *f, const struct frame *frame, uint32_t *ret);
int frames_add_thread(struct frames *f, const struct thread_label *label, uint32_t *ret);
/* *@map: for each id of @from its id in @f, to be freed by the caller. */
int frames_merge(struct frames *f, const struct frames *from, uint32_t **map);

/* Why a stack is not whole; the sample is in the tree all the same. */
enum poorer {
	POORER_NO_CHAIN = 1, /* one frame: the sample's address */
	POORER_ODD_CONTEXT =
		2, /* cut at a value that is no address and no known marker */
	POORER_MAX_STACK = 4, /* cut because it was asked for */
	POORER_USER_STACK = 8, /* a stack dump came with it and was not unwound */
	POORER_ALL = 16,
};

struct stack_options {
	int root; /* enum ff_root of the public header: 0 comm, 1 pid, 2 tid */
	uint32_t max_stack; /* 0: all */
	bool by_address; /* addresses without a map are told apart */
	uint32_t
		truncated; /* string id of the frame below which cut stacks go; 0: none */
	bool empty_chains; /* a chain without frames stays empty, as perf script has it */
};

/* Root first: the process frame, user frames, kernel frames, leaf. */
struct stack {
	const uint32_t *frames; /* until the next call */
	size_t count;
	unsigned poorer; /* of enum poorer */
};

struct stack_walker;

/* One a worker. The processes, the frames and the options outlive it. */
int stack_walker_new(struct context *ctx, const struct processes *ps,
		     struct frames *frames, const struct stack_options *options,
		     struct stack_walker **ret);
void stack_walker_free(struct stack_walker *w); /* NULL is fine */

/*
 * 128 bits that stand for the whole stack of a sample: samples of one walker with
 * the same key have the same stack. Costs one hash of the chain.
 */
struct stack_key {
	uint64_t low, high;
};
void stack_key(struct stack_walker *w, const struct sample *s, struct stack_key *ret);

/* After stack_key() of the same sample. 0, or -ENOMEM. */
int stack_walk(struct stack_walker *w, const struct sample *s, struct stack *ret);

/* The name of the sample's thread at its time: a string id. */
uint32_t stack_comm(struct stack_walker *w, const struct sample *s);

#endif
