#ifndef OBJECT_PROCESS_ROOT_H
#define OBJECT_PROCESS_ROOT_H

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
 *				else	files of that user, and those that everybody may read
 *
 * "root" and owners are those that are seen from here, outside of its namespaces. Symbolic
 * links lead to what they lead to for the process, never out of its root.
 */

/* The user whose rights it has, whatever /proc says of who owns its files: a process that may
 * not be dumped has files of root's there. False where it is gone. */
bool process_user(uint32_t pid, uid_t *ret);

/* Behind "/proc/PID/root" of @path, and *@pid; NULL: it is another path. */
const char *process_root_path(const char *path, uint32_t *pid);

/*
 * As root, between the two, this thread finds and opens files with the rights of @user: what lies
 * in a directory that is closed to that user is not there, whatever its own mode. Groups stay.
 */
uid_t user_rights_begin(uid_t user);
void user_rights_end(uid_t before);

/* O_PATH, as the process's user; links are followed inside of the root, but not the last one
 * with @flags O_NOFOLLOW. -1 with errno. */
int process_root_look(uint32_t pid, const char *path, int flags);

/* Could a process of @user read it? */
bool process_may_read(uid_t user, const struct stat *st);

#endif
