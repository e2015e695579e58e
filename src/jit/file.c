/*
 * A file is looked at with O_PATH first and opened by that descriptor, so that what was judged is what is
 * read. The process that is asked about its files is looked up in /proc anew each time: NStgid of its
 * status is the pid that its files go by, and its start in stat, against the recording's clock, tells
 * whether the pid has been used again since. What is wrong with a file becomes text of the answer and no
 * error: the frames go without names, and the reason is said with them.
 */
#include "jit/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/process_root.h"

enum { STATUS_MOST = 1 << 16 /* bytes of files in /proc/PID */ };

#define SECOND 1000000000ull
/* How well the clock of samples and that of the system are set by one another. */
#define SLACK (2 * SECOND)

/* What /proc says of a process that may be the recorded one. */
struct living {
	bool is; /* it is there, and nothing says that it is another one */
	uint32_t inner_pid; /* its pid for itself */
	uid_t owner;
	int64_t started; /* ns of CLOCK_REALTIME */
};

static uint64_t time_on(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t) < 0)
		return 0;
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

static char *read_proc(uint32_t pid, const char *name)
{
	struct context ctx = { 0 };
	char path[64], *text;
	size_t size;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/%s", pid, name);
	return file_slurp(&ctx, path, STATUS_MOST, &text, &size) < 0 ? NULL : text;
}

/* "NStgid:\t812\t1" -> 1: outermost first. */
static uint32_t read_inner_pid(uint32_t pid)
{
	char *status = read_proc(pid, "status"), *line, *end, *last;
	uint32_t inner = pid;

	line = status ? strstr(status, "\nNStgid:") : NULL;
	if (line) {
		end = strchrnul(line + 1, '\n');
		*end = '\0';
		last = strrchr(line, '\t');
		if (last && strtoul(last, NULL, 10))
			inner = (uint32_t)strtoul(last, NULL, 10);
	}
	free(status);
	return inner;
}

/* ns of CLOCK_BOOTTIME: the 22nd field, behind a name that may hold anything. */
static uint64_t read_start(uint32_t pid)
{
	char *stat = read_proc(pid, "stat"), *p = stat ? strrchr(stat, ')') : NULL;
	long ticks = sysconf(_SC_CLK_TCK);
	uint64_t start = 0;

	for (int field = 2; p && field < 22; field++)
		p = strchr(p + 1, ' ');
	if (p && ticks > 0)
		start = (uint64_t)strtoull(p, NULL, 10) * (SECOND / (uint64_t)ticks);
	free(stat);
	return start;
}

/* The clock of samples drifts against the others, which are kept right. */
static uint64_t clock_slack(uint64_t time)
{
	return SLACK + time / 1000;
}

static void look_at_process(const struct jit_process *process, struct living *ret)
{
	uint64_t start, asleep;
	char path[64];
	struct stat st;

	*ret = (struct living){ .inner_pid = process->pid };
	snprintf(path, sizeof(path), "/proc/%" PRIu32, process->pid);
	if (!process->here || !process->pid || stat(path, &st) < 0)
		return;
	/* Another process has the pid now where it began after the recorded one was seen, whose time stands
	 * still while the machine sleeps, or where it is in another namespace. */
	start = read_start(process->pid);
	asleep = time_on(CLOCK_BOOTTIME) - time_on(CLOCK_MONOTONIC);
	if (process->seen && start > process->seen + asleep + clock_slack(start))
		return;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/ns/pid", process->pid);
	if (process->pid_namespace && stat(path, &st) == 0 &&
	    (uint32_t)st.st_ino != process->pid_namespace)
		return;
	ret->is = process_user(process->pid, &ret->owner);
	ret->inner_pid = read_inner_pid(process->pid);
	if (start)
		ret->started = (int64_t)(time_on(CLOCK_REALTIME) -
					 time_on(CLOCK_BOOTTIME) + start);
}

/* Where a file was looked for, and by whose word. */
struct candidate {
	const char *root; /* of a process: links are followed inside of it; NULL: here */
	bool named; /* below a directory that was named by hand: it counts, whoever's */
	const struct jit_tmp *tmp; /* that is held; root is where it was; NULL: none */
};

