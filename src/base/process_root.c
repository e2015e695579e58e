/*
 * The path is resolved by openat2(2) with the process's root as ours (RESOLVE_IN_ROOT),
 * so its symbolic links and ".." stay inside, and with no links of /proc followed, which
 * would lead out of it. The result is an O_PATH descriptor: what is compared by fstat()
 * is the very file that is opened later, whatever the process puts at that name
 * meanwhile. A process's user is the real one of /proc/PID/status, or where that is root, as of a
 * daemon that has become somebody, the effective one: a program that is set-user-ID or set-group-ID
 * lends nothing to who runs it.
 *
 * Rights are a thread's own in the kernel, credentials(7), and the C library's setgroups(), which
 * gives all threads the same, is not used. CAP_DAC_OVERRIDE and its like go with the file-system
 * user id, capabilities(7), and come back with it; CAP_SETGID stays, so groups can be given back.
 */
#include "base/process_root.h"

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

enum {
	STATUS_MOST = 1 << 20, /* 65,536 groups, as credentials(7) allows */
	NO_GROUP = 65534, /* files of nobody's have it, of those who are not known here */
};

/* The status of a process, to be freed. 0, -ENOENT, -ENOMEM. */
static int read_status(uint32_t pid, char **ret)
{
	struct context ctx = { 0 };
	char path[32];
	size_t size;
	int err;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", pid);
	err = file_slurp(&ctx, path, STATUS_MOST, ret, &size);
	return err < 0 && err != -ENOMEM ? -ENOENT : err;
}

struct ids {
	unsigned real, effective;
};

/* "Uid:\tREAL\tEFFECTIVE\tSAVED\tFILES", Gid likewise; the name before them has its newlines
 * escaped. */
static bool read_id_line(const char *status, const char *key, struct ids *ret)
{
	const char *line = strstr(status, key);

	return line &&
	       sscanf(line + strlen(key), " %u %u", &ret->real, &ret->effective) == 2;
}

static bool read_user(const char *status, struct user_rights *r)
{
	struct ids user, group;

	if (!read_id_line(status, "\nUid:", &user) ||
	    !read_id_line(status, "\nGid:", &group))
		return false;
	r->user = user.real ? user.real : user.effective;
	r->group = user.real ? group.real : group.effective;
	return true;
}

bool process_user(uint32_t pid, uid_t *ret)
{
	struct user_rights r = { 0 };
	char *status;
	bool found;

	if (read_status(pid, &status) < 0)
		return false;
	found = read_user(status, &r);
	free(status);
	if (found)
		*ret = r.user;
	return found;
}

/* "Groups:\t4 24 100 " */
static int read_groups(const char *status, struct user_rights *r)
{
	static const char key[] = "\nGroups:";
	const char *p = strstr(status, key);
	char *end;

	if (!p)
		return -ENOENT;
	p += strlen(key);
	r->groups = calloc(strcspn(p, "\n") / 2 + 1, sizeof(*r->groups));
	if (!r->groups)
		return -ENOMEM;
	while (*(p += strspn(p, "\t ")) >= '0' && *p <= '9') {
		r->groups[r->count++] = (gid_t)strtoul(p, &end, 10);
		p = end;
	}
	return *p == '\n' ? 0 : -ENOENT;
}

int user_rights_of_process(uint32_t pid, struct user_rights *ret)
{
	struct user_rights r = { 0 };
	char *status;
	int err = read_status(pid, &status);

	if (err < 0)
		return err;
	err = read_user(status, &r) ? read_groups(status, &r) : -ENOENT;
	free(status);
	if (err < 0)
		user_rights_release(&r);
	else
		*ret = r;
	return err;
}

struct user_rights user_rights_of(uid_t user)
{
	return (struct user_rights){ .user = user, .group = NO_GROUP };
}

void user_rights_release(struct user_rights *r)
{
	free(r->groups);
	*r = (struct user_rights){ 0 };
}

