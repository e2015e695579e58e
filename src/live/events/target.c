/*
 * Processes come and go while they are listed: one that has ended is passed over (with a
 * warning if it was named), and only if none is left it is an error. A process stands
 * for all of its threads, because an event on one thread is inherited by those it makes
 * later and not by those that are there. Lists may name one twice, so they are sorted
 * and made unique at the end: an event opened twice would count twice.
 */
#include "live/events/target.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "live/events/cgroup.h"
#include "live/events/id_list.h"
#include "live/events/proc.h"

enum {
	PID_MOST = 1 << 22, /* PID_MAX_LIMIT of the kernel */
	PATH_ROOM = 64,
	GONE_MOST = 112, /* bytes of processors that are named */
	RECORD_ROOM = 16 << 10, /* of a user */
};

/* What all steps of the search need; some are called back by proc_each(). */
struct target_search {
	struct context *ctx;
	const struct ff_record_options *options;
	struct live_target *target;
	uid_t user;
	pid_t self; /* is not sampled with those of its user */
};

void live_target_release(struct live_target *t)
{
	array_release(&t->cpus);
	array_release(&t->threads);
	array_release(&t->processes);
	if (t->cgroup >= 0)
		close(t->cgroup);
	t->cgroup = -1;
}

static int add_thread(void *arg, pid_t tid)
{
	struct target_search *f = arg;
	pid_t *item = array_add(&f->target->threads);

	if (!item)
		return fail_memory(f->ctx);
	*item = tid;
	return 0;
}

static int add_process(struct target_search *f, pid_t pid)
{
	pid_t *item = array_add(&f->target->processes);

	if (!item)
		return fail_memory(f->ctx);
	*item = pid;
	return 0;
}

/* Its threads, too. One that ends meanwhile has none. */
static int add_whole_process(struct target_search *f, pid_t pid)
{
	size_t before = f->target->threads.count;
	char path[PATH_ROOM];
	int err;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	err = proc_each(AT_FDCWD, path, add_thread, f);
	if (err == -ENOMEM)
		return err;
	return f->target->threads.count > before ? add_process(f, pid) : 0;
}

static int add_if_of_user(void *arg, pid_t pid)
{
	struct target_search *f = arg;
	struct proc_status status;
	char path[PATH_ROOM];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (pid == f->self || !proc_status(AT_FDCWD, path, &status) ||
	    status.user != f->user)
		return 0;
	return add_whole_process(f, pid);
}

/* All processes of a user, who is given by a name, or by a number that no name is. */
static int find_processes_of_user(struct target_search *f)
{
	const char *whom = f->options->whom;
	struct passwd record, *found = NULL;
	char room[RECORD_ROOM], *end;
	unsigned long id;
	int err;

	if (getpwnam_r(whom, &record, room, sizeof(room), &found) == 0 && found) {
		f->user = record.pw_uid;
	} else {
		errno = 0;
		id = strtoul(whom, &end, 10);
		/* (uid_t)-1 is nobody's: to setreuid(2) and chown(2) it means "as it was". */
		if (whom[0] < '0' || whom[0] > '9' || *end || errno || id >= (uid_t)-1)
			return fail(f->ctx, -ENOENT, "there is no user '%s'", whom);
		f->user = (uid_t)id;
	}
	err = proc_each(AT_FDCWD, "/proc", add_if_of_user, f);
	if (err < 0)
		return err == -ENOMEM || f->ctx->error[0]
			       ? err
			       : fail(f->ctx, err, "cannot read /proc: %s",
				      strerror(-err));
	if (f->target->threads.count == 0)
		return fail(f->ctx, -ESRCH, "no process of user '%s' is running", whom);
	return 0;
}

static int compare_pids(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

static size_t sort_unique_pids(pid_t *v, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(v, count, sizeof(*v), compare_pids);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || v[i] != v[i - 1])
			v[kept++] = v[i];
	return kept;
}

