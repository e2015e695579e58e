/*
 * A path, gone one name at a time with O_NOFOLLOW, so that each link on it is looked at before
 * it is followed, by the descriptor that it is read from. The rule is that of
 * may_follow_link() of the kernel (Documentation/admin-guide/sysctl/fs.rst,
 * protected_symlinks), which knows only the last link of a path and may be switched off.
 *
 *	dir   rest                  next
 *	.     "a/b/c.svg"           directory a     dir = a, rest = "b/c.svg"
 *	a     "b/c.svg"             link b -> /x    dir = /, rest = "x/c.svg"
 *	/x    "c.svg"               the last name: done
 */
#include "base/write_target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
	LINKS_MOST = 40, /* as the kernel has it */
	DIRECTORY = O_PATH | O_DIRECTORY | O_CLOEXEC,
	MODES = 0777,
};

#define EVERYBODYS (S_ISVTX | S_IWOTH)

struct path_walk {
	int dir;
	char *rest; /* of the path, from dir */
	unsigned links;
	const char *why; /* NULL: what errno says */
};

/* Whose is it, in a directory where everybody may make such? */
static bool is_planted(int dir, const struct stat *st)
{
	struct stat d;

	return fstat(dir, &d) < 0 || ((d.st_mode & EVERYBODYS) == EVERYBODYS &&
				      st->st_uid != geteuid() && st->st_uid != d.st_uid);
}

static void go_to(struct path_walk *w, int dir)
{
	close(w->dir);
	w->dir = dir;
}

/* The text of the link @fd goes before what is left of the path behind @name. */
static int follow_link(struct path_walk *w, int fd, const char *behind)
{
	char target[PATH_MAX], *rest;
	ssize_t size = readlinkat(fd, "", target, sizeof(target) - 1);
	int root;

	if (size <= 0)
		return size < 0 ? -errno : -ENOENT;
	target[size] = '\0';
	if (asprintf(&rest, "%s%s", target, behind) < 0)
		return -ENOMEM;
	free(w->rest);
	w->rest = rest;
	if (target[0] != '/')
		return 0;
	root = open("/", DIRECTORY);
	if (root < 0)
		return -errno;
	go_to(w, root);
	return 0;
}

/* The text of a link in /proc may be no path: "pipe:[17]". 1: to be followed by opening it. */
static int follow_in_proc(struct path_walk *w, int fd, const char *name,
			  const char *behind)
{
	struct stat st;
	int dir;

	if (!*behind) {
		if (fstatat(w->dir, name, &st, 0) < 0)
			return -errno;
		return S_ISREG(st.st_mode) ? follow_link(w, fd, behind) : 1;
	}
	dir = openat(w->dir, name, DIRECTORY);
	if (dir < 0)
		return -errno;
	go_to(w, dir);
	memmove(w->rest, behind, strlen(behind) + 1);
	return 0;
}

static int take_link(struct path_walk *w, int fd, const struct stat *st, const char *name,
		     const char *behind)
{
	struct statfs fs;

	if (++w->links > LINKS_MOST)
		return -ELOOP;
	if (is_planted(w->dir, st)) {
		w->why = "another user's symbolic link is in the way";
		return -EACCES;
	}
	return fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC
		       ? follow_in_proc(w, fd, name, behind)
		       : follow_link(w, fd, behind);
}

/* 1: @name is the last one. 0: there is more to go. */
static int take_name(struct path_walk *w, const char *name, const char *behind,
		     struct ff_place *ret)
{
	int fd = openat(w->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), err = 0;
	struct stat st;

	if (fd < 0)
		return errno == ENOENT && !*behind ? 1 : -errno;
	if (fstat(fd, &st) < 0)
		err = -errno;
	else if (S_ISLNK(st.st_mode))
		err = ret->follow = take_link(w, fd, &st, name, behind);
	else if (!*behind)
		err = 1;
	else if (!S_ISDIR(st.st_mode))
		err = -ENOTDIR;
	if (err != 0 || S_ISLNK(st.st_mode)) {
		close(fd);
		return err;
	}
	go_to(w, fd);
	memmove(w->rest, behind, strlen(behind) + 1);
	return 0;
}

/* Name after name. */
static int walk_path(struct path_walk *w, struct ff_place *ret)
{
	int done = 0;

	while (done == 0) {
		char *start = w->rest + strspn(w->rest, "/");
		size_t size = strcspn(start, "/");
		char *name = strndup(start, size);

		if (!name)
			return -ENOMEM;
		if (size == 0)
			done = -EISDIR;
		else if (size > NAME_MAX)
			done = -ENAMETOOLONG;
		else
			done = take_name(w, name, start + size, ret);
		if (done > 0)
			ret->name = name;
		else
			free(name);
	}
	return done < 0 ? done : 0;
}

int write_target_open(const char *path, struct ff_place *ret, const char **why)
{
	struct path_walk w = { .dir = open(*path == '/' ? "/" : ".", DIRECTORY),
			       .rest = strdup(path) };
	struct ff_place p = { 0 };
	int err = w.dir < 0 ? -errno : !w.rest ? -ENOMEM : *path ? 0 : -ENOENT;

	if (err == 0)
		err = walk_path(&w, &p);
	free(w.rest);
	if (err < 0) {
		if (w.dir >= 0)
			close(w.dir);
		*why = w.why ? w.why : strerror(-err);
		return err;
	}
	p.directory = w.dir;
	*ret = p;
	return 0;
}

void write_target_close(struct ff_place *p)
{
	if (p->directory >= 0)
		close(p->directory);
	free(p->name);
	*p = (struct ff_place){ .directory = -1 };
}

mode_t write_target_mode(const struct ff_place *p, mode_t usual)
{
	struct stat st;

	if (fstatat(p->directory, p->name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISREG(st.st_mode))
		return usual;
	/* With a second name it may be a file from elsewhere: linking asks for no more than the
	 * right to write to it. */
	if (st.st_uid == geteuid() && st.st_nlink == 1)
		return st.st_mode & MODES;
	return st.st_mode & usual;
}

static int refuse_fifo(const char **why)
{
	*why = "another user's pipe is in the way";
	return -EACCES;
}

int write_target_open_special(const struct ff_place *p, int flags, const char **why)
{
	struct stat st;
	int fd, err;

	/* Opening a FIFO waits for its reader: not for one that is refused. */
	if (!p->follow && fstatat(p->directory, p->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISFIFO(st.st_mode) && is_planted(p->directory, &st))
		return refuse_fifo(why);
	fd = openat(p->directory, p->name,
		    flags | O_CLOEXEC | O_NOCTTY | (p->follow ? 0 : O_NOFOLLOW));
	/* What counts is what was opened: it may have been put there since. */
	if (fd < 0 || fstat(fd, &st) < 0) {
		err = -errno;
		*why = strerror(-err);
	} else if (!p->follow && S_ISFIFO(st.st_mode) && is_planted(p->directory, &st)) {
		err = refuse_fifo(why);
	} else if (S_ISREG(st.st_mode)) {
		err = -EEXIST;
		*why = "it was replaced just now";
	} else {
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return err;
}
