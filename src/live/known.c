#include "live/known.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/known_bpf.h"
#include "live/known_cgroup.h"
#include "live/known_kernel.h"
#include "live/known_process.h"
#include "live/proc.h"

struct live_known {
	enum live_who who;
	ARRAY(pid_t) processes; /* of the target */
	int cgroup; /* its own; -1: none */
	struct bytes out;
	struct known_processes reading;
	pthread_t thread;
	bool started; /* and not joined */
	atomic_bool done, stop;
	int err;
};

static int take_process(void *arg, pid_t pid)
{
	struct live_known *k = arg;

	return atomic_load(&k->stop) ? -ECANCELED : known_process_read(&k->reading, pid);
}

/* Those of a control group may come and go, so all are told for it. */
static int read_processes(struct live_known *k)
{
	int err = 0;

	if (k->who == LIVE_SYSTEM || k->who == LIVE_CGROUP)
		return proc_each(k->reading.proc, ".", take_process, k);
	for (size_t i = 0; i < k->processes.count && err == 0; i++)
		err = take_process(k, k->processes.v[i]);
	return err;
}

static int read_all(struct live_known *k)
{
	int err;

	known_kernel_read("", &k->out);
	err = known_bpf_read(&k->out);
	if (err == 0)
		err = known_cgroups_read(k->who, k->cgroup, k->processes.v,
					 k->processes.count, &k->out);
	if (err == 0)
		err = read_processes(k);
	return k->out.failed ? -ENOMEM : err;
}

static void *run(void *arg)
{
	struct live_known *k = arg;

	k->err = read_all(k);
	known_maps_release(&k->reading.maps);
	atomic_store(&k->done, true);
	return NULL;
}

/* Signals are for the threads of the caller. */
static void start_thread(struct live_known *k)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&k->thread, NULL, run, k);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err == 0)
		k->started = true;
	else
		run(k);
}

int live_known_start(struct context *ctx, const struct live_target *target,
		     enum live_known_files files, struct live_known **ret)
{
	struct live_known *k = calloc(1, sizeof(*k));

	if (!k)
		return fail_memory(ctx);
	k->who = target->who;
	k->reading.to = &k->out;
	k->reading.maps.by_inode_only = files == KNOWN_BY_INODE;
	k->reading.proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	k->cgroup = target->cgroup < 0 ? -1 : fcntl(target->cgroup, F_DUPFD_CLOEXEC, 0);
	if (k->reading.proc < 0) {
		int err = -errno;

		live_known_free(k);
		return fail(ctx, err, "cannot open /proc: %s", strerror(-err));
	}
	if (!array_reserve(&k->processes, target->processes.count)) {
		live_known_free(k);
		return fail_memory(ctx);
	}
	if (target->processes.count)
		memcpy(k->processes.v, target->processes.v,
		       target->processes.count * sizeof(pid_t));
	k->processes.count = target->processes.count;
	start_thread(k);
	*ret = k;
	return 0;
}

bool live_known_done(struct live_known *k)
{
	return atomic_load(&k->done);
}

static void join(struct live_known *k)
{
	if (k->started)
		pthread_join(k->thread, NULL);
	k->started = false;
}

/* Of the whole system some always are: what has no name for that is counted at the end. */
static void say_hidden(struct context *ctx, struct live_known *k)
{
	size_t hidden = k->reading.hidden;

	k->reading.hidden = 0;
	if (!hidden || hidden < k->reading.count / 4)
		return;
	warn(ctx,
	     "the maps of %zu process%s (%d%s) are not for this user to see: what they "
	     "had "
	     "mapped before has no names; root sees them, or who has CAP_SYS_PTRACE",
	     hidden, hidden > 1 ? "es" : "", k->reading.first_hidden,
	     hidden > 1 ? ", ..." : "");
}

int live_known_records(struct context *ctx, struct live_known *k, const uint8_t **ret,
		       size_t *size)
{
	join(k);
	if (k->err == -ENOMEM)
		return fail_memory(ctx);
	if (k->err < 0)
		return fail(ctx, k->err, "cannot read /proc: %s", strerror(-k->err));
	say_hidden(ctx, k);
	*ret = k->out.v;
	*size = k->out.count;
	return 0;
}

void live_known_free(struct live_known *k)
{
	if (!k)
		return;
	atomic_store(&k->stop, true);
	join(k);
	bytes_release(&k->out);
	array_release(&k->processes);
	if (k->reading.proc >= 0)
		close(k->reading.proc);
	if (k->cgroup >= 0)
		close(k->cgroup);
	free(k);
}
