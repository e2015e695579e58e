/*
 * The path is resolved by openat2(2) with the process's root as ours (RESOLVE_IN_ROOT),
 * so its symbolic links and ".." stay inside, and with no links of /proc followed, which
 * would lead out of it. The result is an O_PATH descriptor: what is compared by fstat()
 * is the very file that is opened later, whatever the process puts at that name
 * meanwhile. A process's user is the effective one of /proc/PID/status.
 */
#include "object/process_root.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"

enum { STATUS_MOST = 1 << 16 };

bool process_user(uint32_t pid, uid_t *ret)
{
	struct context ctx = { 0 };
	char path[32], *status, *line;
	unsigned user;
	size_t size;
	bool found;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", pid);
	if (file_slurp(&ctx, path, STATUS_MOST, &status, &size) < 0)
		return false;
	/* "Uid:\tREAL\tEFFECTIVE\tSAVED\tFILES"; the name before it has its newlines escaped. */
	line = strstr(status, "\nUid:");
	found = line && sscanf(line, "\nUid: %*u %u", &user) == 1;
	free(status);
	if (found)
		*ret = user;
	return found;
}

const char *process_root_path(const char *path, uint32_t *pid)
{
	int size = 0;

	if (sscanf(path, "/proc/%" SCNu32 "/root%n", pid, &size) != 1 || size == 0 ||
	    path[size] != '/')
		return NULL;
	return path + size;
}

uid_t user_rights_begin(uid_t user)
{
	return geteuid() == 0 ? (uid_t)setfsuid(user) : user;
}

void user_rights_end(uid_t before)
{
	if (geteuid() == 0)
		setfsuid(before);
}

int process_root_look(uint32_t pid, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)(unsigned)(O_PATH | O_CLOEXEC | flags),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	char root[32];
	int dir, fd, error;
	uid_t user, before;

	snprintf(root, sizeof(root), "/proc/%" PRIu32 "/root", pid);
	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -1;
	if (!process_user(pid, &user)) {
		close(dir);
		errno = ENOENT;
		return -1;
	}
	before = user_rights_begin(user);
	fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	error = errno;
	user_rights_end(before);
	close(dir);
	errno = error;
	return fd;
}

bool process_may_read(uid_t user, const struct stat *st)
{
	return user == 0 || st->st_uid == user || (st->st_mode & S_IROTH);
}
