/*
 * All records go to one buffer, first from the caller's thread, which names processes,
 * then from a thread of its own, which reads the rest: kernel, BPF programs, control
 * groups, then maps process by process, so that it can be stopped between two. The
 * buffer belongs to one of them at a time: the caller touches it again only after it has
 * joined the thread.
 *
 *	caller   names of all, all of young ones | start thread | ... | join, hand out
 *	thread                                     rest of the others
 */
#include "live/preexisting/preexisting.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "live/events/permission.h"
#include "live/events/proc.h"
#include "live/preexisting/bpf.h"
#include "live/preexisting/cgroups.h"
#include "live/preexisting/kernel.h"
#include "live/preexisting/process.h"

enum {
	CHILDREN_ROOM = 64 << 10, /* bytes of their ids: those of 8000, or more */
	PATH_ROOM = 64,
};

struct live_preexisting {
	enum ff_record_who who;
	ARRAY(pid_t) processes; /* of the target, and children of theirs */
	int cgroup; /* its own; -1: none */
	struct bytes out;
	struct preexisting_processes scan;
	pthread_t thread;
	bool started; /* and not joined */
	atomic_bool done, stop;
	int err;
};

static int name_process(void *arg, pid_t pid)
{
	struct live_preexisting *k = arg;

	return preexisting_process_name(&k->scan, pid);
}

