#ifndef BASE_MOUNTS_H
#define BASE_MOUNTS_H

#include <stdbool.h>

/* What a line of /proc/self/mountinfo says (proc(5)), in that line. */
struct mount_line {
	const char *root; /* what of the file system is mounted */
	const char *mounted_at;
	const char *type; /* of the file system, as in "cgroup2" */
	const char *options; /* of the file system, as in "rw,memory" */
};

/* Takes @line, which has no newline, apart in place; false: it is none. */
bool mount_line_read(char *line, struct mount_line *ret);

/* Is @word one of the words of @list, between commas? */
bool mount_has_word(const char *list, const char *word);

#endif
