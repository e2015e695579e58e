/*
 * The kernel tells samples their control group by its id, which is its directory's inode
 * number. So one walk over directories, whose entries have that number, tells all groups
 * without a stat() each. A group that is reached twice is told once. Links are not
 * followed, and the depth is bounded, so the walk ends.
 */
#include "live/preexisting/cgroups.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/text.h"
#include "live/events/cgroup.h"
#include "live/events/proc.h"
#include "live/preexisting/record.h"

enum {
	DEPTH_MOST = 128,
	LINES_ROOM = 16 << 10, /* of /proc/PID/cgroup */
};

struct preexisting_cgroups {
	struct bytes *to;
	struct text path; /* below the hierarchy */
	struct hash_map told; /* ids */
	char mount[CGROUP_ROOM];
	bool failed;
};

/* The id is the inode's number: 64 bits of it on machines of 64 bits. */
static void add_group(struct preexisting_cgroups *k, uint64_t id, const char *path,
		      size_t size)
{
	struct record_writer r;

	if (!id || hash_map_get(&k->told, id))
		return;
	k->failed |= !hash_map_set(&k->told, id, 1);
	r = record_writer_begin(k->to, PERF_RECORD_CGROUP, 0, 0, 0);
	record_writer_u64(&r, id);
	record_writer_text(&r, size ? path : "/", size ? size : 1);
	record_writer_end(&r);
}

/* Closes @fd. */
static void walk(struct preexisting_cgroups *k, int fd, int depth)
{
	DIR *dir = depth < DEPTH_MOST ? fdopendir(fd) : NULL;
	size_t size = k->path.size;
	struct dirent *entry;

	if (!dir) {
		close(fd);
		return;
	}
	while ((entry = readdir(dir)) != NULL) {
		int below;

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		text_char(&k->path, '/');
		text_string(&k->path, entry->d_name);
		if (k->path.failed)
			break;
		add_group(k, entry->d_ino, k->path.bytes, k->path.size);
		below = openat(dirfd(dir), entry->d_name,
			       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (below >= 0)
			walk(k, below, depth + 1);
		k->path.size = size;
		k->path.bytes[size] = '\0';
	}
	closedir(dir);
}

/* The group of @fd, and all below. walk() closes what it is given, and @fd is the
 * caller's: it gets another one. */
static void add_tree(struct preexisting_cgroups *k, int fd)
{
	struct stat st;
	int again;

	if (fstat(fd, &st) < 0)
		return;
	add_group(k, st.st_ino, k->path.bytes, k->path.size);
	again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (again >= 0)
		walk(k, again, 0);
}

static void add_of_process(struct preexisting_cgroups *k, pid_t pid)
{
	char name[64], lines[LINES_ROOM], path[2 * CGROUP_ROOM];
	char *group = NULL, *save = NULL;
	bool found = false;
	struct stat st;

	snprintf(name, sizeof(name), "/proc/%d/cgroup", pid);
	if (proc_read(AT_FDCWD, name, lines, sizeof(lines)) <= 0)
		return;
	/* "ID:CONTROLLERS:PATH": the path in the hierarchy of perf_event, or in that of
	 * cgroup2. */
	for (char *line = strtok_r(lines, "\n", &save); line && !found;
	     line = strtok_r(NULL, "\n", &save)) {
		char *first = strchr(line, ':');
		char *second = first ? strchr(first + 1, ':') : NULL;

		if (!second)
			continue;
		*second = '\0';
		found = strstr(first + 1, "perf_event") != NULL;
		if (found || !first[1])
			group = second + 1;
	}
	if (!group ||
	    (size_t)snprintf(path, sizeof(path), "%s%s", k->mount, group) >= sizeof(path))
		return;
	if (stat(path, &st) == 0)
		add_group(k, st.st_ino, group, strlen(group));
}

int preexisting_cgroups_read(enum ff_record_who who, int cgroup, const pid_t *processes,
			     size_t count, struct bytes *to)
{
	struct preexisting_cgroups *k = calloc(1, sizeof(*k));
	char link[64], path[CGROUP_ROOM];
	bool failed;
	ssize_t got;
	int fd;

	if (!k)
		return -ENOMEM;
	k->to = to;
	if (cgroup_mount(k->mount)) {
		if (who == FF_RECORD_SYSTEM) {
			fd = open(k->mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
			if (fd >= 0) {
				add_tree(k, fd);
				close(fd);
			}
		} else if (who == FF_RECORD_CGROUP) {
			/* Where the directory is below the mount. */
			snprintf(link, sizeof(link), "/proc/self/fd/%d", cgroup);
			got = readlink(link, path, sizeof(path) - 1);
			if (got >= 0) {
				path[got] = '\0';
				if (strncmp(path, k->mount, strlen(k->mount)) == 0)
					text_string(&k->path, path + strlen(k->mount));
				add_tree(k, cgroup);
			}
		} else if (who == FF_RECORD_COMMAND) {
			add_of_process(k, getpid());
		}
		for (size_t i = 0; i < count; i++)
			add_of_process(k, processes[i]);
	}
	failed = k->failed || k->path.failed || to->failed;
	hash_map_release(&k->told);
	text_release(&k->path);
	free(k);
	return failed ? -ENOMEM : 0;
}
