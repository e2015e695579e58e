#ifndef LIVE_RUN_H
#define LIVE_RUN_H

#include <poll.h>
#include <pthread.h>

#include "live/command.h"
#include "live/events/attr.h"
#include "live/fallback.h"
#include "live/hotplug.h"
#include "live/preexisting/preexisting.h"
#include "live/rings/lost.h"
#include "live/rings/readers.h"

/* How far what comes first has come. */
enum preexisting_state { PREEXISTING_AWAITED, PREEXISTING_COMING, PREEXISTING_GIVEN };

/* The thread that waits for the end. */
struct live_watch {
	pthread_t thread;
	bool running;
	int quit, wake; /* fds: eventfd; the caller's */
	bool end_command;
	pthread_mutex_t lock; /* of which events are open, and of those below */
	bool stopped; /* by it */
	unsigned left; /* percent of the fullest ring at that moment */
};

/* Whom filters let pass beside those they name: who begins later, and has a higher number. */
struct newer {
	pid_t than; /* 0: nobody */
	pid_t until; /* numbers begin anew soon behind it */
};

/* A live run: what one file of this directory has found out and another one needs. */
struct live {
	const struct live_options *options;
	struct arena arena;
	struct live_permission permission;
	struct live_plan plan;
	struct live_target target; /* to open events on */
	struct live_target watched; /* who was asked for: the same, or some of all */
	struct live_events events;
	struct live_probed *probed; /* NULL: the options have it, or no event needs it */
	struct fallback fallback;
	struct live_command command;
	struct rings rings;
	struct readers *readers; /* NULL: rings are read where they are */
	struct rings leaving; /* of events that others have taken the place of */
	ARRAY(struct live_opened) opened;
	ARRAY(struct pollfd)
	waiting; /* the caller's, the command, processes, then rings */
	size_t waiting_rings; /* where they begin */
	ARRAY(pid_t) asked_for; /* processes that there is no pidfd of */
	size_t processes_left; /* or threads, of those that were asked for; by pidfd */
	struct live_preexisting *preexisting;
	enum preexisting_state preexisting_state;
	const uint8_t *preexisting_at, *preexisting_end;
	uint64_t from, until; /* samples count from then on, and until then; ns */
	struct live_watch watch;
	struct hotplug hotplug;
	bool blind; /* a processor is online again, and its events cannot be opened */
	struct newer newer;
	struct lost lost;
	struct lost_record lost_record; /* that was handed out last */
	struct live_counts counts;
	bool started, stopped;
	bool adapted_out; /* nothing is left to ask less of, and that was said */
	bool passed; /* a pass has ended: the caller is to wait, or to end */
};

enum {
	RING_MOST = 64 << 20,
	RINGS_OF_READER = 16,
};

/* live.c: CLOCK_MONOTONIC in ns, the clock of all samples and of all times here. */
uint64_t run_now(void);

/* open.c: events are opened by the plan, and their rings mapped, of @size bytes each (0: as
 * the rate needs it). */
int run_open_events(struct context *ctx, struct live *l, size_t size);

/* Adds the ids of the events that are open now to those that were known. */
int run_list_ids(struct context *ctx, struct live *l);

/* live_wait() waits for the rings there are now; false without memory. */
bool run_wait_for_rings(struct live *l);

/* filter.c: what the kernel is to leave out of each event. */
void run_make_filters(struct live *l);

/* adapt.c: may all events be opened anew, beside those there are? */
bool run_can_reopen(const struct live *l);

/* For the processors of the target, as it is now. -ERANGE: they cannot be, and those there were
 * go on. With the watch's lock, while no readers run. */
int run_reopen(struct context *ctx, struct live *l);

/* revive.c: the processors of the target; -ENOMEM. */
int run_set_cpus(struct live *l, const struct id_list *online);

/* Begins to watch the processors of the target; false without memory. */
bool run_watch_cpus(struct live *l);

/* watch.c: the thread has ended then, and may have stopped the events. */
void run_end_watch(struct live *l);

#endif
