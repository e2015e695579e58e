/*
 * Options become events that are open and do nothing yet. First it is found out whom to
 * sample, on which events, what the user is permitted, and how stacks are recorded; then
 * the command is forked and held, each event is opened (where the kernel refuses it,
 * with less, until it takes it or nothing is left), and rings are mapped. All attributes
 * say "disabled": no record comes before live_start().
 *
 * One list for poll(2) has all that is waited for. Its first places are fixed:
 *
 *	waiting   | caller's fd | command | pidfds of processes ... | rings ... |
 *	                                                            ^ waiting_rings
 *
 * Rings are at its end because they can be mapped anew.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "live/run.h"

enum {
	RING_LEAST = 512 << 10,
	/* A second, where it is not known. A function that takes 10 us to be probed may be called all the time,
	 * but not all that a mode probes are. */
	USUAL_EVENTS = 1000,
	USUAL_CALLS = 4000,
	MEMORY_SHARE = 16, /* all rings have one in so many of the machine's */
};

/*
 * -C: the events that were asked for count on its processors, also on those that are offline
 * now, because they may come. What processes do matters wherever they do it, so one event
 * that counts nothing (PERF_COUNT_SW_DUMMY) reports it from the other processors, too.
 */
static int watch_all_cpus(struct context *ctx, struct live *l,
			  const struct id_list *online)
{
	struct id_list wanted = { 0 };
	int err = id_list_parse(l->options->record.cpus, ID_CPU_MOST, &wanted),
	    *cpus = NULL;
	struct live_event *watch;

	if (err == 0)
		cpus = arena_alloc(&l->arena, (wanted.count + 1) * sizeof(*cpus));
	if (cpus)
		memcpy(cpus, wanted.v, wanted.count * sizeof(*cpus));
	for (size_t i = 0; cpus && i < l->events.list.count; i++)
		if (l->events.list.v[i].cpu_count == 0) {
			l->events.list.v[i].cpus = cpus;
			l->events.list.v[i].cpu_count = wanted.count;
		}
	array_release(&wanted);
	if (!cpus || run_set_cpus(l, online) < 0)
		return fail_memory(ctx);
	watch = array_add(&l->events.list);
	if (!watch)
		return fail_memory(ctx);
	watch->name = "dummy";
	watch->attr.type = PERF_TYPE_SOFTWARE;
	watch->attr.config = PERF_COUNT_SW_DUMMY;
	watch->rated = true;
	return 0;
}

static size_t power_of_two(size_t least)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);

	while (size < least && size < RING_MOST)
		size *= 2;
	return size;
}

/* Half a second of samples on a busy processor: five times as long as a ring waits. */
static size_t ring_size(const struct live *l)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = 0, size, memory;

	if (l->options->record.ring_size)
		return power_of_two(l->options->record.ring_size);
	for (size_t i = 0; i < l->events.list.count; i++) {
		const struct perf_event_attr *attr = &l->events.list.v[i].attr;

		bytes += live_attr_sample_size(attr) *
			 (attr->freq		      ? (size_t)attr->sample_freq
			  : l->events.list.v[i].probe ? USUAL_CALLS
						      : USUAL_EVENTS) /
			 2;
	}
	size = power_of_two(bytes > RING_LEAST ? bytes : RING_LEAST);
	memory = (size_t)sysconf(_SC_PHYS_PAGES) / MEMORY_SHARE * page;
	while (size > RING_LEAST && size * l->target.cpus.count > memory)
		size /= 2;
	if (l->permission.ipc_lock || l->permission.paranoid == -1)
		return size;
	/* perf_event_mlock_kb is for each processor of a user who may not lock more; the
	 * ring's first page counts, too (perf_mmap() in kernel/events/core.c). */
	while (size > page && size + page > l->permission.mlock_kb << 10)
		size /= 2;
	return size;
}

int run_list_ids(struct context *ctx, struct live *l)
{
	for (uint32_t i = 0; i < l->opened.count; i++) {
		struct live_opened *opened = &l->opened.v[i];
		const uint64_t *more;
		size_t before = opened->id_count, count = rings_ids(&l->rings, i, &more);
		uint64_t *ids =
			arena_alloc(&l->arena, (before + count + 1) * sizeof(*ids));

		if (!ids)
			return fail_memory(ctx);
		/* Those that were opened before stay: records of theirs may still come. */
		if (before)
			memcpy(ids, opened->ids, before * sizeof(*ids));
		if (count)
			memcpy(ids + before, more, count * sizeof(*ids));
		opened->ids = ids;
		opened->id_count = before + count;
	}
	return 0;
}

