#ifndef INPUT_PRINTED_H
#define INPUT_PRINTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A line of what perf script prints of a sample, tools/perf/builtin-script.c of Linux. Most of its
 * fields can be left out with -F.
 *
 *	comm  pid/tid [cpu]  time:  period event:  what a tracepoint says
 *		address symbol+0xoffset (object)
 *		address function (inlined)
 */
struct printed_part {
	const char *text; /* of the line */
	size_t size;
};

struct printed_head {
	struct printed_part comm, event; /* empty: not printed */
	struct printed_part rest; /* behind the event */
	bool has_pid, has_tid, has_cpu, has_time, has_period;
	uint32_t pid, tid, cpu;
	uint64_t time, period; /* ns */
};

/* False where the line is no headline. @timed: it must have a time, which makes one certain. */
bool printed_head_parse(const char *line, size_t size, bool timed,
			struct printed_head *ret);

struct printed_frame {
	struct printed_part
		name; /* without its offset; empty: no symbol covers the address */
	struct printed_part module; /* empty: not printed, or inlined */
	struct printed_part address; /* hexadecimal; empty: not printed */
	struct printed_part
		file; /* of its source, "main.c:12": only of lists (listed.h) */
	bool inlined;
};

/* What the line says if it is a frame. False where there is nothing on it. */
bool printed_frame_parse(const char *line, size_t size, struct printed_frame *ret);

/* The same of what stands behind the event of a sample without a chain, among other fields. */
bool printed_own_frame_parse(const char *text, size_t size, struct printed_frame *ret);

/* Is it a tracepoint? That is "group:name", and "cycles:u" has a modifier. */
bool printed_is_tracepoint(const struct printed_part *event);

/* Is it "[unknown]", or empty as old ones of perf print it? */
bool printed_is_unnamed(const struct printed_part *name);

/*
 * What stands for a frame from there on is a text:
 *
 *	name			no object was printed
 *	name\nobject
 *	name\nobject\ninlined	the object is that of the function which it is inlined in
 *	[unknown]\nobject\n@7f	its address: only where unnamed ones are to be told apart
 *	...\n=file:12		behind all else: where it is declared; the name is whole
 *	key=value\n[label]\n=key	no frame, but what the sample is labelled with
 *	key=7\n[label number bytes]\n=key
 */
#define PRINTED_LABEL "[label"
#define PRINTED_LABEL_NUMBER PRINTED_LABEL " number"

void printed_frame_split(const char *text, struct printed_frame *ret);

/* Is it a label of the sample? */
bool printed_is_label(const struct printed_frame *frame);

/* Is it code of the kernel, a module of it, or BPF? */
bool printed_is_kernel(const struct printed_part *module);

#endif
