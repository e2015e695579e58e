/*
 * Each reader copies whole rings into a buffer, which a pass swaps for an empty one, so
 * the two share a lock only while bytes are copied. The kernel moves a ring's head by
 * whole records, so a copy up to it has no part of one.
 *
 *	reader   filling  |S S M S ...      swap       |S C ...
 *	pass     taken    (empty)           <--->      |S S M S ... handed out from here
 *
 * Whoever swaps drains the rings first, also where the reader sleeps, so a pass has all
 * that came before it. A reader that holds its share of HELD_MOST stops: then the rings
 * fill, and the kernel counts what it drops.
 */
#include "live/rings/readers.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/perf_abi.h"

enum {
	DRAIN_MS = 100,
	/* Bytes of all readers: above that the kernel drops records, and counts them. */
	HELD_MOST = 128 << 20,
};

struct record_buffer {
	uint8_t *v; /* whole records */
	size_t count, room;
};

struct ring_reader {
	pthread_t thread;
	bool running;
	struct rings *rings;
	size_t first, end; /* its rings */
	size_t most; /* bytes to hold */
	int stop; /* eventfd */
	struct pollfd *fds; /* that, and its rings */
	pthread_mutex_t lock; /* of all below, and of the tails of its rings */
	struct record_buffer filling;
	unsigned fullest; /* percent, since it was taken last */
	bool failed; /* without memory */
};

struct readers {
	struct rings *rings;
	struct ring_reader *list;
	size_t count;
	struct record_buffer taken; /* of one reader after another, in a pass */
	size_t next, at; /* reader; offset in what was taken */
};

/*
 * What is in its rings now, all of it. With the lock.
 *
 *	ring    | second part |     free     | first part |
 *	        0             head           tail         size
 */
static void drain(struct ring_reader *r)
{
	struct record_buffer *b = &r->filling;
	size_t all = r->rings->size;

	for (size_t i = r->first; i < r->end; i++) {
		struct ring *ring = &r->rings->list.v[i];
		uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
		size_t offset = ring->tail & (all - 1),
		       size = (size_t)(head - ring->tail);
		size_t first = all - offset < size ? all - offset : size;

		if (size * 100 / all > r->fullest)
			r->fullest = (unsigned)(size * 100 / all);
		/* The kernel is trusted only as far as the ring goes. */
		if (size > all)
			continue;
		if (b->room - b->count < size &&
		    !array_grow((void **)&b->v, &b->room, b->count + size, 1)) {
			r->failed = true;
			continue;
		}
		if (size)
			memcpy(b->v + b->count, ring->data + offset, first);
		if (size > first)
			memcpy(b->v + b->count + first, ring->data, size - first);
		b->count += size;
		ring->tail = head;
		__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
	}
}

/* Events whose thread has gone are not waited for again, but others that write to the same ring. */
static void *read_group(void *arg)
{
	struct ring_reader *r = arg;
	nfds_t count = (nfds_t)(r->end - r->first + 1);

	while (poll(r->fds, count, DRAIN_MS) >= 0 || errno == EINTR) {
		if (r->fds[0].revents)
			break;
		for (nfds_t i = 1; i < count; i++)
			if (r->fds[i].revents & (POLLHUP | POLLERR | POLLNVAL))
				r->fds[i].fd = rings_wait_on(r->rings, r->fds[i].fd);
		pthread_mutex_lock(&r->lock);
		if (r->filling.count < r->most)
			drain(r);
		pthread_mutex_unlock(&r->lock);
	}
	return NULL;
}

/* Its share of the rings there are: a processor may have gone since. */
static int share_rings(struct readers *r, size_t index)
{
	struct ring_reader *reader = &r->list[index];
	size_t all = r->rings->list.count;

	reader->first = all * index / r->count;
	reader->end = all * (index + 1) / r->count;
	free(reader->fds);
	reader->fds = calloc(reader->end - reader->first + 1, sizeof(*reader->fds));
	return reader->fds ? 0 : -ENOMEM;
}

int readers_new(struct context *ctx, struct rings *rings, size_t count,
		struct readers **ret)
{
	struct readers *r = calloc(1, sizeof(*r));
	int err = r ? 0 : -ENOMEM;

