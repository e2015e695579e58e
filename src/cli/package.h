#ifndef CLI_PACKAGE_H
#define CLI_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Which package of the distribution has the debug symbols of a file: by the lists of
 * installed files that dpkg keeps below @root, the directory that --symfs names, or "".
 */
struct package_query {
	const char *path; /* of the file, without @root */
	char *package; /* "libc6", allocated; NULL: of none, or it is not Debian */
};

/* Sorts and answers all of them, in one pass over the lists. Without memory some have no
 * answer. */
void packages_find(const char *root, struct package_query *queries, size_t count);

/* Of those, the package of a path; NULL. */
const char *packages_name(const struct package_query *queries, size_t count,
			  const char *path);

/* The line for apt's list of sources that has the packages of debug symbols, by etc/os-release
 * and apt's own lists below @root; allocated, NULL where the system is not Debian. */
char *packages_debug_archive(const char *root);

/* Fedora and its like: dnf finds the package by the file. */
bool packages_are_rpm(const char *root);

#endif