static bool add_waiting(struct live *l, int fd)
{
	struct pollfd *p = array_add(&l->waiting);

	if (p)
		*p = (struct pollfd){ .fd = fd, .events = POLLIN };
	return p != NULL;
}

/* Readable when it ends. A thread by itself: Linux 6.9, PIDFD_THREAD. */
static int open_pidfd(pid_t id, bool thread)
{
	long fd = syscall(SYS_pidfd_open, id, thread ? O_EXCL : 0);

	return fd < 0 ? -errno : (int)fd;
}

bool run_wait_for_rings(struct live *l)
{
	bool ok = true;

	l->waiting.count = l->waiting_rings;
	/* What has readers is waited for by them. */
	for (size_t i = 0; i < l->rings.list.count && ok && !l->readers; i++)
		ok = add_waiting(l, l->rings.list.v[i].fd);
	return ok;
}

/* Fills the list for poll(2), in the order that is drawn above. */
static int prepare_waiting(struct context *ctx, struct live *l)
{
	bool ok = add_waiting(l, -1) && add_waiting(l, l->command.ended);
	size_t count = l->watched.processes.count;
	const pid_t *v = l->watched.processes.v;
	/* This kernel may not know pidfds of threads: it is tried with one's own. */
	int own = l->watched.who != FF_RECORD_THREADS
			  ? -1
			  : open_pidfd((pid_t)syscall(SYS_gettid), true);
	bool threads = own >= 0;

	if (threads) {
		close(own);
		count = l->watched.threads.count;
		v = l->watched.threads.v;
	}
	l->processes_left = 0;
	for (size_t i = 0; i < count && ok; i++) {
		int fd = open_pidfd(v[i], threads);
		pid_t *item;

		if (fd == -ESRCH)
			continue;
		l->processes_left++;
		if (fd >= 0) {
			ok = add_waiting(l, fd);
			if (!ok)
				close(fd);
			continue;
		}
		/* No more files may be open, or the kernel is older than 5.3: it is asked
		 * for by its id. */
		item = array_add(&l->asked_for);
		if (item)
			*item = v[i];
		ok = item != NULL;
	}
	l->waiting_rings = l->waiting.count;
	ok = ok && run_wait_for_rings(l);
	return ok ? 0 : fail_memory(ctx);
}

int run_open_events(struct context *ctx, struct live *l, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct rings_wanted wanted = { .count = l->target.cpus.count,
				       .chosen = !l->options->record.ring_size };
	int err;

	live_attr_complete(l->options, &l->plan, &l->events);
	if (!size)
		size = ring_size(l);
	/* A ring wakes its reader when a quarter of it is full. */
	for (size_t i = 0; i < l->events.list.count; i++) {
		l->events.list.v[i].attr.watermark = 1;
		l->events.list.v[i].attr.wakeup_watermark = (uint32_t)(size / 4);
	}
	for (uint32_t i = 0; i < l->events.list.count; i++) {
		struct live_event *event = &l->events.list.v[i];

		do
			err = rings_open_event(&l->rings, event, i, &l->target,
					       l->command.pid);
		while (err < 0 && fallback_next(ctx, &l->fallback, event, err));
		if (err == -ENOMEM)
			return fail_memory(ctx);
		/* Not as a group. What else was done without is tried once more. */
		if (err == -EINVAL && event->group) {
			for (size_t k = 0; k < l->events.list.count; k++) {
				struct live_event *each = &l->events.list.v[k];

				each->group = GROUP_NONE;
				each->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_READ;
			}
			rings_release(&l->rings);
			return run_open_events(ctx, l, size);
		}
		if ((err == -EACCES || err == -EPERM) && event->asked &&
		    event->asked->optional) {
			l->events.list.count--;
			memmove(event, event + 1,
				(l->events.list.count - i) * sizeof(*event));
			i--;
			continue;
		}
		if (err == -EMFILE || err == -ENFILE)
			return live_permission_fail_files(ctx, &l->target,
							  l->events.list.count, err);
		if (err < 0)
			return live_permission_fail(ctx, &l->permission, &l->target,
						    event, err);
	}
	err = rings_map(&l->rings, &l->events, size);
	/* Where the kernel does not allow as much, less is locked, unless the size was asked
	 * for. EPERM: above its limits; ENOMEM: it has no memory for them. */
	while ((err == -EPERM || err == -ENOMEM) && !l->options->record.ring_size &&
	       size > page) {
		size /= 2;
		err = rings_map(&l->rings, &l->events, size);
	}
	wanted.bytes = size;
	return err < 0 ? live_permission_fail_rings(ctx, &l->permission, &wanted, err)
		       : 0;
}

