#ifndef WRITE_SINK_H
#define WRITE_SINK_H

#include <stdio.h>

#include "base/context.h"
#include "base/text.h"

/*
 * Text on its way to a stream, in large blocks. Print to `text`, then let
 * sink_drain() pass on what has gathered. Failure is sticky as text's is.
 */
struct sink {
	struct text text;
	FILE *out;
	int err; /* negative errno of the first write that failed */
	struct sink_writer *writer; /* see sink_write_behind(); NULL: there is none */
};

enum {
	SINK_BLOCK = 64 << 10,
	/* To wake a thread costs some microseconds, to write so much half a millisecond. */
	SINK_BLOCK_BEHIND = 1 << 20,
};

void sink_flush(struct sink *s);

static inline void sink_drain(struct sink *s)
{
	if (s->text.size >= (s->writer ? SINK_BLOCK_BEHIND : SINK_BLOCK))
		sink_flush(s);
}

/* From now on a thread writes one block while the next one is printed. Nobody else may use
 * the stream until sink_end(). Without a thread all goes on as before. */
void sink_write_behind(struct sink *s);

/* Writes what is left and releases the sink. 0, or -errno and a sentence. */
int sink_end(struct context *ctx, struct sink *s);

#endif
