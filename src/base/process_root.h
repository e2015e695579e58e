#ifndef BASE_PROCESS_ROOT_H
#define BASE_PROCESS_ROOT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/*
 * Files below /proc/PID/root. What lies there, and under which names, is the process's to say:
 * in a user namespace of its own it may mount any file that it can reach on any name, also one
 * that it cannot read. So root reads there only what the process could read itself:
 *
 *	owner of the process	root	anything
 *				else	what the kernel lets that user, with the process's groups, open
 *
 * "root", users and groups are those that are seen from here, outside of its namespaces. Symbolic
 * links lead to what they lead to for the process, never out of its root.
 */

/* The user whose rights it has, whatever /proc says of who owns its files: a process that may
 * not be dumped has files of root's there. False where it is gone. */
bool process_user(uint32_t pid, uid_t *ret);

/* Behind "/proc/PID/root" of @path, and *@pid; NULL: it is another path. */
const char *process_root_path(const char *path, uint32_t *pid);

/* A user, and the groups whose rights come with it. */
struct user_rights {
	uid_t user;
	gid_t group;
	size_t count;
	gid_t *groups; /* supplementary ones */
};

/* Those of a process, by /proc/PID/status. -ENOENT: it is gone; -ENOMEM. */
int user_rights_of_process(uint32_t pid, struct user_rights *ret);
/* Those of a user alone, without any group. */
struct user_rights user_rights_of(uid_t user);
void user_rights_release(struct user_rights *r);

/*
 * As root, between the two, this thread finds and opens files with these rights and no others: what
 * lies in a directory that is closed to that user is not there, whatever its own mode. False, with
 * errno: they cannot be had, and this thread has its own. @before needs no release.
 */
bool user_rights_begin(const struct user_rights *r, struct user_rights *before);
void user_rights_end(struct user_rights *before); /* errno stays */

/* O_PATH; -1 with errno. */
int user_look(const struct user_rights *r, const char *path);
/* As file_open_looked(). */
int user_open_looked(const struct user_rights *r, int looked);

/* O_PATH, as the process's user; links are followed inside of the root, but not the last one
 * with @flags O_NOFOLLOW. -1 with errno. */
int process_root_look(uint32_t pid, const char *path, int flags);

/* A descriptor of a regular file, opened as the process's user; or a negative errno. */
int process_root_open(uint32_t pid, const char *path);

#endif
