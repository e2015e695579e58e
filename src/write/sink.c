/*
 * A sink that passes its turn on leaves its text in a slot and takes the empty one from
 * there. Then whoever finds the next turn's text in its slot writes it, and the one
 * behind it, with the lock released; .writing says that somebody does. A sink that has
 * gathered SINK_HELD bytes before its turn waits for it and writes by itself.
 *
 * Turns are taken in order, and at most SINK_LEFT texts wait, so somebody always can
 * write. After a failure nothing more is written, but turns are passed on all the same:
 * nobody waits for ever.
 */
#include "write/sink.h"

#include <errno.h>
#include <string.h>

void sink_turns_init(struct sink_turns *t)
{
	*t = (struct sink_turns){ .next = 0 };
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->passed, NULL);
}

void sink_turns_destroy(struct sink_turns *t)
{
	for (int i = 0; i < SINK_LEFT; i++)
		text_release(&t->left[i].text);
	pthread_cond_destroy(&t->passed);
	pthread_mutex_destroy(&t->lock);
}

void sink_take_turn(struct sink *s, struct sink_turns *t, size_t turn)
{
	s->turns = t;
	s->turn = turn;
}

/* Until then only those write whose turn is before. */
static void wait_for_turn(struct sink *s)
{
	struct sink_turns *t = s->turns;

	pthread_mutex_lock(&t->lock);
	while (t->next != s->turn)
		pthread_cond_wait(&t->passed, &t->lock);
	s->err = t->err;
	pthread_mutex_unlock(&t->lock);
}

/* Under the lock. */
static void note_failure(struct sink_turns *t, int err)
{
	t->err = t->err ? t->err : err;
}

/* 0, or a negative errno. */
static int write_text(const struct text *text, FILE *out)
{
	errno = 0;
	if (text->size && fwrite(text->bytes, 1, text->size, out) < text->size)
		return errno ? -errno : -EIO;
	return 0;
}

void sink_flush(struct sink *s)
{
	if (s->turns)
		wait_for_turn(s);
	if (s->err == 0)
		s->err = write_text(&s->text, s->out);
	text_clear(&s->text);
	if (!s->turns)
		return;
	pthread_mutex_lock(&s->turns->lock);
	note_failure(s->turns, s->err);
	pthread_mutex_unlock(&s->turns->lock);
}

/* What was printed for a text that was written. One that failed stays the sink's, which
 * tells of it; all that is before it is written. */
static void leave(struct sink *s, struct sink_turns *t)
{
	size_t slot = s->turn % SINK_LEFT;
	struct text written = t->left[slot].text;

	t->left[slot].whole = true;
	t->left[slot].err = s->text.failed ? -ENOMEM : 0;
	if (s->text.failed)
		return;
	t->left[slot].text = s->text;
	s->text = written;
}

/* All that is due and was left, unless somebody is at it. Under the lock but while it
 * writes. */
static void write_left(struct sink_turns *t, FILE *out)
{
	size_t slot = t->next % SINK_LEFT;

	while (!t->writing && t->left[slot].whole) {
		int err = t->err ? t->err : t->left[slot].err;

		t->writing = true;
		pthread_mutex_unlock(&t->lock);
		if (err == 0)
			err = write_text(&t->left[slot].text, out);
		text_clear(&t->left[slot].text);
		pthread_mutex_lock(&t->lock);
		note_failure(t, err);
		t->left[slot].whole = t->writing = false;
		slot = ++t->next % SINK_LEFT;
		pthread_cond_broadcast(&t->passed);
	}
}

void sink_pass_turn(struct sink *s)
{
	struct sink_turns *t = s->turns;

	pthread_mutex_lock(&t->lock);
	while (s->turn - t->next >= SINK_LEFT)
		pthread_cond_wait(&t->passed, &t->lock);
	leave(s, t);
	write_left(t, s->out);
	pthread_mutex_unlock(&t->lock);
	s->turns = NULL;
}

int sink_end(struct context *ctx, struct sink *s)
{
	bool memory = !s->text.failed;

	sink_flush(s);
	text_release(&s->text);
	errno = 0;
	if (s->err == 0 && fflush(s->out))
		s->err = errno ? -errno : -EIO;
	if (!memory)
		return fail_memory(ctx);
	if (s->err < 0)
		return fail(ctx, s->err, "cannot write: %s", strerror(-s->err));
	return 0;
}
