/*
 * /proc/self/mountinfo says which hierarchy has perf_event: a mount of version 1 with
 * that word among its options counts before cgroup2, which lacks a controller that
 * version 1 has (Documentation/admin-guide/cgroup-v2.rst). A path is tried as a file's,
 * then below that mount, and what opens has to be a directory of the same file system:
 * perf_event_open(2) fails for others with an errno that says little.
 */
#include "live/events/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mounts.h"

enum { MOUNTS_MOST = 4 << 20 };

bool cgroup_mount(char room[CGROUP_ROOM])
{
	struct context unheard = { .log = NULL };
	char *text, *save = NULL;
	struct mount_line m;
	bool found = false, first_version = false;
	size_t size;

	if (file_slurp(&unheard, "/proc/self/mountinfo", MOUNTS_MOST, &text, &size) < 0)
		return false;
	for (char *line = strtok_r(text, "\n", &save); line && !first_version;
	     line = strtok_r(NULL, "\n", &save)) {
		if (!mount_line_read(line, &m))
			continue;
		first_version = strcmp(m.type, "cgroup") == 0 &&
				mount_has_word(m.options, "perf_event");
		if (!first_version && (found || strcmp(m.type, "cgroup2") != 0))
			continue;
		found = (size_t)snprintf(room, CGROUP_ROOM, "%s", m.mounted_at) <
			CGROUP_ROOM;
	}
	free(text);
	return found;
}

/* Is that a directory of a hierarchy of control groups? */
static bool is_cgroup(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 &&
	       (fs.f_type == (__typeof__(fs.f_type))CGROUP2_SUPER_MAGIC ||
		fs.f_type == (__typeof__(fs.f_type))CGROUP_SUPER_MAGIC);
}

/* @ret is a descriptor of the directory, which perf_event_open(2) takes in place of a
 * pid; it is the caller's. */
int cgroup_open(struct context *ctx, const char *path, int *ret)
{
	static const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	char mount[CGROUP_ROOM], below[2 * CGROUP_ROOM];
	bool mounted = cgroup_mount(mount), fits;
	struct stat group, top;
	int fd = path[0] == '/' ? open(path, flags) : -1;

	if (!mounted)
		snprintf(mount, sizeof(mount), "/sys/fs/cgroup");
	if (fd >= 0 && !is_cgroup(fd)) {
		close(fd);
		fd = -1;
	}
	if (fd < 0) {
		snprintf(below, sizeof(below), "%s/%s", mount,
			 path[0] == '/' ? path + 1 : path);
		fd = open(below, flags);
	}
	if (fd < 0 && !mounted)
		return fail(ctx, -ENOENT,
			    "'%s': no control groups are mounted; 'sudo mount -t cgroup2 "
			    "none "
			    "/sys/fs/cgroup' does that",
			    path);
	if (fd < 0)
		return fail(ctx, -ENOENT, "there is no control group '%s' in %s: %s",
			    path, mount, strerror(errno));
	fits = is_cgroup(fd);
	if (fits && mounted)
		fits = fstat(fd, &group) == 0 && stat(mount, &top) == 0 &&
		       group.st_dev == top.st_dev;
	if (!fits) {
		close(fd);
		return fail(ctx, -EINVAL,
			    "'%s': events can be opened on control groups below %s only",
			    path, mount);
	}
	*ret = fd;
	return 0;
}
