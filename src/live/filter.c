/*
 * What the kernel leaves out of tracepoints (Documentation/trace/events.rst, "Event filtering"): all
 * that is of no use is looked at once more when it is read, so a filter saves work and decides
 * nothing. What a switch says of two threads is left out only where neither counts:
 *
 *	app -> us	the beginning of a wait of app's: kept
 *	us -> idle	ours: left out, or whoever reads would make more to read
 *
 * A few threads that were asked for are named, "pid == 10 || pid == 11", until one of them starts
 * another. What is probed is called by everything on a machine, and a command would start its second thread
 * unseen; so probes let pass whoever begins later, too, "|| pid > 4711", by numbers that only grow until
 * they begin anew. Fields of tracepoints have the numbers that threads have outside of all namespaces.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "live/events/proc.h"
#include "live/run.h"

enum {
	NAMED_MOST = 16, /* threads; the kernel takes a page of text */
	FIRST_NAMESPACE = 0xEFFFFFFC, /* PROC_PID_INIT_INO, include/linux/proc_ns.h */
	LAST_NUMBERS =
		32, /* one in so many is left to see in time that they begin anew */
};

/* In the arena; NULL where nothing is left out, or without memory. */
static const char *join_filters(struct live *l, const char *own, const struct text *t)
{
	char room[4096];
	bool both = own && *own && t->size;
	/* Threads first: of most events no more is asked. */
	int size = snprintf(room, sizeof(room), both ? "(%s) && (%s)" : "%s%s",
			    t->size ? t->bytes : "", own ? own : "");

	/* Its limit is a page, of what but_not() makes of it, too. */
	if (t->failed || size <= 0 || (size_t)size >= sizeof(room) - strlen("!()"))
		return NULL;
	return arena_text(&l->arena, room, (size_t)size);
}

/* "(@a) && !(@b)". Where that is too long @a, which only saves work, is given up: two that let the
 * same pass would write it twice. @b lets all pass where it is NULL: then nothing is left. */
static const char *but_not(struct live *l, const char *a, const char *b)
{
	char room[4096];
	int size;

	if (!b)
		return "common_pid < 0";
	size = snprintf(room, sizeof(room), a && *a ? "(%s) && !(%s)" : "%s!(%s)",
			a && *a ? a : "", b);
	if ((size_t)size >= sizeof(room))
		size = snprintf(room, sizeof(room), "!(%s)", b);
	return arena_text(&l->arena, room, (size_t)size);
}

/* Of those that are asked for twice the ones without a stack are all that the others are not: each
 * is written once. */
static void keep_apart(struct live *l)
{
	for (size_t i = 0; i < l->events.list.count; i++) {
		struct live_event *e = &l->events.list.v[i], *with = e;

		if (!e->asked || !e->asked->is_apart || !e->no_chain)
			continue;
		for (size_t k = 0; k < l->events.list.count && with == e; k++) {
			struct live_event *other = &l->events.list.v[k];

			if (other->asked && other->asked->is_apart && !other->no_chain &&
			    other->attr.config == e->attr.config)
				with = other;
		}
		if (with == e)
			continue;
		e->filter = but_not(l, e->filter, with->filter);
		e->wide_filter = but_not(l, e->wide_filter, with->wide_filter);
	}
}

/* Who begins from now on (alloc_pid() of the kernel): behind the number that was given last, which is the end of
 * /proc/loadavg, up to pid_max. Nobody, where they are about to begin anew. */
static struct newer find_newer(void)
{
	struct newer n = { 0 };
	char text[128], *last;
	long most;

	if (proc_read(AT_FDCWD, "/proc/loadavg", text, sizeof(text)) <= 0 ||
	    (last = strrchr(text, ' ')) == NULL)
		return n;
	n.than = (pid_t)strtol(last, NULL, 10);
	if (proc_read(AT_FDCWD, "/proc/sys/kernel/pid_max", text, sizeof(text)) <= 0)
		return (struct newer){ 0 };
	most = strtol(text, NULL, 10);
	n.until = (pid_t)(most - most / LAST_NUMBERS);
	return n.than > 0 && n.than < n.until ? n : (struct newer){ 0 };
}

