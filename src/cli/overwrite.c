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

/* What is read, by device and inode, so that each is looked at once, however many files are written. */
struct read_file {
	dev_t device;
	ino_t inode;
	const char *path;
	size_t number; /* in the order that they were named */
};

struct read_files {
	struct read_file *v;
	size_t count;
	bool has_directory;
};

static int compare_read_files(const void *left, const void *right)
{
	const struct read_file *a = left, *b = right;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->inode != b->inode)
		return a->inode < b->inode ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static void add_read_file(struct read_files *r, const char *path)
{
	struct stat st;

	if (!path || !stat_stream(path, STDIN_FILENO, &st) ||
	    (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return;
	r->has_directory |= S_ISDIR(st.st_mode);
	r->v[r->count] = (struct read_file){ st.st_dev, st.st_ino, path, r->count };
	r->count++;
}

/* The first that was named of those that are this one; NULL: none. */
static const struct read_file *find_read_file(const struct read_files *r,
					      const struct stat *of)
{
	struct read_file wanted = { .device = of->st_dev, .inode = of->st_ino };
	size_t low = 0, high = r->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_read_files(&r->v[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < r->count && r->v[low].device == of->st_dev &&
			       r->v[low].inode == of->st_ino
		       ? &r->v[low]
		       : NULL;
}

static int check_output(const char *path, const struct read_files *r)
{
	const struct read_file *found = NULL, *around = NULL;
	struct stat output, directory;
	char *parent = NULL;

	if (stat_stream(path, STDOUT_FILENO, &output)) {
		/* Terminals, pipes and devices are not written over. */
		if (!S_ISREG(output.st_mode))
			return 0;
		found = find_read_file(r, &output);
	}
	/* A recording that is a directory: whatever is in it belongs to it. */
	if (r->has_directory && !is_dash(path))
		parent = directory_of(path);
	if (parent && stat(parent, &directory) == 0)
		around = find_read_file(r, &directory);
	free(parent);
	if (!found || (around && around->number < found->number))
		found = around ? around : found;
	if (found && is_dash(path))
		return usage_error("standard output goes to the input '%s'", found->path);
	if (found && strcmp(path, found->path) == 0)
		return usage_error("'%s' is an input: name another output", path);
	if (found)
		return usage_error("'%s' would be written over the input '%s'", path,
				   found->path);
	if (!is_dash(path) && ff_is_recording(path))
		return usage_error("'%s' is a recording, which is not written over",
				   path);
	return 0;
}

int overwrite_check_all(const struct settings *s, const struct written_files *written,
			const char *const *inputs, size_t count)
{
	/* Who writes over a vmlinux has lost it, too. */
	const char *const read_too[] = { s->graph.nameattr, s->profile.kallsyms,
					 s->profile.vmlinux };
	enum { READ_TOO = sizeof(read_too) / sizeof(*read_too) };
	struct read_files r = { .v = calloc(count + READ_TOO, sizeof(*r.v)) };
	int code = 0;

	if (!r.v) {
		say("out of memory");
		return EXIT_INPUT;
	}
	for (size_t i = 0; i < count + READ_TOO; i++)
		add_read_file(&r, i < count ? inputs[i] : read_too[i - count]);
	qsort(r.v, r.count, sizeof(*r.v), compare_read_files);
	for (size_t i = 0; i < written->count && code == 0; i++)
		code = check_output(written->paths[i], &r);
	free(r.v);
	return code;
}

int overwrite_check(const struct settings *s, const char *path, const char *const *inputs,
		    size_t count)
{
	struct written_files one = { &path, 1 };

	return overwrite_check_all(s, &one, inputs, count);
}
