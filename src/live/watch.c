/*
 * The end of a live run is not left to the thread that uses the samples. That one may be in
 * the middle of a pass over full rings, of a graph, or of a write that nobody reads; and as
 * long as events fire 100,000 times a second on each processor, the kernel leaves it little
 * time to get there. So a thread sleeps until the end and stops the events itself: what the
 * rings hold then is the rest, and nothing disturbs its use.
 *
 *	caller	 read  read  read ...... draw ....... read  read the rest
 *	watch	 sleep -------------> stop
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "live/run.h"

#define SECOND 1000000000ull

enum { QUIT, WAKE };

/* The thread: sleeps until the caller quits or wakes it, or the time has come. */
static void *watch_end(void *arg)
{
	struct live *l = arg;
	struct pollfd fds[] = { [QUIT] = { .fd = l->watch.quit, .events = POLLIN },
				[WAKE] = { .fd = l->watch.wake, .events = POLLIN } };
	int found;

	do {
		uint64_t now = run_now(), left = l->until > now ? l->until - now : 0;
		struct timespec t = { (time_t)(left / SECOND), (long)(left % SECOND) };

		found = ppoll(fds, 2, l->until == UINT64_MAX ? NULL : &t, NULL);
	} while (found < 0 ? errno == EINTR : found == 0 && run_now() < l->until);
	if (fds[WAKE].revents && l->watch.end_command)
		live_command_end_early(&l->command);
	if (fds[QUIT].revents)
		return NULL;
	/* Against events that are opened anew at that moment, and would run on. */
	pthread_mutex_lock(&l->watch.lock);
	rings_disable(&l->rings);
	l->watch.left = rings_left(&l->rings);
	l->watch.stopped = true;
	pthread_mutex_unlock(&l->watch.lock);
	return NULL;
}

int live_watch(struct context *ctx, struct live *l, int wake, bool end_command)
{
	struct live_watch *w = &l->watch;
	sigset_t all, before;
	int err;

	w->wake = wake;
	w->end_command = end_command;
	w->quit = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->quit < 0)
		return fail(ctx, -errno, "eventfd: %s", strerror(errno));
	/* Signals are for the threads of whoever called the library. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = pthread_create(&w->thread, NULL, watch_end, l);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	w->running = err == 0;
	return err ? fail(ctx, -err, "cannot start a thread: %s", strerror(err)) : 0;
}

/* Also where it never ran, and more than once. */
void run_end_watch(struct live *l)
{
	struct live_watch *w = &l->watch;
	uint64_t one = 1;

	if (w->running) {
		while (write(w->quit, &one, sizeof(one)) < 0 && errno == EINTR)
			;
		pthread_join(w->thread, NULL);
	}
	w->running = false;
	if (w->quit >= 0)
		close(w->quit);
	w->quit = -1;
}
