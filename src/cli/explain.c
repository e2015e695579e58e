/*
 * Why an input could not be read, said with what was probably meant: a program or a directory was
 * named in place of a recording, or a command came after an option. A program is told by the first
 * bytes that execve(2) looks at.
 */
#include "cli/explain.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/terminal.h"

/* One to be run: not a library, and not a file that is executable by chance. */
static bool is_executable_program(const char *path)
{
	const char *slash = strrchr(path, '/');
	char beginning[4] = "";
	struct stat st;
	FILE *f;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) || access(path, X_OK) < 0 ||
	    strstr(slash ? slash : path, ".so"))
		return false;
	f = fopen(path, "re");
	if (!f)
		return false;
	if (fread(beginning, sizeof(beginning), 1, f) != 1)
		beginning[0] = '\0';
	fclose(f);
	return memcmp(beginning,
		      "\x7f"
		      "ELF",
		      4) == 0 ||
	       memcmp(beginning, "#!", 2) == 0;
}

/* Told by its index, as the archive itself does. */
static bool is_archive(const char *path)
{
	char index[PATH_MAX];
	int size = snprintf(index, sizeof(index), "%s/index.db", path);

	return (size_t)size < sizeof(index) && access(index, F_OK) == 0;
}

int explain_failure(const struct ff_profile *p, const char *path, int err)
{
	if (err == -EISDIR && is_archive(path))
		say("'%s' is an archive: flamefold archive query %s", path, path);
	else if (err == -EISDIR)
		say("'%s' is a directory: name the perf.data in it", path);
	else if (err == -ENOENT && command_find(path))
		say("cannot open '%s': %s; a command is the first word", path,
		    strerror(ENOENT));
	else if ((err == -EOPNOTSUPP || err == -EBADMSG) && is_executable_program(path))
		say("'%s' is a program, not a recording; to sample it: flamefold record "
		    "-- "
		    "%s%s",
		    path, strchr(path, '/') ? "" : "./", path);
	else
		say("%s", ff_profile_error(p));
	return EXIT_INPUT;
}
