#include "live/events/target.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/rings/rings.h"

static char heard[1024];

static void hear(void *arg, const char *line)
{
	(void)arg;
	snprintf(heard, sizeof(heard), "%s", line);
}

static struct context ctx = { .log = hear };
static struct live_target target;

static int resolve(enum ff_record_who who, const char *whom, const char *cpus)
{
	struct ff_record_options options = { .who = who, .whom = whom, .cpus = cpus };
	struct id_list online = { 0 };
	int err;

	heard[0] = ctx.error[0] = '\0';
	cr_assert_eq(rings_online(&online), 0);
	err = live_target_resolve(&ctx, &options, &online, &target);
	array_release(&online);
	return err;
}

static void refused(enum ff_record_who who, const char *whom, const char *cpus, int err,
		    const char *why)
{
	int got = resolve(who, whom, cpus);

	cr_assert_eq(got, err, "%s: %d, %s", whom, got, ctx.error);
	cr_assert_not_null(strstr(ctx.error, why), "%s", ctx.error);
}

static char *own_pid(void)
{
	static char text[16];

	snprintf(text, sizeof(text), "%d", getpid());
	return text;
}

Test(target, all_processors_that_are_online)
{
	cr_assert_eq(resolve(FF_RECORD_SYSTEM, NULL, NULL), 0);
	cr_assert_eq(target.cpus.count, (size_t)sysconf(_SC_NPROCESSORS_ONLN));
	cr_assert(target.threads.count == 0 && target.processes.count == 0);
	cr_assert_eq(target.cgroup, -1);
	live_target_release(&target);
}

Test(target, processors_that_are_not_there_are_named)
{
	int first;

	cr_assert_eq(resolve(FF_RECORD_SYSTEM, NULL, NULL), 0);
	first = target.cpus.v[0];
	live_target_release(&target);
	if (first != 0)
		cr_skip("processor 0 is not online");
	cr_assert_eq(resolve(FF_RECORD_SYSTEM, NULL, "0"), 0);
	cr_assert(target.cpus.count == 1 && target.cpus.v[0] == 0 && !heard[0]);
	live_target_release(&target);
	cr_assert_eq(resolve(FF_RECORD_SYSTEM, NULL, "0,65000"), 0);
	cr_assert_eq(target.cpus.count, 1);
	cr_assert_not_null(strstr(heard, "processor 65000 is not online and left out"),
			   "%s", heard);
	live_target_release(&target);
	cr_assert_eq(resolve(FF_RECORD_SYSTEM, NULL, "0,60000-65000"), 0);
	cr_assert_not_null(strstr(heard, "... are not online"), "%s", heard);
	live_target_release(&target);
	refused(FF_RECORD_SYSTEM, NULL, "65000", -ENODEV,
		"processor 65000 is not online");
	refused(FF_RECORD_SYSTEM, NULL, "0-", -EINVAL, "not a list of processors");
	refused(FF_RECORD_SYSTEM, NULL, "", -EINVAL, "not a list of processors");
}

struct waiting {
	int ready[2], end[2];
	pid_t tid;
};

static void *wait_for_end(void *arg)
{
	struct waiting *w = arg;
	char byte;

	w->tid = (pid_t)syscall(SYS_gettid);
	cr_assert_eq(write(w->ready[1], "", 1), 1);
	cr_assert_eq(read(w->end[0], &byte, 1), 0);
	return NULL;
}

static bool has_thread(pid_t tid)
{
	for (size_t i = 0; i < target.threads.count; i++)
		if (target.threads.v[i] == tid)
			return true;
	return false;
}

Test(target, a_process_is_all_its_threads)
{
	struct waiting w;
	pthread_t thread;
	char byte;

	cr_assert_eq(pipe(w.ready) | pipe(w.end), 0);
	pthread_create(&thread, NULL, wait_for_end, &w);
	cr_assert_eq(read(w.ready[0], &byte, 1), 1);
	cr_assert_eq(resolve(FF_RECORD_PROCESSES, own_pid(), NULL), 0);
	cr_assert(has_thread(getpid()) && has_thread(w.tid));
	cr_assert(target.processes.count == 1 && target.processes.v[0] == getpid());
	live_target_release(&target);
	close(w.end[1]);
	pthread_join(thread, NULL);
}

Test(target, a_thread_is_itself_and_its_process_is_known)
{
	cr_assert_eq(resolve(FF_RECORD_THREADS, own_pid(), NULL), 0);
	cr_assert(target.threads.count == 1 && target.threads.v[0] == getpid());
	cr_assert(target.processes.count == 1 && target.processes.v[0] == getpid());
	live_target_release(&target);
}

Test(target, a_process_that_has_gone_is_named)
{
	char both[64];
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	snprintf(both, sizeof(both), "%d", pid);
	refused(FF_RECORD_PROCESSES, both, NULL, -ESRCH, "there is no process");
	refused(FF_RECORD_THREADS, both, NULL, -ESRCH, "there is no thread");
	snprintf(both, sizeof(both), "%d,%d", pid, getpid());
	cr_assert_eq(resolve(FF_RECORD_PROCESSES, both, NULL), 0);
	cr_assert_eq(target.processes.count, 1);
	cr_assert_not_null(strstr(heard, "there is no process"), "%s", heard);
	live_target_release(&target);
	snprintf(both, sizeof(both), "%d,4194303", pid);
	refused(FF_RECORD_PROCESSES, both, NULL, -ESRCH, "none of the process ids");
}

Test(target, words_that_are_no_ids_are_refused)
{
	static const char *const words[] = {
		"", "x", "0", "1-5", "-1", "1,", "1 2", "1x"
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		refused(FF_RECORD_PROCESSES, words[i], NULL, -EINVAL,
			"not a list of process ids");
}

Test(target, a_user_is_all_its_processes_but_this_one)
{
	char id[16];
	pid_t pid = fork();
	bool found = false;

	if (pid == 0)
		for (;;)
			pause();
	snprintf(id, sizeof(id), "%u", geteuid());
	cr_assert_eq(resolve(FF_RECORD_USER, id, NULL), 0);
	for (size_t i = 0; i < target.processes.count; i++) {
		found |= target.processes.v[i] == pid;
		cr_assert_neq(target.processes.v[i], getpid());
	}
	cr_assert(found);
	live_target_release(&target);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	refused(FF_RECORD_USER, "no such user", NULL, -ENOENT,
		"there is no user 'no such user'");
	refused(FF_RECORD_USER, "4000000000", NULL, -ESRCH, "no process of user");
	refused(FF_RECORD_USER, "12x", NULL, -ENOENT, "there is no user");
}

Test(target, a_control_group_has_to_be_one)
{
	refused(FF_RECORD_CGROUP, "no/such/group", NULL, -ENOENT, "no/such/group");
	refused(FF_RECORD_CGROUP, "/proc/self", NULL, -ENOENT, "/proc/self");
}
