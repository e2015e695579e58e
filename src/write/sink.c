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
	pthread_cond_destroy(&t->passed);
	pthread_mutex_destroy(&t->lock);
}

void sink_take_turn(struct sink *s, struct sink_turns *t, size_t turn)
{
	s->turns = t;
	s->turn = turn;
}

/* The one whose turn it is alone writes and looks at what failed before. */
static void wait_for_turn(struct sink *s)
{
	struct sink_turns *t = s->turns;

	pthread_mutex_lock(&t->lock);
	while (t->next != s->turn)
		pthread_cond_wait(&t->passed, &t->lock);
	pthread_mutex_unlock(&t->lock);
	s->err = t->err;
}

static void write_text(struct sink *s)
{
	errno = 0;
	if (s->text.size && fwrite(s->text.bytes, 1, s->text.size, s->out) < s->text.size)
		s->err = errno ? -errno : -EIO;
}

void sink_flush(struct sink *s)
{
	if (s->turns)
		wait_for_turn(s);
	if (s->err == 0)
		write_text(s);
	if (s->turns)
		s->turns->err = s->err;
	text_clear(&s->text);
}

void sink_pass_turn(struct sink *s)
{
	struct sink_turns *t = s->turns;

	sink_flush(s);
	s->turns = NULL;
	pthread_mutex_lock(&t->lock);
	t->next++;
	pthread_cond_broadcast(&t->passed);
	pthread_mutex_unlock(&t->lock);
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
