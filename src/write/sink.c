#include "write/sink.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct sink_writer {
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	FILE *out;
	struct text text; /* the thread's, while it is full */
	bool full, ends;
	int err;
};

static int write_text(FILE *out, const struct text *text)
{
	errno = 0;
	if (text->size && fwrite(text->bytes, 1, text->size, out) < text->size)
		return errno ? -errno : -EIO;
	return 0;
}

static void *write_blocks(void *arg)
{
	struct sink_writer *w = arg;
	int err = 0;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		while (!w->full && !w->ends)
			pthread_cond_wait(&w->changed, &w->lock);
		if (!w->full)
			break;
		pthread_mutex_unlock(&w->lock);
		if (err == 0)
			err = write_text(w->out, &w->text);
		pthread_mutex_lock(&w->lock);
		w->err = err;
		w->full = false;
		pthread_cond_signal(&w->changed);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

void sink_write_behind(struct sink *s)
{
	struct sink_writer *w = s->writer ? NULL : calloc(1, sizeof(*w));

	if (!w)
		return;
	w->out = s->out;
	w->err = s->err;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
	if (pthread_create(&w->thread, NULL, write_blocks, w) == 0) {
		s->writer = w;
		return;
	}
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

/* The thread gets what was printed, and what it has written is printed into next. */
static void hand_over(struct sink *s)
{
	struct sink_writer *w = s->writer;
	struct text text = s->text;

	pthread_mutex_lock(&w->lock);
	while (w->full)
		pthread_cond_wait(&w->changed, &w->lock);
	s->text = w->text;
	s->text.failed = text.failed;
	w->text = text;
	w->full = true;
	s->err = w->err;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

void sink_flush(struct sink *s)
{
	if (s->writer)
		hand_over(s);
	else if (s->err == 0)
		s->err = write_text(s->out, &s->text);
	text_clear(&s->text);
}

static void end_writer(struct sink *s)
{
	struct sink_writer *w = s->writer;

	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->ends = true;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	s->err = w->err;
	text_release(&w->text);
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
	free(w);
	s->writer = NULL;
}

int sink_end(struct context *ctx, struct sink *s)
{
	bool memory = !s->text.failed;

	end_writer(s);
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