const char *process_root_path(const char *path, uint32_t *pid)
{
	int size = 0;

	if (sscanf(path, "/proc/%" SCNu32 "/root%n", pid, &size) != 1 || size == 0 ||
	    path[size] != '/')
		return NULL;
	return path + size;
}

/* Those of this thread. */
static bool own_rights(struct user_rights *ret)
{
	struct user_rights r = { .user = (uid_t)setfsuid((uid_t)-1),
				 .group = (gid_t)setfsgid((gid_t)-1) };
	int count = getgroups(0, NULL);

	r.groups = count < 0 ? NULL : calloc((size_t)count + 1, sizeof(*r.groups));
	count = r.groups ? getgroups(count, r.groups) : -1;
	if (count < 0) {
		user_rights_release(&r);
		return false;
	}
	r.count = (size_t)count;
	*ret = r;
	return true;
}

bool user_rights_begin(const struct user_rights *r, struct user_rights *before)
{
	bool has_theirs;

	*before = (struct user_rights){ 0 };
	/* Root's own processes may what root may. */
	if (geteuid() != 0 || r->user == 0)
		return true;
	if (!own_rights(before)) {
		errno = ENOMEM;
		return false;
	}
	has_theirs = before->count == r->count &&
		     (r->count == 0 || memcmp(before->groups, r->groups,
					      r->count * sizeof(*r->groups)) == 0);
	if (!has_theirs)
		has_theirs = syscall(SYS_setgroups, r->count, r->groups) == 0;
	setfsgid(r->group);
	setfsuid(r->user);
	/* These tell no error: what they have set is asked for by an id that cannot be. */
	if (has_theirs && (gid_t)setfsgid((gid_t)-1) == r->group &&
	    (uid_t)setfsuid((uid_t)-1) == r->user)
		return true;
	user_rights_end(before);
	errno = EACCES;
	return false;
}

void user_rights_end(struct user_rights *before)
{
	int error = errno;

	if (before->groups) {
		setfsuid(before->user);
		setfsgid(before->group);
		syscall(SYS_setgroups, before->count, before->groups);
	}
	user_rights_release(before);
	errno = error;
}

int user_look(const struct user_rights *r, const char *path)
{
	struct user_rights before;
	int fd;

	if (!user_rights_begin(r, &before))
		return -1;
	fd = open(path, O_PATH | O_CLOEXEC);
	user_rights_end(&before);
	return fd;
}

int user_open_looked(const struct user_rights *r, int looked)
{
	struct user_rights before;
	int fd = -EACCES;

	if (!user_rights_begin(r, &before)) {
		close(looked);
		return -errno;
	}
	fd = file_open_looked(looked);
	user_rights_end(&before);
	return fd;
}

/* O_PATH; -1 with errno. */
static int look_inside(const struct user_rights *r, uint32_t pid, const char *path,
		       int flags)
{
	struct open_how how = {
		.flags = (uint64_t)(unsigned)(O_PATH | O_CLOEXEC | flags),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	struct user_rights before;
	int dir, error, fd = -1;
	char root[32];

	snprintf(root, sizeof(root), "/proc/%" PRIu32 "/root", pid);
	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -1;
	if (user_rights_begin(r, &before)) {
		fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
		user_rights_end(&before);
	}
	error = errno;
	close(dir);
	errno = error;
	return fd;
}

int process_root_look(uint32_t pid, const char *path, int flags)
{
	struct user_rights rights;
	int fd, err = user_rights_of_process(pid, &rights);

	if (err < 0) {
		errno = -err;
		return -1;
	}
	fd = look_inside(&rights, pid, path, flags);
	err = errno;
	user_rights_release(&rights);
	errno = err;
	return fd;
}

int process_root_open(uint32_t pid, const char *path)
{
	struct user_rights rights;
	int fd, err = user_rights_of_process(pid, &rights);

	if (err < 0)
		return err;
	fd = look_inside(&rights, pid, path, 0);
	fd = fd < 0 ? -errno : user_open_looked(&rights, fd);
	user_rights_release(&rights);
	return fd;
}
