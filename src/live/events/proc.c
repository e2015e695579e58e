/*
 * No stdio, and no memory but what opendir() takes: a file is opened, read into the
 * caller's room and closed. What is longer than that room is cut, which is for callers
 * to know. Fields of status are looked for behind a newline, and the only text that a
 * process chooses, its name, stands in the first line and has none.
 */
#include "live/events/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ssize_t proc_read(int dir, const char *path, char *bytes, size_t room)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	size_t size = 0;
	ssize_t got = 1;

	if (fd < 0)
		return -errno;
	while (got > 0 && size < room - 1) {
		got = read(fd, bytes + size, room - 1 - size);
		if (got > 0)
			size += (size_t)got;
		else if (got < 0 && errno == EINTR)
			got = 1;
	}
	got = got < 0 ? -errno : 0;
	close(fd);
	bytes[size] = '\0';
	return got < 0 ? got : (ssize_t)size;
}

int proc_each(int dir, const char *path, int (*take)(void *arg, pid_t id), void *arg)
{
	int fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;
	DIR *names = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!names) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	while (err == 0 && (entry = readdir(names)) != NULL) {
		const char *p = entry->d_name;
		long id = 0;

		/* What is not a number is not a process: "self", "sys". */
		for (; *p >= '0' && *p <= '9' && id <= 1 << 24; p++)
			id = id * 10 + (*p - '0');
		if (*p == '\0' && p > entry->d_name)
			err = take(arg, (pid_t)id);
	}
	closedir(names);
	return err;
}

/* The number behind "\nKEY:\t", the @skip-th of several. */
static bool status_field(const char *text, const char *key, int skip, long *ret)
{
	const char *p = strstr(text, key);
	char *end;

	if (!p)
		return false;
	p += strlen(key);
	for (;; p = end) {
		*ret = strtol(p, &end, 10);
		if (end == p)
			return false;
		if (skip-- == 0)
			return true;
	}
}

bool proc_status(int dir, const char *path, struct proc_status *ret)
{
	char text[4096];
	long process, parent, user;

	/* A name may have anything but a newline in it, and stands in the first line. */
	if (proc_read(dir, path, text, sizeof(text)) <= 0 ||
	    !status_field(text, "\nTgid:", 0, &process) ||
	    !status_field(text, "\nPPid:", 0, &parent) ||
	    !status_field(text, "\nUid:", 1, &user))
		return false;
	*ret = (struct proc_status){ .process = (pid_t)process,
				     .parent = (pid_t)parent,
				     .user = (uid_t)user,
				     .kernel_thread = !strstr(text, "\nVmSize:") };
	return true;
}
