/*
 * dpkg has a list of files for each package, megabytes in all, and no index by file. So
 * the paths that are asked for are sorted, and every line of every list is looked up
 * among them by bisection: one pass answers all, in O(lines * log paths). Where
 * directories were merged a list may have either name, so paths are compared without
 * /usr.
 *
 *	/var/lib/dpkg/info/libc6:amd64.list    /lib/x86_64-linux-gnu/libc.so.6
 *	                   ^ the package       a line of it
 */
#include "cli/package.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char lists[] = "/var/lib/dpkg/info";
#define SUFFIX ".list"
#define MOST_LIST (64 << 20) /* bytes of one list; the largest known has 2 MB */

/* /lib is /usr/lib, and packages have the one or the other. */
static const char *without_usr(const char *path)
{
	return strncmp(path, "/usr/", 5) == 0 ? path + 4 : path;
}

static int compare_queries(const void *a, const void *b)
{
	return strcmp(without_usr(((const struct package_query *)a)->path),
		      without_usr(((const struct package_query *)b)->path));
}

/* One list, of the package that is its name: every line is a path that it installed. */
static void read_list(int directory, const char *name, struct package_query *queries,
		      size_t count)
{
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	FILE *in;
	char *line = NULL;
	size_t room = 0;
	ssize_t size;

	if (fd < 0)
		return;
	/* Below --symfs anything may lie, a FIFO too. */
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > MOST_LIST ||
	    !(in = fdopen(fd, "r"))) {
		close(fd);
		return;
	}
	while ((size = getline(&line, &room, in)) > 0) {
		struct package_query key = { .path = line }, *found;

		if (line[size - 1] == '\n')
			line[size - 1] = '\0';
		found = bsearch(&key, queries, count, sizeof(*queries), compare_queries);
		if (!found)
			continue;
		/* Several objects may have one path, and bsearch() finds any of them. */
		while (found > queries && compare_queries(found - 1, &key) == 0)
			found--;
		/* "libc6:amd64.list" -> "libc6" */
		for (; found < queries + count && compare_queries(found, &key) == 0;
		     found++)
			if (!found->package)
				found->package = strndup(
					name, strcspn(name, ":") < strlen(name)
						      ? strcspn(name, ":")
						      : strlen(name) - strlen(SUFFIX));
	}
	free(line);
	fclose(in);
}

void packages_find(const char *root, struct package_query *queries, size_t count)
{
	struct dirent *entry;
	char *path = NULL;
	DIR *dir = NULL;

	if (!count)
		return;
	/* Sorted even where there are no lists: packages_name() searches by bisection. */
	qsort(queries, count, sizeof(*queries), compare_queries);
	if (asprintf(&path, "%s%s", root, lists) < 0)
		return;
	dir = opendir(path);
	free(path);
	while (dir && (entry = readdir(dir))) {
		size_t size = strlen(entry->d_name), suffix = strlen(SUFFIX);

		if (size > suffix && strcmp(entry->d_name + size - suffix, SUFFIX) == 0)
			read_list(dirfd(dir), entry->d_name, queries, count);
	}
	if (dir)
		closedir(dir);
}

const char *packages_name(const struct package_query *queries, size_t count,
			  const char *path)
{
	struct package_query key = { .path = path };
	const struct package_query *found =
		count ? bsearch(&key, queries, count, sizeof(*queries), compare_queries)
		      : NULL;

	return found ? found->package : NULL;
}

/* KEY=value of os-release, or KEY="value": what is behind it, cut in @line. NULL. */
static const char *os_value(char *line, const char *key)
{
	size_t size = strlen(key);
	char *value = line + size + 1;

	if (strncmp(line, key, size) != 0 || line[size] != '=')
		return NULL;
	value += *value == '"';
	value[strcspn(value, "\"\n")] = '\0';
	return value;
}

/* Where the machine below @root gets Debian's packages from: beside those lie the packages of debug
 * information. "MIRROR/debian" where apt's lists do not tell. To be freed; NULL without memory. */
static char *debian_mirror(const char *root)
{
	static const char *const lists[] = { "sources.list", "sources.list.d/debian.list",
					     "sources.list.d/debian.sources" };
	static const char name[] = "/debian";
	char line[512], *mirror = NULL;

	/* The first list that names an archive of Debian's decides. */
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists) && !mirror; i++) {
		char *path = NULL;
		FILE *in = NULL;

		if (asprintf(&path, "%s/etc/apt/%s", root, lists[i]) >= 0)
			in = fopen(path, "re");
		free(path);
		while (in && !mirror && fgets(line, sizeof(line), in)) {
			char *from = strstr(line, "http"), *behind;

			if (!from || line[strspn(line, " \t")] == '#')
				continue;
			/* "http://HOST/debian", or with slashes at its end; not the archive
			 * of security updates, "http://HOST/debian-security". */
			from[strcspn(from, " \t\n")] = '\0';
			behind = strstr(from, name);
			if (!behind || strspn(behind + strlen(name), "/") !=
					       strlen(behind + strlen(name)))
				continue;
			behind[strlen(name)] = '\0';
			mirror = strdup(from);
		}
		if (in)
			fclose(in);
	}
	return mirror ? mirror : strdup("MIRROR/debian");
}

char *packages_debug_archive(const char *root)
{
	char id[32] = "", release[64] = "", line[256], *path = NULL, *mirror,
	     *made = NULL;
	const char *value;
	FILE *in = NULL;

	if (asprintf(&path, "%s/etc/os-release", root) >= 0)
		in = fopen(path, "re");
	free(path);
	while (in && fgets(line, sizeof(line), in)) {
		if ((value = os_value(line, "ID")))
			snprintf(id, sizeof(id), "%s", value);
		else if ((value = os_value(line, "VERSION_CODENAME")))
			snprintf(release, sizeof(release), "%s", value);
	}
	if (in)
		fclose(in);
	/* Ubuntu's archive has other names, and Debian's without a release, as of unstable,
	 * cannot be named. */
	if (strcmp(id, "debian") != 0 || !*release)
		return NULL;
	mirror = debian_mirror(root);
	if (mirror && asprintf(&made, "deb %s-debug/ %s-debug main", mirror, release) < 0)
		made = NULL;
	free(mirror);
	return made;
}

bool packages_are_rpm(const char *root)
{
	/* Since Fedora 36, and before; it is the same file of SQLite. */
	static const char *const databases[] = { "/usr/lib/sysimage/rpm",
						 "/var/lib/rpm" };
	bool found = false;

	for (size_t i = 0; i < 2 && !found; i++) {
		char *path = NULL;

		if (asprintf(&path, "%s%s/rpmdb.sqlite", root, databases[i]) < 0)
			return false;
		found = access(path, F_OK) == 0;
		free(path);
	}
	return found;
}