/* Events, then what is known of each for readers of records, then whoever reads them. */
static int open_all(struct context *ctx, struct live *l)
{
	size_t rings, readers = l->options->readers;
	int err;

	l->fallback = (struct fallback){ .arena = &l->arena,
					 .permission = &l->permission,
					 .target = &l->target };
	err = run_open_events(ctx, l, 0);
	for (size_t i = 0; i < l->events.list.count && err == 0; i++) {
		const struct live_event *event = &l->events.list.v[i];
		struct live_opened *opened = array_add(&l->opened);

		if (!opened)
			return fail_memory(ctx);
		*opened = (struct live_opened){ event->attr, event->name, NULL, 0,
						event->probe != PROBE_NONE };
		/* Where its path lies in memory is of no use to others. */
		if (event->probe)
			opened->attr.config1 = 0;
		/* No record has it, and there are readers of perf.data that do not know it. */
		opened->attr.read_format &= ~(uint64_t)PERF_FORMAT_LOST;
	}
	if (err == 0)
		err = run_list_ids(ctx, l);
	/* One thread for each group of processors, where there is more than one group. */
	rings = l->rings.list.count;
	if (readers == 0 && rings > RINGS_OF_READER)
		readers = (rings + RINGS_OF_READER - 1) / RINGS_OF_READER;
	if (readers > rings)
		readers = rings;
	if (err == 0 && readers)
		err = readers_new(ctx, &l->rings, readers, &l->readers);
	if (err == 0)
		err = prepare_waiting(ctx, l);
	if (err == 0 && !(lost_init(&l->lost, &l->target) && run_watch_cpus(l)))
		err = fail_memory(ctx);
	return err;
}

static const char *path_of(const struct live_event *probe)
{
	return (const char *)(uintptr_t)probe->attr.config1;
}

/* No rate is for it where each time it happens was asked for. */
static void take_every(struct live_event *event)
{
	if (!event->asked->every)
		return;
	event->rated = true;
	event->attr.freq = 0;
	event->attr.sample_period = 1;
}

/* 1: the event at @index is an earlier one, which takes what is asked of either; 0, or -ENOMEM. */
static int join_asked(struct context *ctx, struct live *l, size_t index,
		      const struct live_asked *asked)
{
	const struct live_event *event = &l->events.list.v[index];
	const struct perf_event_attr *attr = &event->attr;

	for (size_t i = 0; i < index; i++) {
		struct live_event *other = &l->events.list.v[i];
		struct live_asked *both;

		if (other->attr.type != attr->type ||
		    other->attr.config != attr->config ||
		    other->attr.config2 != attr->config2)
			continue;
		if (asked->is_apart && other->asked->is_apart)
			continue;
		if (other->probe ? strcmp(path_of(other), path_of(event)) != 0
				 : other->attr.config1 != attr->config1)
			continue;
		both = arena_alloc(&l->arena, sizeof(*both));
		if (!both)
			return fail_memory(ctx);
		*both = *other->asked;
		both->filter = "";
		both->no_chain &= asked->no_chain;
		both->registers |= asked->registers;
		both->every |= asked->every;
		other->asked = both;
		other->no_chain = both->no_chain;
		take_every(other);
		return 1;
	}
	return 0;
}

static bool has_probe(const struct live_options *o)
{
	for (size_t i = 0; i < o->record.event_count; i++)
		if (strstr(o->record.events[i], "probe:libc:"))
			return true;
	return false;
}

/* What a thread starts would have none (attr.c). */
static int check_probe(struct context *ctx, const struct live_options *o,
		       const struct live_event *event)
{
	if (!event->probe || o->everywhere || o->record.who == FF_RECORD_SYSTEM ||
	    o->record.who == FF_RECORD_CGROUP)
		return 0;
	return fail(ctx, -EINVAL,
		    "'%s': a probe is opened on whole processors (-a); of a process or "
		    "command, and what it starts, --pair 'sample %s' counts the calls",
		    event->name, event->name);
}

