/*
 * What is not written over: a file that is an input, or any recording. A recording cannot be
 * made a second time, and "-o perf.data" is typed by everybody who knows perf record.
 *
 * Files are compared by device and inode, so that a link is no way round, and looked into: the
 * name of a recording says nothing. A recording that is a directory has its streams in it.
 */
#include "cli/overwrite.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/terminal.h"

/* The directory that a file at @path is in, or would be; to be freed. NULL: there is none. */
static char *directory_of(const char *path)
{
	char *copy = strdup(path), *real = copy ? realpath(dirname(copy), NULL) : NULL;

	free(copy);
	return real;
}

static bool same_inode(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool same_file(const char *a, const char *b)
{
	const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
	struct stat x, y;
	char *in_a, *in_b;
	bool same;

	if (stat(a, &x) == 0 && stat(b, &y) == 0)
		return S_ISREG(x.st_mode) && same_inode(&x, &y);
	/* One is not there yet: they will be one file if directory and name are the same. */
	in_a = directory_of(a);
	in_b = directory_of(b);
	same = in_a && in_b && strcmp(in_a, in_b) == 0 &&
	       strcmp(slash_a ? slash_a + 1 : a, slash_b ? slash_b + 1 : b) == 0;
	free(in_a);
	free(in_b);
	return same;
}

static bool is_dash(const char *path)
{
	return !path || strcmp(path, "-") == 0;
}

/* Of what is named, or of a standard stream. */
static bool stat_stream(const char *path, int standard, struct stat *ret)
{
	return (is_dash(path) ? fstat(standard, ret) : stat(path, ret)) == 0;
}

/* @output: of what is at @path; zeros where nothing is. */
static bool is_read(const char *path, const struct stat *output, const char *input)
{
	struct stat st, directory;
	char *parent;
	bool is;

	if (!input || !stat_stream(input, STDIN_FILENO, &st))
		return false;
	if (!S_ISDIR(st.st_mode))
		return S_ISREG(st.st_mode) && same_inode(&st, output);
	/* A recording that is a directory: whatever is in it belongs to it. */
	parent = is_dash(path) ? NULL : directory_of(path);
	is = parent && stat(parent, &directory) == 0 && same_inode(&directory, &st);
	free(parent);
	return is;
}

int overwrite_check(const struct settings *s, const char *path, const char *const *inputs,
		    size_t count)
{
	const char *const read_too[] = { s->graph.nameattr, s->profile.kallsyms,
					 s->profile.vmlinux };
	struct stat output = { 0 };
	const char *input = NULL;

	/* Terminals, pipes and devices are not written over. */
	if (stat_stream(path, STDOUT_FILENO, &output) && !S_ISREG(output.st_mode))
		return 0;
	for (size_t i = 0; i < count && !input; i++)
		if (is_read(path, &output, inputs[i]))
			input = inputs[i];
	/* Other files that are read count as well: who writes over a vmlinux has lost it,
	 * too. */
	for (size_t i = 0; i < sizeof(read_too) / sizeof(*read_too) && !input; i++)
		if (is_read(path, &output, read_too[i]))
			input = read_too[i];
	if (input && is_dash(path))
		return usage_error("standard output goes to the input '%s'", input);
	if (input && strcmp(path, input) == 0)
		return usage_error("'%s' is an input: name another output", path);
	if (input)
		return usage_error("'%s' would be written over the input '%s'", path,
				   input);
	if (!is_dash(path) && ff_is_recording(path))
		return usage_error("'%s' is a recording, which is not written over",
				   path);
	return 0;
}