void run_make_filters(struct live *l)
{
	bool everywhere = l->options->everywhere;
	bool whole = everywhere || l->target.who == FF_RECORD_SYSTEM ||
		     l->target.who == FF_RECORD_CGROUP;
	int self = (int)getpid();
	bool others_named = false;
	struct stat st;
	/* Are our numbers those of the kernel? */
	bool known = whole && stat("/proc/self/ns/pid", &st) == 0 &&
		     st.st_ino == FIRST_NAMESPACE;

	if (known)
		l->newer = find_newer();
	for (size_t i = 0; i < l->events.list.count; i++) {
		struct live_event *event = &l->events.list.v[i];
		struct text named = { 0 }, wide = { 0 };
		bool newer = event->probe && l->newer.than;
		const pid_t *threads = l->watched.threads.v;
		size_t count = l->watched.threads.count;
		const char *a, *b; /* fields with a thread */

		if (!event->asked ||
		    (event->attr.type != PERF_TYPE_TRACEPOINT && !event->probe))
			continue;
		a = event->asked->threads[0];
		b = event->asked->threads[1];
		/* It is held, and has started nobody. */
		if (newer && l->command.pid && everywhere) {
			threads = &l->command.pid;
			count = 1;
		}
		/* An interrupt that comes while we run may be about anybody. */
		if (known && b)
			text_printf(&wide,
				    "(%s != %d || %s != 0) && (%s != %d || %s != 0)", a,
				    self, b, b, self, a);
		else if (known && (a || !everywhere))
			text_printf(&wide, "%s != %d", a ? a : "common_pid", self);
		if (known && a && !event->asked->any_thread && count <= NAMED_MOST)
			for (size_t k = 0; k < count; k++) {
				text_printf(&named, "%s%s == %d", k ? " || " : "", a,
					    (int)threads[k]);
				if (b)
					text_printf(&named, " || %s == %d", b,
						    (int)threads[k]);
			}
		if (named.size && newer)
			text_printf(&named, " || %s > %d", a, (int)l->newer.than);
		others_named |= named.size && !newer;
		event->wide_filter = join_filters(l, event->asked->filter, &wide);
		event->filter = named.size ? join_filters(l, event->asked->filter, &named)
					   : event->wide_filter;
		text_release(&named);
		text_release(&wide);
	}
	if (others_named)
		l->newer = (struct newer){ 0 };
	keep_apart(l);
}

bool live_leaves_out(const struct live *l, pid_t tid, bool counts)
{
	bool narrow = false;

	for (size_t i = 0; i < l->events.list.count && !narrow; i++)
		narrow = l->events.list.v[i].filter != l->events.list.v[i].wide_filter;
	if (!narrow || !l->newer.than)
		return narrow && counts;
	return tid >= l->newer.until || (counts && tid <= l->newer.than);
}

/* A filter is set once (ftrace_profile_set_filter()), so events are opened anew. */
int live_widen(struct context *ctx, struct live *l)
{
	bool changed = false;
	int err = 0;

	for (size_t i = 0; i < l->events.list.count; i++) {
		struct live_event *event = &l->events.list.v[i];

		changed |= event->filter != event->wide_filter;
		event->filter = event->wide_filter;
	}
	if (!changed)
		return 0;
	if (l->readers)
		readers_pause(l->readers);
	pthread_mutex_lock(&l->watch.lock);
	if (!l->watch.stopped)
		err = run_reopen(ctx, l);
	pthread_mutex_unlock(&l->watch.lock);
	if (l->readers && readers_resume(ctx, l->readers) < 0)
		return -ENOMEM;
	if (err == -ERANGE)
		warn(ctx, "what was asked for has started threads, and events cannot be "
			  "opened for those: they are left out");
	else if (err == 0)
		warn(ctx,
		     "what was asked for has started threads, which count from %.1f s "
		     "on",
		     (double)(run_now() - l->from) / 1e9);
	return err == 0 ? 1 : err == -ERANGE ? 0 : err;
}

bool live_asked_for(const struct live *l, const pid_t **ret, size_t *count)
{
	*ret = l->watched.threads.v;
	*count = l->watched.threads.count;
	if (!l->options->everywhere)
		return false;
	if (l->options->record.who == FF_RECORD_COMMAND) {
		*ret = &l->command.pid;
		*count = 1;
	}
	return *count > 0;
}

int live_has_event(struct context *ctx, const char *words,
		   const struct live_probed *probed)
{
	struct live_events events = { .probed = probed };
	struct arena arena = { 0 };
	int err = live_events_parse(ctx, &arena, words, &events);

	live_events_release(&events);
	arena_release(&arena);
	/* No tracefs, no right to it, and no such event: each has its sentence. */
	return err == 0 ? 1 : err == -ENOENT || err == -EINVAL ? 0 : err;
}