/* Whom to sample, and on which events; without -e on the processor's cycles. */
static int find_target_and_events(struct context *ctx, struct live *l)
{
	const struct live_options *o = l->options;
	struct ff_record_options all = o->record;
	/* What it has to say was said of those who were asked for. */
	struct context unheard = { .log = NULL };
	struct id_list online = { 0 };
	int err = rings_online(&online);
	size_t first;

	if (err == -ENOMEM)
		err = fail_memory(ctx);
	else if (err < 0)
		err = fail(ctx, err, "the list of processors cannot be understood");
	if (err == 0)
		err = live_target_resolve(ctx, &o->record, &online, &l->watched);
	/* Events are opened on whom was asked for, or on all. */
	if (err == 0 && o->everywhere) {
		all.who = FF_RECORD_SYSTEM;
		err = live_target_resolve(&unheard, &all, &online, &l->target);
		if (err < 0)
			err = fail(ctx, err, "%s", unheard.error);
	} else if (err == 0) {
		l->target = l->watched;
	}
	l->events.probed = o->probed;
	if (err == 0 && !o->probed && has_probe(o)) {
		err = live_probed_find(ctx, &o->record, &l->probed);
		l->events.probed = l->probed;
	}
	for (size_t k = 0; k < o->record.event_count && err == 0; k++) {
		const struct live_asked *asked = o->asked ? &o->asked[k] : NULL;

		first = l->events.list.count;
		err = live_events_parse(ctx, &l->arena, o->record.events[k], &l->events);
		for (size_t i = first; asked && i < l->events.list.count && err == 0;
		     i++) {
			struct live_event *event = &l->events.list.v[i];

			/* A rule may name one by a pattern, too: it happens once. */
			err = join_asked(ctx, l, i, asked);
			if (err > 0) {
				l->events.list.count--;
				memmove(event, event + 1,
					(l->events.list.count - i) * sizeof(*event));
				i--;
				err = 0;
				continue;
			}
			event->no_chain = asked->no_chain;
			event->asked = asked;
			take_every(event);
		}
	}
	/* On a machine with two kinds of processors there are two of each. */
	if (err == 0 && o->group && l->events.list.count == 2 &&
	    !l->events.list.v[0].cpu_count && !l->events.list.v[1].cpu_count) {
		l->events.list.v[0].group = GROUP_LEADER;
		l->events.list.v[1].group = GROUP_MEMBER;
	}
	for (size_t i = 0; i < l->events.list.count && err == 0; i++)
		err = check_probe(ctx, o, &l->events.list.v[i]);
	if (err == 0 && o->record.event_count == 0)
		err = live_events_parse(ctx, &l->arena, "cycles", &l->events);
	if (err == 0 && o->record.cpus)
		err = watch_all_cpus(ctx, l, &online);
	array_release(&online);
	return err;
}

int live_open(struct context *ctx, const struct live_options *options, struct live **ret)
{
	struct live *l = calloc(1, sizeof(*l));
	bool kernel = false;
	int err;

	if (!l)
		return fail_memory(ctx);
	l->options = options;
	l->target.cgroup = l->watched.cgroup = -1;
	l->until = UINT64_MAX;
	l->watch.quit = -1;
	pthread_mutex_init(&l->watch.lock, NULL);
	l->command = (struct live_command){ .go = -1, .failed = -1, .ended = -1 };
	live_permission_read(&l->permission);
	err = find_target_and_events(ctx, l);
	for (size_t i = 0;
	     i < l->events.list.count && !(options->record.flags & FF_RECORD_ALL_USER);
	     i++)
		kernel |= !l->events.list.v[i].attr.exclude_kernel;
	if (err == 0)
		err = live_permission_check(ctx, &l->permission, kernel);
	if (err == 0)
		err = live_plan_make(ctx, options, &l->permission, &l->target, &l->plan);
	/* The command is held until live_start(), so that events can be opened on it. */
	if (err == 0 && options->record.command)
		err = live_command_fork(ctx, options->record.command, &l->command);
	if (err == 0 && options->asked)
		run_make_filters(l);
	if (err == 0)
		err = open_all(ctx, l);
	if (err < 0)
		live_close(l);
	else
		*ret = l;
	return err;
}

void live_close(struct live *l)
{
	if (!l)
		return;
	/* The watch and the readers use the rings: their threads end before those go. */
	run_end_watch(l);
	pthread_mutex_destroy(&l->watch.lock);
	live_preexisting_free(l->preexisting);
	for (size_t i = 2; i < l->waiting_rings; i++)
		if (l->waiting.v[i].fd >= 0)
			close(l->waiting.v[i].fd);
	readers_free(l->readers);
	rings_release(&l->leaving);
	rings_release(&l->rings);
	live_command_release(&l->command);
	live_events_release(&l->events);
	live_probed_free(l->probed);
	live_target_release(&l->target);
	if (l->options->everywhere)
		live_target_release(&l->watched);
	array_release(&l->opened);
	array_release(&l->waiting);
	array_release(&l->asked_for);
	hotplug_release(&l->hotplug);
	lost_release(&l->lost);
	arena_release(&l->arena);
	free(l);
}