static int compare_children(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

/* "1234 1235 ", of one thread. Kernels may lack that file (CONFIG_PROC_CHILDREN). */
static int name_children(struct live_preexisting *k, const struct live_target *target,
			 pid_t tid, char *room)
{
	char path[PATH_ROOM], *end;

	snprintf(path, sizeof(path), "%d/task/%d/children", tid, tid);
	if (proc_read(k->scan.proc, path, room, CHILDREN_ROOM) <= 0)
		return 0;
	for (char *p = room;; p = end) {
		pid_t pid = (pid_t)strtoul(p, &end, 10), *item;
		int told;

		/* The last one may be cut. */
		if (end == p || *end != ' ')
			return 0;
		/* Listed ones are named as such. */
		if (target->processes.count &&
		    bsearch(&pid, target->processes.v, target->processes.count,
			    sizeof(pid), compare_children))
			continue;
		told = preexisting_process_child(&k->scan, pid);
		if (told < 0)
			return told;
		if (told == 0)
			continue;
		item = array_add(&k->processes);
		if (!item)
			return -ENOMEM;
		*item = pid;
	}
}

/* The second pass, in the thread. */
static void *run(void *arg)
{
	struct live_preexisting *k = arg;
	int err;

	preexisting_kernel_read("", &k->out);
	err = preexisting_bpf_read(&k->out);
	if (err == 0)
		err = preexisting_cgroups_read(k->who, k->cgroup, k->processes.v,
					       k->processes.count, &k->out);
	for (size_t i = 0; i < k->scan.left.count && err == 0; i++)
		err = atomic_load(&k->stop)
			      ? -ECANCELED
			      : preexisting_process_threads(&k->scan, &k->scan.left.v[i]);
	k->err = k->out.failed ? -ENOMEM : err;
	preexisting_maps_release(&k->scan.maps);
	array_release(&k->scan.left);
	atomic_store(&k->done, true);
	return NULL;
}

static int fail_proc(struct context *ctx, int err)
{
	enum { FILES_MORE = 128 };
	char hint[FILES_HINT_ROOM];
	struct rlimit limit;

	if (err == -ENOMEM)
		return fail_memory(ctx);
	if (err == -EMFILE && getrlimit(RLIMIT_NOFILE, &limit) == 0)
		return fail(ctx, err,
			    "cannot read /proc: too many open files; '%s' allows "
			    "enough",
			    live_files_hint((size_t)limit.rlim_cur + FILES_MORE, hint));
	return fail(ctx, err, "cannot read /proc: %s", strerror(-err));
}

/* What is needed of @target; then the first pass. */
static int name_target(struct live_preexisting *k, const struct live_target *target)
{
	size_t listed = target->processes.count;
	char *room = NULL;
	int err = 0;

	k->cgroup = target->cgroup < 0 ? -1 : fcntl(target->cgroup, F_DUPFD_CLOEXEC, 0);
	k->scan.proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (k->scan.proc < 0)
		return -errno;
	if (!array_reserve(&k->processes, listed))
		return -ENOMEM;
	if (listed)
		memcpy(k->processes.v, target->processes.v, listed * sizeof(pid_t));
	k->processes.count = listed;
	k->scan.young = preexisting_second_ago();
	/* Those of a control group may come and go, so all are told for it. */
	if (k->who == FF_RECORD_SYSTEM || k->who == FF_RECORD_CGROUP)
		return proc_each(k->scan.proc, ".", name_process, k);
	if (target->threads.count)
		room = malloc(CHILDREN_ROOM);
	if (target->threads.count && !room)
		return -ENOMEM;
	for (size_t i = 0; i < listed && err == 0; i++)
		err = name_process(k, k->processes.v[i]);
	/* What they forked when their events were open, and not enabled yet, has
	 * inherited those, and no record says that it is there. */
	for (size_t i = 0; i < target->threads.count && err == 0; i++)
		err = name_children(k, target, target->threads.v[i], room);
	for (size_t i = listed; i < k->processes.count && err == 0; i++)
		err = name_children(k, target, k->processes.v[i], room);
	free(room);
	return err;
}

int live_preexisting_start(struct context *ctx, const struct live_target *target,
			   enum live_preexisting_files files,
			   struct live_preexisting **ret)
{
	struct live_preexisting *k = calloc(1, sizeof(*k));
	sigset_t all, before;
	int err;

	if (!k)
		return fail_memory(ctx);
	k->who = target->who;
	k->scan.to = &k->out;
	k->scan.maps.by_inode_only = files == PREEXISTING_BY_INODE;
	err = name_target(k, target);
	if (err < 0) {
		live_preexisting_free(k);
		return fail_proc(ctx, err);
	}
	/* Signals are for the threads of the caller. Where there can be no more threads
	 * all is read here: later, but whole. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	k->started = pthread_create(&k->thread, NULL, run, k) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!k->started)
		run(k);
	*ret = k;
	return 0;
}

bool live_preexisting_done(struct live_preexisting *k)
{
	return atomic_load(&k->done);
}

static void join(struct live_preexisting *k)
{
	if (k->started)
		pthread_join(k->thread, NULL);
	k->started = false;
}

int live_preexisting_records(struct context *ctx, struct live_preexisting *k,
			     const uint8_t **ret, size_t *size)
{
	size_t hidden;

	join(k);
	if (k->err < 0)
		return fail_proc(ctx, k->err);
	hidden = k->scan.hidden;
	k->scan.hidden = 0;
	/* Of the whole system some always are: what has no name for that is counted at
	 * the end. */
	if (hidden && hidden >= k->scan.count / 4)
		warn(ctx,
		     "the maps of %zu process%s (%d%s) are not for this user to see: "
		     "what they had mapped before has no names; root sees them, or who "
		     "has CAP_SYS_PTRACE",
		     hidden, hidden > 1 ? "es" : "", k->scan.first_hidden,
		     hidden > 1 ? ", ..." : "");
	*ret = k->out.v;
	*size = k->out.count;
	return 0;
}

void live_preexisting_free(struct live_preexisting *k)
{
	if (!k)
		return;
	atomic_store(&k->stop, true);
	join(k);
	preexisting_maps_release(&k->scan.maps);
	array_release(&k->scan.left);
	bytes_release(&k->out);
	array_release(&k->processes);
	if (k->scan.proc >= 0)
		close(k->scan.proc);
	if (k->cgroup >= 0)
		close(k->cgroup);
	free(k);
}
