/*
 * perf record --threads and --kcore write a directory: "data" is a file like any other,
 * each "data.N" has records only, and becomes one more source of the same input. With
 * --kcore there is what /proc had of the kernel then: kcore_dir/kallsyms,
 * kcore_dir/modules and kcore_dir/kcore; kcore_dir__PID is of a guest. Source:
 * tools/perf/Documentation/perf.data-directory-format.txt.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "input/perf.h"

static int by_number(const struct dirent **a, const struct dirent **b)
{
	unsigned long x = strtoul((*a)->d_name + 5, NULL, 10);
	unsigned long y = strtoul((*b)->d_name + 5, NULL, 10);

	return x < y ? -1 : x > y ? 1 : strcmp((*a)->d_name, (*b)->d_name);
}

static int is_named_stream(const struct dirent *e)
{
	return strncmp(e->d_name, "data.", 5) == 0;
}

/* What is no regular file may never end. */
static bool is_regular(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Each data.N becomes a source, in the order of N. */
static int add_streams(struct context *ctx, struct input *in)
{
	struct text path = { 0 };
	struct dirent **names;
	int err = 0, n = scandir(in->path, &names, is_named_stream, by_number);

	if (n < 0)
		return fail(ctx, -errno, "cannot read '%s': %s", in->path,
			    strerror(errno));
	for (int i = 0; i < n && err == 0; i++) {
		struct file file = { 0 };
		struct record_source *source;
		const char *kept;

		text_clear(&path);
		text_printf(&path, "%s/%s", in->path, names[i]->d_name);
		if (!path.failed && !is_regular(path.bytes))
			continue;
		kept = path.failed ? NULL : arena_text(&in->paths, path.bytes, path.size);
		err = kept ? file_open(ctx, kept, &file) : fail_memory(ctx);
		if (err < 0)
			break;
		source = array_add(&in->sources);
		if (!source) {
			file_close(&file);
			err = fail_memory(ctx);
			break;
		}
		*source = (struct record_source){ .file = file,
						  .end = file.size,
						  .packed = file.unpacker != NULL };
		in->rec.bytes += file.size == UINT64_MAX ? 0 : file.size;
	}
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
	text_release(&path);
	return err;
}

int directory_open(struct context *ctx, struct input *in)
{
	struct text path = { 0 };
	const char *kept;
	int err;

	text_printf(&path, "%s/data", in->path);
	kept = path.failed ? NULL : arena_text(&in->paths, path.bytes, path.size);
	text_release(&path);
	if (!kept)
		return fail_memory(ctx);
	/* Nobody records into a FIFO here, and one would wait for a writer. */
	err = access(kept, F_OK) == 0 && !is_regular(kept)
		      ? fail(ctx, -EINVAL, "cannot read '%s': it is not a regular file",
			     kept)
		      : file_open(ctx, kept, &in->file);
	if (err == -ENOENT)
		return fail(ctx, -EISDIR,
			    "cannot read '%s': it is a directory without a recording",
			    in->path);
	if (err == 0)
		err = perf_file_open(ctx, in);
	return err < 0 ? err : add_streams(ctx, in);
}

int directory_find_kallsyms(struct context *ctx, struct input *in)
{
	const char *slash = strrchr(in->path, '/'), *name = slash ? slash + 1 : in->path;
	struct text path = { 0 };
	int err = 0;

	if (in->by_descriptor)
		return 0;
	/* The recording is a directory, or the "data" of one. */
	if (strcmp(in->rec.form, "directory") == 0)
		text_string(&path, in->path);
	else if (strcmp(name, "data") == 0)
		text_add(&path, in->path, (size_t)(name - in->path));
	else
		return 0;
	if (path.size > 0 && path.bytes[path.size - 1] != '/')
		text_char(&path, '/');
	text_string(&path, "kcore_dir/kallsyms");
	if (path.failed ||
	    (is_regular(path.bytes) &&
	     intern_add(in->strings, path.bytes, path.size, &in->rec.kallsyms) < 0))
		err = fail_memory(ctx);
	text_release(&path);
	return err;
}
