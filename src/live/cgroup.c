#include "live/cgroup.h"

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

enum { MOUNTS_MOST = 4 << 20 };

/* mountinfo writes blanks and the like as "\040", in place. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *p = text; *p; to++) {
		if (p[0] == '\\' && p[1] >= '0' && p[1] <= '3' && p[2] >= '0' &&
		    p[2] <= '7' && p[3] >= '0' && p[3] <= '7') {
			*to = (char)((p[1] - '0') << 6 | (p[2] - '0') << 3 |
				     (p[3] - '0'));
			p += 4;
		} else {
			*to = *p++;
		}
	}
	*to = '\0';
}

/* "ID PARENT MAJ:MIN ROOT MOUNT OPTIONS ... - TYPE SOURCE OPTIONS" (proc(5)). */
static bool read_mount(char *line, char **mount, char **type, char **options)
{
	char *rest = strstr(line, " - "), *save = NULL, *word = NULL;

	if (!rest)
		return false;
	*rest = '\0';
	for (int i = 0; i < 5; i++)
		word = strtok_r(i ? NULL : line, " ", &save);
	*mount = word;
	save = NULL;
	*type = strtok_r(rest + 3, " ", &save);
	strtok_r(NULL, " ", &save);
	*options = strtok_r(NULL, " ", &save);
	return *mount && *type && *options;
}

static bool has_option(const char *options, const char *wanted)
{
	size_t size = strlen(wanted);

	for (const char *p = options; p; p = strchr(p, ',')) {
		p += *p == ',';
		if (strncmp(p, wanted, size) == 0 && (p[size] == ',' || !p[size]))
			return true;
	}
	return false;
}

bool cgroup_mount(char room[CGROUP_ROOM])
{
	struct context unheard = { .log = NULL };
	char *text, *save = NULL, *mount, *type, *options;
	bool found = false, first_version = false;
	size_t size;

	if (file_slurp(&unheard, "/proc/self/mountinfo", MOUNTS_MOST, &text, &size) < 0)
		return false;
	for (char *line = strtok_r(text, "\n", &save); line && !first_version;
	     line = strtok_r(NULL, "\n", &save)) {
		if (!read_mount(line, &mount, &type, &options))
			continue;
		first_version =
			strcmp(type, "cgroup") == 0 && has_option(options, "perf_event");
		if (!first_version && (found || strcmp(type, "cgroup2") != 0))
			continue;
		unescape(mount);
		found = (size_t)snprintf(room, CGROUP_ROOM, "%s", mount) < CGROUP_ROOM;
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

static bool same_hierarchy(int fd, const char *mount)
{
	struct stat one, other;

	return fstat(fd, &one) == 0 && stat(mount, &other) == 0 &&
	       one.st_dev == other.st_dev;
}

int cgroup_open(struct context *ctx, const char *path, int *ret)
{
	static const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	char mount[CGROUP_ROOM], below[2 * CGROUP_ROOM];
	bool mounted = cgroup_mount(mount);
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
	if (!is_cgroup(fd) || (mounted && !same_hierarchy(fd, mount))) {
		close(fd);
		return fail(ctx, -EINVAL,
			    "'%s': events can be opened on control groups below %s only",
			    path, mount);
	}
	*ret = fd;
	return 0;
}
