#ifndef WRITE_SINK_H
#define WRITE_SINK_H

#include <pthread.h>
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
	struct sink_turns *turns; /* NULL: the only one that writes */
	size_t turn;
};

enum {
	SINK_BLOCK = 64 << 10,
	SINK_HELD = 4 << 20, /* by one that waits for its turn */
	SINK_LEFT = 3, /* turns, by those that go on with a later one */
};

/*
 * Several sinks of one stream, filled at the same time by a thread each. What is printed
 * for turn 0 is written first, and so on. Who is done before the turn has come leaves it to
 * the one who writes:
 *
 *	thread A   |print 0     |write 0, 1|print 3 |write 3|
 *	thread B   |print 1 |print 2  |write 2|print 4   ...
 */
struct sink_turns {
	pthread_mutex_t lock;
	pthread_cond_t passed;
	size_t next; /* the turn to be written */
	bool writing; /* somebody writes what was left */
	struct {
		struct text text;
		int err; /* there was no memory for it */
		bool whole;
	} left[SINK_LEFT]; /* by turn, modulo their number */
	int err; /* of the first write that failed; nothing is written behind it */
};

void sink_flush(struct sink *s);

static inline void sink_drain(struct sink *s)
{
	if (s->text.size >= (s->turns ? SINK_HELD : SINK_BLOCK))
		sink_flush(s);
}

/* Writes what is left and releases the sink. 0, or -errno and a sentence. */
int sink_end(struct context *ctx, struct sink *s);

void sink_turns_init(struct sink_turns *t);
void sink_turns_destroy(struct sink_turns *t);

/* From now on the sink prints for that turn. Each is taken once, the next one to be taken
 * is the lowest, and it is passed on whatever fails. */
void sink_take_turn(struct sink *s, struct sink_turns *t, size_t turn);
/* The turn is over: what was printed is written as soon as those before it are. */
void sink_pass_turn(struct sink *s);

#endif