/* What is wrong with its owner or kind; NULL: nothing. */
static const char *objection(const struct search_dirs *dirs,
			     const struct candidate *candidate,
			     const struct living *living, const struct stat *st)
{
	bool is_of_process = living->is && st->st_uid == living->owner;

	if (!S_ISREG(st->st_mode))
		return "is not a regular file";
	if (candidate->named || dirs->trust_maps)
		return NULL;
	/* The process can mount or link what it likes there, a file that only root may read,
	 * too; here it can link only, and so can everybody, to files of the process's user. */
	if (candidate->root && !is_of_process)
		return "is not of the process's user: --trust-maps uses it all the same";
	if (!is_of_process && st->st_uid && st->st_uid != geteuid())
		return "";
	return st->st_nlink > 1 ? "has another name, too: --trust-maps uses it all the "
				  "same"
				: NULL;
}

static void object_to(struct jit_file *f, const char *path, const char *why,
		      const struct stat *st)
{
	text_clear(&f->problem);
	f->refused = true;
	if (*why)
		text_printf(&f->problem, "'%s' %s", path, why);
	else
		text_printf(
			&f->problem,
			"'%s' belongs to user %u, who is neither you nor root nor the "
			"process's owner: --trust-maps uses it all the same",
			path, (unsigned)st->st_uid);
}

static void note_open_failure(struct jit_file *f, int error)
{
	if (!f->refused)
		text_printf(&f->problem, "%scannot open '%s': %s",
			    f->problem.size ? "; " : "", f->path.bytes,
			    error == ELOOP ? "it is a symbolic link" : strerror(error));
	f->refused = true;
}

/* O_PATH: nothing is opened that was not looked at. -1 with errno. */
static int look_at_candidate(const struct candidate *candidate, const char *path)
{
	const int flags = O_PATH | O_CLOEXEC;
	struct stat st;
	uint32_t pid;
	int fd;

	if (candidate->tmp)
		fd = openat(candidate->tmp->dir, path + strlen("/tmp/"),
			    flags | O_NOFOLLOW);
	else if (candidate->root && sscanf(candidate->root, "/proc/%" SCNu32, &pid) == 1)
		fd = process_root_look(pid, path, O_NOFOLLOW);
	else
		fd = open(path, candidate->named ? flags : flags | O_NOFOLLOW);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISLNK(st.st_mode))
		return fd;
	close(fd);
	errno = ELOOP;
	return -1;
}

/* True where the search is at its end: the file is found. */
static bool try_path(const struct search_dirs *dirs, const struct candidate *candidate,
		     const struct living *living, const char *path, struct jit_file *f)
{
	const char *why;
	struct stat st;
	int fd = look_at_candidate(candidate, path);

	/* A live run may have used up its descriptors. */
	if (fd < 0 && errno == EMFILE && file_raise_limit())
		fd = look_at_candidate(candidate, path);
	text_clear(&f->path);
	text_printf(&f->path, "%s%s", candidate->root ? candidate->root : "", path);
	if (fd < 0) {
		if (errno != ENOENT && errno != ENOTDIR)
			note_open_failure(f, errno);
		return false;
	}
	why = fstat(fd, &st) < 0 ? "cannot be looked at"
				 : objection(dirs, candidate, living, &st);
	if (why) {
		object_to(f, f->path.bytes ? f->path.bytes : path, why, &st);
		close(fd);
		return false;
	}
	fd = file_open_looked(fd);
	if (fd < 0) {
		if (fd == -EINVAL)
			object_to(f, f->path.bytes ? f->path.bytes : path,
				  "is not a regular file", &st);
		else
			note_open_failure(f, -fd);
		return false;
	}
	text_clear(&f->problem);
	f->refused = false;
	f->fd = fd;
	return true;
}

/* Below a directory that was named: with each of the paths. */
static bool try_named(const struct search_dirs *dirs, const char *dir,
		      const char *const paths[2], const struct living *living,
		      struct jit_file *f)
{
	const struct candidate candidate = { .named = true };
	struct text path = { 0 };
	bool found = false;

	for (int i = 0; i < 2 && !found; i++) {
		if (!paths[i] || path_climbs(paths[i]))
			continue;
		text_clear(&path);
		text_printf(&path, "%s%s%s", dir, *paths[i] == '/' ? "" : "/", paths[i]);
		if (path.failed)
			break;
		found = try_path(dirs, &candidate, living, path.bytes, f);
	}
	f->path.failed |= path.failed;
	text_release(&path);
	return found;
}

