/*
 * One read of /proc/PID/stat has all that the first pass tells: name, parent, when it
 * began. Maps and namespaces take longer and follow later, unless the process is younger
 * than a second. In records a process is told as the kernel would have: FORK, COMM, and
 * then NAMESPACES, MMAP2, and FORK and COMM of each thread. The FORK says that its maps
 * are not its parent's, since all of them follow.
 */
#include "live/preexisting/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "live/events/proc.h"

enum {
	STAT_ROOM = 1024,
	COMM_ROOM = 256,
	PATH_ROOM = 64,
	/* Fields of /proc/PID/stat, counted from the one behind the name (proc(5)). */
	STAT_PARENT = 1,
	STAT_FLAGS = 6,
	STAT_THREADS = 17,
	STAT_STARTED = 19,
	FLAG_KERNEL_THREAD = 0x00200000, /* PF_KTHREAD */
};

struct one {
	struct preexisting_processes *k;
	int dir; /* /proc/PID */
	uint32_t pid, parent;
	bool threads; /* it has more than one */
	bool kernel_thread;
	uint64_t started; /* ticks of the clock since boot */
	const char *comm;
	size_t comm_size;
};

static unsigned long long field(const char *p, int number)
{
	while (number-- > 0 && p) {
		p = strchr(p, ' ');
		p += p != NULL;
	}
	return p ? strtoull(p, NULL, 10) : 0;
}

static int take_thread(void *arg, pid_t tid)
{
	struct one *o = arg;
	char path[PATH_ROOM], comm[COMM_ROOM];
	ssize_t size;

	if ((uint32_t)tid == o->pid)
		return 0;
	snprintf(path, sizeof(path), "task/%d/comm", tid);
	size = proc_read(o->dir, path, comm, sizeof(comm));
	if (size <= 0)
		return 0;
	preexisting_fork(o->k->to, o->pid, o->pid, (uint32_t)tid, o->pid);
	preexisting_comm(o->k->to, o->pid, (uint32_t)tid, comm,
			 (size_t)size - (comm[size - 1] == '\n'));
	return 0;
}

/* All but its name. */
static int read_rest_of_process(struct one *o)
{
	/* In the order of enum namespace_kind, as the kernel has them. */
	static const char *const names[] = {
		"ns/net", "ns/uts", "ns/ipc", "ns/pid", "ns/user", "ns/mnt", "ns/cgroup",
	};
	enum { COUNT = sizeof(names) / sizeof(*names) };
	struct stat found[COUNT] = { 0 };
	struct record_writer r;
	char path[PATH_ROOM];
	int err;

	snprintf(path, sizeof(path), "%" PRIu32, o->pid);
	o->dir = openat(o->k->proc, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (o->dir < 0)
		return 0;
	for (size_t i = 0; i < COUNT; i++)
		if (fstatat(o->dir, names[i], &found[i], 0) < 0)
			found[i] = (struct stat){ 0 };
	if (found[0].st_ino) {
		r = record_writer_begin(o->k->to, PERF_RECORD_NAMESPACES, 0, o->pid,
					o->pid);
		record_writer_u32(&r, o->pid);
		record_writer_u32(&r, o->pid);
		record_writer_u64(&r, COUNT);
		for (size_t i = 0; i < COUNT; i++) {
			/* new_encode_dev() of the kernel, as stat() gives it. */
			record_writer_u64(&r, found[i].st_dev);
			record_writer_u64(&r, found[i].st_ino);
		}
		record_writer_end(&r);
	}
	err = preexisting_maps_read(&o->k->maps, o->dir, o->pid, o->k->to);
	o->k->count++;
	if ((err == -EACCES || err == -EPERM) && o->k->hidden++ == 0)
		o->k->first_hidden = (pid_t)o->pid;
	if (o->threads)
		proc_each(o->dir, "task", take_thread, o);
	close(o->dir);
	return o->k->to->failed || err == -ENOMEM ? -ENOMEM : 0;
}

/* "PID (NAME) STATE PARENT ...": the name may have brackets and newlines in it. False
 * where there is no such process. */
static bool open_stat(struct one *o, char *text)
{
	char path[PATH_ROOM], *open, *close;

	snprintf(path, sizeof(path), "%" PRIu32 "/stat", o->pid);
	if (proc_read(o->k->proc, path, text, STAT_ROOM) <= 0)
		return false;
	open = strchr(text, '(');
	close = strrchr(text, ')');
	if (!open || !close || close < open || !close[1])
		return false;
	o->comm = open + 1;
	o->comm_size = (size_t)(close - open - 1);
	o->parent = (uint32_t)field(close + 2, STAT_PARENT);
	o->kernel_thread = field(close + 2, STAT_FLAGS) & FLAG_KERNEL_THREAD;
	o->threads = field(close + 2, STAT_THREADS) > 1;
	o->started = field(close + 2, STAT_STARTED);
	return true;
}

/* FORK and COMM; the rest follows at once where it is young, for it may end as soon, and
 * in the second pass where it is not. */
static int tell(struct one *o)
{
	struct preexisting_left *left;

	preexisting_fork(o->k->to, o->pid, o->parent, o->pid, o->parent);
	preexisting_comm(o->k->to, o->pid, o->pid, o->comm, o->comm_size);
	if (o->kernel_thread)
		return o->k->to->failed ? -ENOMEM : 0;
	if (o->started >= o->k->young)
		return read_rest_of_process(o);
	left = array_add(&o->k->left);
	if (!left)
		return -ENOMEM;
	*left = (struct preexisting_left){ o->pid, o->threads };
	return 0;
}

int preexisting_process_name(struct preexisting_processes *k, pid_t pid)
{
	struct one o = { .k = k, .pid = (uint32_t)pid };
	char text[STAT_ROOM];

	return open_stat(&o, text) ? tell(&o) : 0;
}

int preexisting_process_child(struct preexisting_processes *k, pid_t pid)
{
	struct one o = { .k = k, .pid = (uint32_t)pid };
	char text[STAT_ROOM];
	int err;

	if (!open_stat(&o, text) || o.started < k->young)
		return 0;
	err = tell(&o);
	return err < 0 ? err : 1;
}

int preexisting_process_threads(struct preexisting_processes *k,
				const struct preexisting_left *left)
{
	struct one o = { .k = k, .pid = left->pid, .threads = left->threads };

	return read_rest_of_process(&o);
}

/* Since boot, as /proc/PID/stat counts. */
uint64_t preexisting_second_ago(void)
{
	uint64_t second = (uint64_t)sysconf(_SC_CLK_TCK), ticks;
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	ticks = (uint64_t)now.tv_sec * second +
		(uint64_t)now.tv_nsec * second / 1000000000;
	return ticks > second ? ticks - second : 0;
}
