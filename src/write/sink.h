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
};

enum { SINK_BLOCK = 64 << 10 };

void sink_flush(struct sink *s);

static inline void sink_drain(struct sink *s)
{
	if (s->text.size >= SINK_BLOCK)
		sink_flush(s);
}

/* Writes what is left and releases the sink. 0, or -errno and a sentence. */
int sink_end(struct context *ctx, struct sink *s);

#endif