/* The name that a file has here, and the one it has for the process. */
struct file_names {
	const char *here[2]; /* below a directory that was named */
	const char *path;
	const char *inner_path;
};

/*
 * The first place that is set decides, or the first of the last two that has the file:
 *
 *	--map-dir         alone, by the name that the file has here
 *	symfs             alone, by its path
 *	/proc/PID/root    while the process lives: by the path that it has for itself
 *	/                 unless it was recorded on another machine
 */
static bool look_for_file(const struct search_dirs *dirs,
			  const struct jit_process *process, const struct living *living,
			  const struct file_names *names, struct jit_file *f)
{
	const char *const below[2] = { names->path };
	struct candidate candidate = { 0 };
	char root[32];

	if (dirs->map_dir)
		return try_named(dirs, dirs->map_dir, names->here, living, f);
	if (symfs_is_set(dirs))
		return try_named(dirs, dirs->symfs, below, living, f);
	snprintf(root, sizeof(root), "/proc/%" PRIu32 "/root", process->pid);
	candidate.root = root;
	if (living->is && *names->inner_path == '/' &&
	    try_path(dirs, &candidate, living, names->inner_path, f))
		return true;
	candidate.root = NULL;
	return !process->elsewhere && *names->path == '/' &&
	       try_path(dirs, &candidate, living, names->path, f);
}

/* A pid is used again, and the file that went by it stays. */
static void judge_age(const struct jit_process *process, const struct living *living,
		      struct jit_file *f)
{
	uint64_t age = time_on(CLOCK_MONOTONIC);
	int64_t start = living->started, written;
	struct stat st;

	/* One that has gone began when the recording says. */
	if (!start && process->here && process->started && process->started <= age)
		start = (int64_t)(time_on(CLOCK_REALTIME) - (age - process->started));
	if (!start || fstat(f->fd, &st) < 0)
		return;
	written = (int64_t)st.st_mtim.tv_sec * (int64_t)SECOND + st.st_mtim.tv_nsec;
	if (written + (int64_t)clock_slack(age) < start)
		text_printf(&f->problem,
			    "'%s' is older than process %" PRIu32
			    ": it may be that of an earlier process with this pid",
			    f->path.bytes, process->pid);
}

static int finish_jit_file(struct jit_file *f)
{
	if (!f->path.failed && !f->problem.failed)
		return 0;
	jit_file_close(f);
	return -ENOMEM;
}

static void say_no_map(const struct search_dirs *dirs, const struct jit_process *process,
		       const struct living *living, const char *path, struct jit_file *f)
{
	struct stat st;

	if (f->problem.size > 0)
		return;
	if (dirs->map_dir)
		text_printf(&f->problem, "'%s' has no perf-%" PRIu32 ".map",
			    dirs->map_dir, process->pid);
	else if (process->elsewhere)
		text_printf(&f->problem,
			    "recorded on another machine: copy its '%s' and name the "
			    "directory, --map-dir",
			    path);
	else if (!living->is && process->here && process->pid_namespace &&
		 stat("/proc/self/ns/pid", &st) == 0 &&
		 (uint32_t)st.st_ino != process->pid_namespace)
		text_printf(&f->problem,
			    "no '%s', and process %" PRIu32
			    " is gone: if it ran in a container, copy the map from there "
			    "as perf-%" PRIu32 ".map and use --map-dir",
			    path, process->pid, process->pid);
	else
		text_printf(&f->problem,
			    "no '%s': the runtime has to be told to write it (node "
			    "--perf-basic-prof, java -XX:+UnlockDiagnosticVMOptions "
			    "-XX:+DumpPerfMapAtExit, python3 -X perf, "
			    "DOTNET_PerfMapEnabled=1)",
			    path);
}

int jit_file_open_map(const struct search_dirs *dirs, const struct jit_process *process,
		      struct jit_file *ret)
{
	char path[40], inner[40];
	/* The arrays are filled below. In a directory that was named the map may lie by
	 * itself, or in a tmp/ as it did where it comes from. */
	struct file_names names = { { path + strlen("/tmp/"), path }, path, inner };
	struct jit_file f = { .fd = -1 };
	struct living living;