/* "-p 1,2" or "-t 1,2": those that are there. A thread's id given to -p means its process. */
static int find_listed(struct target_search *f)
{
	bool thread = f->options->who == FF_RECORD_THREADS;
	const char *what = thread ? "thread" : "process";
	struct id_list ids = { 0 };
	int err = strchr(f->options->whom, '-')
			  ? -EINVAL
			  : id_list_parse(f->options->whom, PID_MOST, &ids);

	if (err == -ENOMEM)
		return fail_memory(f->ctx);
	if (err < 0 || ids.v[0] == 0) {
		array_release(&ids);
		return fail(
			f->ctx, -EINVAL,
			"'%s' is not a list of %s ids: it is like '1234' or '1234,5678'",
			f->options->whom, what);
	}
	for (size_t i = 0; i < ids.count && err == 0; i++) {
		size_t before = f->target->threads.count;
		struct proc_status status;
		char path[PATH_ROOM];

		snprintf(path, sizeof(path), "/proc/%d/status", ids.v[i]);
		if (proc_status(AT_FDCWD, path, &status)) {
			err = thread ? add_thread(f, ids.v[i])
				     : add_whole_process(f, status.process);
			if (err == 0 && thread)
				err = add_process(f, status.process);
		}
		if (err < 0 || f->target->threads.count > before)
			continue;
		if (ids.count == 1)
			err = fail(f->ctx, -ESRCH, "there is no %s %d", what, ids.v[i]);
		else
			warn(f->ctx, "there is no %s %d; the others are sampled", what,
			     ids.v[i]);
	}
	if (err == 0 && f->target->threads.count == 0)
		err = fail(f->ctx, -ESRCH, "none of the %s ids '%s' is there", what,
			   f->options->whom);
	array_release(&ids);
	return err;
}

/* The processors that are online: all of them, or those of -C; says what is left out. */
static int find_cpus(struct target_search *f, const struct id_list *online)
{
	struct id_list listed = { 0 };
	const struct id_list *wanted = f->options->cpus ? &listed : online;
	struct text gone = { 0 }, there = { 0 };
	size_t missing = 0;
	int err = 0;

	if (f->options->cpus) {
		err = id_list_parse(f->options->cpus, ID_CPU_MOST, &listed);
		if (err == -ENOMEM)
			err = fail_memory(f->ctx);
		else if (err < 0)
			err = fail(f->ctx, err,
				   "'%s' is not a list of processors: it is like '0-3,5'",
				   f->options->cpus);
	}
	for (size_t i = 0; i < wanted->count && err == 0; i++) {
		int *item;

		if (!id_list_has(online, wanted->v[i])) {
			missing++;
			if (gone.size < GONE_MOST)
				text_printf(&gone, "%s%d", gone.size ? "," : "",
					    wanted->v[i]);
			continue;
		}
		item = array_add(&f->target->cpus);
		if (item)
			*item = wanted->v[i];
		else
			err = fail_memory(f->ctx);
	}
	if (err == 0 && missing) {
		const char *s = missing > 1 ? "s" : "", *are = missing > 1 ? "are" : "is";

		if (gone.size >= GONE_MOST)
			text_string(&gone, "...");
		id_list_print(online, &there);
		if (gone.failed || there.failed)
			err = fail_memory(f->ctx);
		else if (f->target->cpus.count == 0)
			err = fail(f->ctx, -ENODEV,
				   "processor%s %s %s not online; online: %s", s,
				   gone.bytes, are, there.bytes);
		else
			warn(f->ctx,
			     "processor%s %s %s not online and left out; online: %s", s,
			     gone.bytes, are, there.bytes);
	}
	text_release(&gone);
	text_release(&there);
	array_release(&listed);
	return err;
}

int live_target_resolve(struct context *ctx, const struct ff_record_options *options,
			const struct id_list *online, struct live_target *ret)
{
	struct live_target target = { .who = options->who, .cgroup = -1 };
	struct target_search f = {
		.ctx = ctx, .options = options, .target = &target, .self = getpid()
	};
	int err = find_cpus(&f, online);

	/* The whole system needs no list, and a command has no threads yet. */
	if (err == 0 &&
	    (options->who == FF_RECORD_PROCESSES || options->who == FF_RECORD_THREADS))
		err = find_listed(&f);
	else if (err == 0 && options->who == FF_RECORD_USER)
		err = find_processes_of_user(&f);
	else if (err == 0 && options->who == FF_RECORD_CGROUP)
		err = cgroup_open(ctx, options->whom, &target.cgroup);
	if (err < 0) {
		live_target_release(&target);
		return err;
	}
	/* In the order of numbers: preexisting.c bisects the processes. */
	target.threads.count = sort_unique_pids(target.threads.v, target.threads.count);
	target.processes.count =
		sort_unique_pids(target.processes.v, target.processes.count);
	*ret = target;
	return 0;
}
