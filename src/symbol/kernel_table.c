/*
 * A kernel's symbols: those of a kallsyms, of this machine or one that came with a
 * recording. They are read in a thread of their own, beside the samples, because they
 * take 50 ms or more.
 */
#include "symbol/kernel_table.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "find/find.h"

void kernel_table_read(struct kernel_table *t)
{
	static const char name[] = "kallsyms";
	const char *slash = strrchr(t->path, '/');
	size_t directory = slash ? (size_t)(slash + 1 - t->path) : 0;
	struct text path = { 0 };
	struct stat st;

	t->loaded = true;
	t->err = kallsyms_read(&t->ctx, t->path, &t->kallsyms);
	if (t->err < 0 || strcmp(t->path + directory, name) != 0)
		return;
	/* Where modules were loaded is in the file beside it: "/proc/modules". */
	text_add(&path, t->path, directory);
	text_string(&path, "modules");
	if (path.failed)
		t->err = -ENOMEM;
	else if (stat(path.bytes, &st) == 0 && S_ISREG(st.st_mode))
		t->err = kallsyms_read_modules(&t->kallsyms, path.bytes);
	if (t->err < 0)
		t->err = fail_memory(&t->ctx);
	text_release(&path);
}

void kernel_table_release(struct kernel_table *t)
{
	kallsyms_release(&t->kallsyms);
	free(t->path);
	*t = (struct kernel_table){ 0 };
}

/* The caller has the lock of the kernel: answers are kept in the table. Kernels have one
 * or two such symbols, so a list of a few is gone through. */
bool kernel_table_find(struct kernel_table *t, const struct intern *strings,
		       uint32_t name, uint64_t *ret)
{
	struct table_reference *r = t->references;
	size_t i = 0;

	while (i < t->reference_count && r[i].name != name)
		i++;
	if (i == TABLE_REFERENCES)
		return false;
	if (i == t->reference_count) {
		t->reference_count++;
		r[i].name = name;
		r[i].found = symtab_find(&t->kallsyms.modules.v[0].symbols,
					 intern_text(strings, name), &r[i].address);
	}
	*ret = r[i].address;
	return r[i].found;
}

/* The path, to be freed, where there is such a file that can be read; else NULL. */
static char *path_if_readable(struct text *path)
{
	if (path->bytes && !path->failed && access(path->bytes, R_OK) == 0)
		return path->bytes;
	text_release(path);
	return NULL;
}

/*
 * perf record keeps a copy of kallsyms by the kernel's build id. It is a plain file, where
 * /proc makes each line anew, which costs some 50 ms; NULL where there is none. Readers
 * check where its kernel lay, as they do with /proc's.
 */
char *kernel_table_copy_here(const struct search_dirs *dirs)
{
	char hex[2 * OBJECT_BUILD_ID_MAX + 1];
	struct text path = { 0 };

	if (kernel_build_id_here(hex) && add_build_id_cache(dirs, &path))
		text_printf(&path, "/[kernel.kallsyms]/%s/kallsyms", hex);
	return path_if_readable(&path);
}

char *kernel_table_copy_of(const struct search_dirs *dirs, const uint8_t *build_id,
			   size_t size)
{
	struct text path = { 0 };

	if (add_build_id_cache(dirs, &path) &&
	    add_build_id_path(build_id, size, BUILD_ID_WHOLE, &path))
		text_string(&path, "/kallsyms");
	else
		text_clear(&path);
	return path_if_readable(&path);
}

bool kernel_table_is_proc(const char *path)
{
	struct stat given, here;

	return stat(path, &given) == 0 && stat(PROC_KALLSYMS, &here) == 0 &&
	       given.st_dev == here.st_dev && given.st_ino == here.st_ino;
}