	if (r)
		r->list = calloc(count, sizeof(*r->list));
	if (!r || !r->list) {
		free(r);
		return fail_memory(ctx);
	}
	r->rings = rings;
	for (; r->count < count && err == 0; r->count++) {
		struct ring_reader *reader = &r->list[r->count];

		pthread_mutex_init(&reader->lock, NULL);
		reader->rings = rings;
		reader->most = HELD_MOST / count;
		reader->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		err = reader->stop >= 0 ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < r->count && err == 0; i++)
		err = share_rings(r, i);
	if (err < 0) {
		readers_free(r);
		return fail_memory(ctx);
	}
	*ret = r;
	return 0;
}

int readers_resume(struct context *ctx, struct readers *r)
{
	sigset_t all, before;
	int err = 0;

	for (size_t i = 0; i < r->count && err == 0; i++) {
		struct ring_reader *reader = &r->list[i];
		uint64_t stopped;

		if (reader->running)
			continue;
		err = share_rings(r, i);
		/* The stop of the last pause is not for the thread that comes. */
		if (err == 0 && read(reader->stop, &stopped, sizeof(stopped)) < 0 &&
		    errno != EAGAIN)
			err = -errno;
		if (err < 0)
			break;
		reader->fds[0] = (struct pollfd){ .fd = reader->stop, .events = POLLIN };
		for (size_t j = reader->first; j < reader->end; j++)
			reader->fds[j - reader->first + 1] =
				(struct pollfd){ .fd = r->rings->list.v[j].fd,
						 .events = POLLIN };
		/* Signals are for the threads of whoever called the library. */
		sigfillset(&all);
		pthread_sigmask(SIG_BLOCK, &all, &before);
		err = -pthread_create(&reader->thread, NULL, read_group, reader);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		reader->running = err == 0;
	}
	return err < 0 ? fail(ctx, err, "cannot start a thread: %s", strerror(-err)) : 0;
}

void readers_pause(struct readers *r)
{
	uint64_t one = 1;

	for (size_t i = 0; i < r->count; i++) {
		struct ring_reader *reader = &r->list[i];

		if (!reader->running)
			continue;
		while (write(reader->stop, &one, sizeof(one)) < 0 && errno == EINTR)
			;
		pthread_join(reader->thread, NULL);
		reader->running = false;
	}
}

int readers_next(struct readers *r, const uint8_t **ret, uint32_t *size)
{
	struct perf_event_header head;

	while (r->taken.count - r->at < RECORD_HEAD) {
		struct record_buffer empty = r->taken;
		struct ring_reader *reader;
		bool failed;

		if (r->next == r->count) {
			r->next = 0;
			return 0;
		}
		if (r->next == 0)
			r->rings->fullest = 0;
		/* What a reader has, and what has come since, for the empty buffer. */
		reader = &r->list[r->next++];
		empty.count = 0;
		r->at = 0;
		pthread_mutex_lock(&reader->lock);
		drain(reader);
		r->taken = reader->filling;
		reader->filling = empty;
		if (reader->fullest > r->rings->fullest)
			r->rings->fullest = reader->fullest;
		reader->fullest = 0;
		failed = reader->failed;
		pthread_mutex_unlock(&reader->lock);
		if (failed)
			return -ENOMEM;
	}
	*ret = r->taken.v + r->at;
	memcpy(&head, *ret, sizeof(head));
	/* The kernel is trusted with sizes only as far as there are bytes. */
	if (head.size < RECORD_HEAD || head.size > r->taken.count - r->at) {
		r->taken.count = r->at = 0;
		return readers_next(r, ret, size);
	}
	*size = head.size;
	r->at += head.size;
	return 1;
}

void readers_free(struct readers *r)
{
	if (!r)
		return;
	readers_pause(r);
	for (size_t i = 0; i < r->count; i++) {
		struct ring_reader *reader = &r->list[i];

		if (reader->stop >= 0)
			close(reader->stop);
		pthread_mutex_destroy(&reader->lock);
		free(reader->fds);
		free(reader->filling.v);
	}
	free(r->list);
	free(r->taken.v);
	free(r);
}
