/*
 * Is standard input meant to be read, where no input was named? flamegraph.pl always reads it;
 * flamefold reads ./perf.data as well, and is started by cron, by ssh and by test runners, whose
 * standard input is anything. So:
 *
 *	/dev/null, a terminal, a socket, a directory	no: everybody inherits these
 *	a file, from its beginning			yes: <FILE
 *	a file that was read from			no: "while read line" reads it
 *	a pipe that brings a byte			yes
 *	a pipe that ends without one			no, and that is said
 *	a pipe that brings nothing			depends on who could write to it
 *
 * In "program | flamefold" the writer is a process beside this one, and may think for as long
 * as it likes. A pipe that only ancestors can write to was inherited from them: it is not waited
 * for where there is something else to read. Who holds a pipe open is in /proc/PID/fd: stat()
 * of what is there gives the pipe's inode, lstat() the mode that it was opened with.
 */
#include "cli/standard_input.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/terminal.h"

enum {
	PATIENCE_MS = 2000,
	ANCESTORS_MOST = 256,
};

/* The parent and the process group of a process; false where there is none. */
static bool read_relations(pid_t pid, pid_t *parent, pid_t *group)
{
	char path[64], line[512];
	const char *behind_name;
	FILE *f;
	bool got;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	got = fgets(line, sizeof(line), f) != NULL;
	fclose(f);
	/* "12 (name) S 1 12 ...": a name may have anything in it. */
	behind_name = got ? strrchr(line, ')') : NULL;
	return behind_name && sscanf(behind_name, ") %*c %d %d", parent, group) == 2;
}

/* Has the process a writing end of the pipe among its open files? */
static bool can_write_to(const struct stat *pipe, pid_t pid)
{
	char path[64];
	pid_t parent, group;
	DIR *files;
	const struct dirent *entry;
	struct stat st;
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	files = opendir(path);
	/* "sudo program | flamefold": what another user has open cannot be seen, but it is of the
	 * same job of the shell. */
	if (!files)
		return errno == EACCES && read_relations(pid, &parent, &group) &&
		       group == getpgrp();
	while (!found && (entry = readdir(files)))
		found = fstatat(dirfd(files), entry->d_name, &st, 0) == 0 &&
			S_ISFIFO(st.st_mode) && st.st_dev == pipe->st_dev &&
			st.st_ino == pipe->st_ino &&
			fstatat(dirfd(files), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) ==
				0 &&
			st.st_mode & S_IWUSR;
	closedir(files);
	return found;
}

/* True as well where nobody can tell. */
static bool has_sibling_writer(void)
{
	struct stat pipe;
	pid_t ancestors[ANCESTORS_MOST], ancestor = getppid(), group;
	size_t count = 0;
	DIR *processes = opendir("/proc");
	const struct dirent *entry;
	bool found = false;

	if (!processes || fstat(STDIN_FILENO, &pipe) < 0 ||
	    access("/proc/self/fd", R_OK) < 0)
		found = true;
	while (ancestor > 0 && count < ANCESTORS_MOST) {
		ancestors[count++] = ancestor;
		if (!read_relations(ancestor, &ancestor, &group))
			break;
	}
	while (!found && (entry = readdir(processes))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
		bool is_ancestor = false;

		for (size_t i = 0; i < count; i++)
			is_ancestor |= ancestors[i] == pid;
		found = pid > 0 && pid != getpid() && !is_ancestor &&
			can_write_to(&pipe, pid);
	}
	if (processes)
		closedir(processes);
	return found;
}

/* 1: there is a byte; 0: none so far; -1: there will be none. */
static int wait_for_byte(int milliseconds)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	int n = poll(&p, 1, milliseconds);

	if (n <= 0)
		return n == 0 || errno == EINTR ? 0 : -1;
	return p.revents & POLLIN ? 1 : -1;
}

enum standard_input standard_input_look(bool otherwise)
{
	int mode = fcntl(STDIN_FILENO, F_GETFL), got;
	struct stat st;

	if (mode < 0 || (mode & O_ACCMODE) == O_WRONLY || fstat(STDIN_FILENO, &st) < 0)
		return STANDARD_INPUT_NONE;
	if (S_ISREG(st.st_mode))
		return lseek(STDIN_FILENO, 0, SEEK_CUR) == 0 ? STANDARD_INPUT_GIVEN
							     : STANDARD_INPUT_NONE;
	if (!S_ISFIFO(st.st_mode))
		return STANDARD_INPUT_NONE;
	got = wait_for_byte(PATIENCE_MS);
	if (got == 0 && !otherwise)
		say_note("no ./perf.data here: waiting for standard input");
	/* Who could write is looked up only when nothing has come for a while: it takes a
	 * walk over all of /proc. */
	while (got == 0) {
		if (otherwise && !has_sibling_writer())
			return STANDARD_INPUT_SILENT;
		status("waiting for standard input");
		got = wait_for_byte(PATIENCE_MS);
	}
	status_clear();
	return got > 0 ? STANDARD_INPUT_GIVEN : STANDARD_INPUT_EMPTY;
}