	look_at_process(process, &living);
	snprintf(path, sizeof(path), "/tmp/perf-%" PRIu32 ".map", process->pid);
	snprintf(inner, sizeof(inner), "/tmp/perf-%" PRIu32 ".map", living.inner_pid);
	if (look_for_file(dirs, process, &living, &names, &f))
		judge_age(process, &living, &f);
	else
		say_no_map(dirs, process, &living, path, &f);
	if (finish_jit_file(&f) < 0)
		return -ENOMEM;
	*ret = f;
	return 0;
}

void jit_tmp_hold(const struct jit_process *process, struct jit_tmp *ret)
{
	/* A /tmp that is a link is followed inside of the process's root: openat2(2),
	 * RESOLVE_IN_ROOT. */
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	struct stat theirs, ours;
	struct living living;
	bool everybodys; /* its map is where everybody looks for it */
	char path[32];
	int root;

	*ret = (struct jit_tmp){ .dir = -1 };
	/* The directory alone: what was mounted on it goes with the namespace, and so would the way
	 * from the root to it. */
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/root", process->pid);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root >= 0) {
		ret->dir = (int)syscall(SYS_openat2, root, "tmp", &how, sizeof(how));
		close(root);
	}
	look_at_process(process, &living);
	ret->inner_pid = living.inner_pid;
	ret->owner = living.owner;
	ret->started = living.started;
	/* A file may be mounted on a name in a /tmp that is ours otherwise. */
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/ns/mnt", process->pid);
	ret->other_mounts = living.is && stat(path, &theirs) == 0 &&
			    stat("/proc/self/ns/mnt", &ours) == 0 &&
			    theirs.st_ino != ours.st_ino;
	if (ret->dir < 0)
		return;
	everybodys = living.inner_pid == process->pid && fstat(ret->dir, &theirs) == 0 &&
		     stat("/tmp", &ours) == 0 && theirs.st_dev == ours.st_dev &&
		     theirs.st_ino == ours.st_ino;
	/* It stays held where the process lives and its map is not where everybody looks for
	 * it. */
	if (living.is && !everybodys)
		return;
	close(ret->dir);
	ret->dir = -1;
}

int jit_tmp_open_map(const struct search_dirs *dirs, const struct jit_process *process,
		     const struct jit_tmp *tmp, struct jit_file *ret)
{
	/* Its process may be gone: what was seen of it while it lived stands for it. */
	struct living living = { true, tmp->inner_pid, tmp->owner, tmp->started };
	char path[40], root[32];
	struct candidate candidate = { .root = root, .tmp = tmp };
	struct jit_file f = { .fd = -1 };

	snprintf(root, sizeof(root), "/proc/%" PRIu32 "/root", process->pid);
	snprintf(path, sizeof(path), "/tmp/perf-%" PRIu32 ".map", tmp->inner_pid);
	if (!dirs->map_dir && !symfs_is_set(dirs) &&
	    try_path(dirs, &candidate, &living, path, &f))
		judge_age(process, &living, &f);
	if (finish_jit_file(&f) < 0)
		return -ENOMEM;
	*ret = f;
	return 0;
}

void jit_tmp_path(const struct jit_process *process, const struct jit_tmp *tmp,
		  struct text *path)
{
	text_printf(path, "/proc/%" PRIu32 "/root/tmp/perf-%" PRIu32 ".map", process->pid,
		    tmp->inner_pid);
}

int jit_file_open_dump(const struct search_dirs *dirs, const struct jit_process *process,
		       const char *recorded, struct jit_file *ret)
{
	const char *slash = strrchr(recorded, '/');
	struct file_names names = { { slash ? slash + 1 : recorded, recorded },
				    recorded,
				    recorded };
	struct jit_file f = { .fd = -1 };
	struct living living;

	look_at_process(process, &living);
	if (look_for_file(dirs, process, &living, &names, &f))
		judge_age(process, &living, &f);
	else if (f.problem.size == 0)
		text_printf(&f.problem, "no '%s'%s", recorded,
			    process->elsewhere
				    ? ": recorded on another machine, see --map-dir"
				    : "");
	if (finish_jit_file(&f) < 0)
		return -ENOMEM;
	*ret = f;
	return 0;
}

void jit_file_close(struct jit_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	text_release(&f->path);
	text_release(&f->problem);
	*f = (struct jit_file){ .fd = -1 };
}
