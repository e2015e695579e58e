#include "live/known_process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/proc.h"

enum {
	STAT_ROOM = 1024,
	COMM_ROOM = 256,
	PATH_ROOM = 64,
	/* Fields of /proc/PID/stat, counted from the one behind the name (proc(5)). */
	STAT_PARENT = 1,
	STAT_FLAGS = 6,
	STAT_THREADS = 17,
	FLAG_KERNEL_THREAD = 0x00200000, /* PF_KTHREAD */
};

struct one {
	struct known_processes *k;
	int dir; /* /proc/PID */
	uint32_t pid, parent;
	unsigned long threads;
	bool kernel_thread;
	const char *comm;
	size_t comm_size;
};

static unsigned long field(const char *p, int number)
{
	while (number-- > 0 && p) {
		p = strchr(p, ' ');
		p += p != NULL;
	}
	return p ? strtoul(p, NULL, 10) : 0;
}

/* "PID (NAME) STATE PARENT ...": the name may have brackets and newlines in it. */
static bool read_stat(struct one *o, char *text)
{
	char *open = strchr(text, '('), *close = strrchr(text, ')');

	if (!open || !close || close < open || !close[1])
		return false;
	o->comm = open + 1;
	o->comm_size = (size_t)(close - open - 1);
	o->parent = (uint32_t)field(close + 2, STAT_PARENT);
	o->kernel_thread = field(close + 2, STAT_FLAGS) & FLAG_KERNEL_THREAD;
	o->threads = field(close + 2, STAT_THREADS);
	return true;
}

/* In the order of enum namespace_kind, as the kernel has them. */
static void add_namespaces(struct one *o)
{
	static const char *const names[] = {
		"ns/net", "ns/uts", "ns/ipc", "ns/pid", "ns/user", "ns/mnt", "ns/cgroup",
	};
	enum { COUNT = sizeof(names) / sizeof(*names) };
	struct known_record r;
	struct stat found[COUNT] = { 0 };

	for (size_t i = 0; i < COUNT; i++)
		if (fstatat(o->dir, names[i], &found[i], 0) < 0)
			found[i] = (struct stat){ 0 };
	if (!found[0].st_ino)
		return;
	r = known_start(o->k->to, PERF_RECORD_NAMESPACES, 0, o->pid, o->pid);
	known_u32(&r, o->pid);
	known_u32(&r, o->pid);
	known_u64(&r, COUNT);
	for (size_t i = 0; i < COUNT; i++) {
		/* new_encode_dev() of the kernel, which is what stat() gives for these. */
		known_u64(&r, found[i].st_dev);
		known_u64(&r, found[i].st_ino);
	}
	known_end(&r);
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
	known_fork(o->k->to, o->pid, o->pid, (uint32_t)tid, o->pid);
	known_comm(o->k->to, o->pid, (uint32_t)tid, comm,
		   (size_t)size - (comm[size - 1] == '\n'));
	return 0;
}

static int add_maps(struct one *o)
{
	int err = known_maps_read(&o->k->maps, o->dir, o->pid, o->k->to);

	o->k->count++;
	if ((err == -EACCES || err == -EPERM) && o->k->hidden++ == 0)
		o->k->first_hidden = (pid_t)o->pid;
	return err == -ENOMEM ? err : 0;
}

static int read_process(struct one *o)
{
	char text[STAT_ROOM];
	int err = 0;

	if (proc_read(o->dir, "stat", text, sizeof(text)) <= 0 || !read_stat(o, text))
		return 0;
	known_fork(o->k->to, o->pid, o->parent, o->pid, o->parent);
	if (!o->kernel_thread)
		add_namespaces(o);
	known_comm(o->k->to, o->pid, o->pid, o->comm, o->comm_size);
	if (!o->kernel_thread)
		err = add_maps(o);
	if (o->threads > 1)
		proc_each(o->dir, "task", take_thread, o);
	return o->k->to->failed ? -ENOMEM : err;
}

int known_process_read(struct known_processes *k, pid_t pid)
{
	struct one o = { .k = k, .pid = (uint32_t)pid };
	char path[PATH_ROOM];
	int err;

	snprintf(path, sizeof(path), "%d", pid);
	o.dir = openat(k->proc, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (o.dir < 0)
		return 0;
	err = read_process(&o);
	close(o.dir);
	return err;
}
