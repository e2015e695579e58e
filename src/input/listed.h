#ifndef INPUT_LISTED_H
#define INPUT_LISTED_H

#include "base/text.h"
#include "input/perf.h"

/*
 * Samples that another profiler has listed, with frames by name: pprof's and speedscope's files, as
 * recordings. The whole file is in memory, and what it says becomes
 *
 *	locations	frames, the innermost inlined one first: runs of string ids (input/printed.h)
 *	nodes		stacks, from the root on: a location, and the node of its caller
 *	samples		a node, an event, what it weighs, who it is of
 *
 * so what it takes grows as the file does, however often stacks share what they have in common. The first
 * pass tells how threads are called, the second one hands samples out, a chunk for each run of them.
 */
struct listed_location {
	uint32_t first, count; /* in .frames */
};

/* A stack; number 0 is the empty one. */
struct listed_node {
	uint32_t parent, location;
};

struct listed_thread {
	uint32_t pid, tid, comm; /* comm: string id, 0: it has no name */
};

struct listed_sample {
	uint64_t time; /* as a record's */
	uint64_t weight;
	uint32_t node, thread; /* thread: 0 is nobody's */
	uint32_t labels, label_count; /* in .labels */
	uint32_t times; /* it was taken so often */
	uint16_t event;
};

struct listed {
	uint8_t *bytes; /* of the file, until it is parsed */
	size_t size;
	ARRAY(uint32_t) frames;
	ARRAY(struct listed_location) locations;
	ARRAY(struct listed_node) nodes;
	ARRAY(uint32_t) labels; /* texts of frames */
	ARRAY(struct listed_thread) threads;
	ARRAY(struct listed_sample) samples;
	struct hash_map comm_of_tid; /* of the first pass */
	size_t told; /* samples whose threads have been handed out */
	struct text text; /* being made */
	struct claim claim; /* of the budget, for all of it */
	/* Parses .bytes, once it is known what is asked for. */
	int (*parse)(struct context *ctx, struct input *in, struct listed *l);
	bool parsed;
	bool keeps_labels, keeps_addresses;
};

enum { LISTED_NOBODY = 0, LISTED_FRAMES_MOST = 1 << 16 };

/* Reads the input's file, packed or not, into memory. -EBADMSG with a sentence where it is damaged,
 * -EFBIG where the budget has too little left. */
int listed_read(struct context *ctx, struct input *in, struct listed **ret);
void listed_free(struct listed *l); /* of what became no input; NULL is fine */
void listed_close(struct input *in);

/* The input is @l from here on. 0, or -ENOMEM with its sentence. */
int listed_open(struct context *ctx, struct input *in, struct listed *l);

/* While it is parsed. All return 0, or a negative errno with its sentence. */

/* Of @size bytes the caller will take. */
int listed_claim(struct context *ctx, struct input *in, size_t size);

/* A frame of the location begun last. */
struct listed_frame {
	struct printed_part name, module, file;
	uint64_t line, address; /* of an unnamed one */
	bool inlined;
};
/* As names of frames are: it may be long, hold a NUL, and be said again with a few bytes. */
int listed_add_name(struct context *ctx, struct input *in, struct printed_part name,
		    uint32_t *ret);
int listed_add_location(struct context *ctx, struct input *in, uint32_t *ret);
int listed_add_frame(struct context *ctx, struct input *in, const struct listed_frame *f);
int listed_add_node(struct context *ctx, struct input *in, struct listed_node node,
		    uint32_t *ret);
int listed_add_thread(struct context *ctx, struct input *in, struct listed_thread thread,
		      uint32_t *ret);
/* "key=value"; @number: "[label number UNIT]" or "[label]" says what the value is. */
struct listed_label {
	struct printed_part key, text, unit;
	int64_t number;
	bool is_number;
};
int listed_add_label(struct context *ctx, struct input *in,
		     const struct listed_label *label);
int listed_add_event(struct context *ctx, struct input *in, struct printed_part name,
		     const char *unit);
int listed_add_sample(struct context *ctx, struct input *in,
		      const struct listed_sample *sample);

/* As state_next(). */
int listed_next_state(struct context *ctx, struct input *in, struct record *ret);

struct listed_reader;
/* As script_reader_start() and its fellows (script.h). */
int listed_reader_start(struct context *ctx, const struct input *in,
			struct listed_reader **r, size_t chunk);
void listed_reader_free(struct listed_reader *r); /* NULL is fine */
int listed_reader_next(struct context *ctx, struct listed_reader *r, struct sample *ret);

#endif
