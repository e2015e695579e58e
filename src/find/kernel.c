/*
 * Each place makes a path, and try_kernel_path() decides of all: the file counts if it has a symbol
 * table and the recorded build id. The first that is there but is another build, or
 * cannot be read, gives the sentence for the user if none is found. Modules are found by
 * name in modules.dep, where '-' and '_' are the same, as for the kernel.
 */
#include "find/kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "elf/elf.h"
#include "find/debuginfod.h"

enum { MOST_MODULES_DEP = 1 << 24 /* bytes; real ones have one MiB */ };

struct search {
	const struct search_dirs *dirs;
	const struct wanted_kernel *wanted;
	const char *root;
	struct text path;
	struct found *found;
};

/* The file at the path; true where the search is over. */
static bool try_kernel_path(struct search *s)
{
	const struct wanted_kernel *w = s->wanted;
	struct context ctx = { .budget = s->dirs->budget };
	struct found *f = s->found;
	struct object o;
	int err;

	if (s->path.failed)
		return true;
	err = packed_object_open(&ctx, s->path.bytes, &o);
	s->path.failed |= err == -ENOMEM;
	/* One that is there but cannot be read is worth a sentence. */
	if (err < 0 && err != -ENOENT && err != -ENOTDIR && f->problem.size == 0)
		text_string(&f->problem, ctx.error);
	if (err < 0)
		return s->path.failed;
	if (object_has_symtab(&o) &&
	    object_has_build_id(&o, w->build_id, w->build_id_size)) {
		f->object = o;
		f->refused = false;
		text_clear(&f->file);
		text_add(&f->file, s->path.bytes, s->path.size);
		text_clear(&f->problem);
		return true;
	}
	/* The first one is told. */
	if (object_has_symtab(&o) && f->problem.size == 0)
		found_refuse(f, s->path.bytes, &o, w->build_id, w->build_id_size);
	object_close(&o);
	return false;
}

/* Where files lie by their build ids. */
enum by_build_id { IN_CACHE, IN_DEBUG_DIR };

static bool try_kernel_by_build_id(struct search *s, enum by_build_id where)
{
	static const char *const in_cache[] = { "/elf", "/debug", "", NULL };
	static const char *const in_debug_dir[] = { ".debug", "", NULL };
	const char *const *ends = where == IN_CACHE ? in_cache : in_debug_dir;
	const struct wanted_kernel *w = s->wanted;

	for (; *ends; ends++) {
		text_clear(&s->path);
		if (where == IN_DEBUG_DIR)
			add_debug_dir(s->dirs, s->root, &s->path);
		else if (!add_build_id_cache(s->dirs, &s->path))
			return false;
		if (!add_build_id_path(w->build_id, w->build_id_size, BUILD_ID_WHOLE,
				       &s->path))
			return false;
		text_string(&s->path, *ends);
		if (try_kernel_path(s))
			return true;
	}
	return false;
}

/* A release is a part of paths. */
static bool is_release(const char *release)
{
	return *release && *release != '.' && !strchr(release, '/');
}

static bool try_vmlinux(struct search *s)
{
	static const struct {
		bool debug; /* below the debug directory */
		const char *before, *behind;
	} dirs[] = {
		{ true, "/boot/vmlinux-", "" },
		{ false, "/boot/vmlinux-", "" },
		{ false, "/lib/modules/", "/build/vmlinux" },
		{ true, "/lib/modules/", "/vmlinux" },
		{ false, "/lib/modules/", "/vmlinux" },
		{ true, "/boot/vmlinux-", ".debug" },
	};

	if (!is_release(s->wanted->release))
		return false;
	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs); i++) {
		text_clear(&s->path);
		if (dirs[i].debug)
			add_debug_dir(s->dirs, s->root, &s->path);
		else
			text_string(&s->path, s->root);
		text_string(&s->path, dirs[i].before);
		text_string(&s->path, s->wanted->release);
		text_string(&s->path, dirs[i].behind);
		if (try_kernel_path(s))
			return true;
	}
	return false;
}

/* The name of a module in "[nf_tables]" or ".../nf-tables.ko.xz"; its size. */
static const char *module_file_name(const char *path, size_t path_size, size_t *size)
{
	const char *slash = memrchr(path, '/', path_size);
	const char *name = slash ? slash + 1 : path, *end = path + path_size;
	const char *dot = memmem(name, (size_t)(end - name), ".ko", 3);

	if (*path == '[' && path_size > 2 && end[-1] == ']') {
		name = path + 1;
		end--;
	} else if (dot) {
		end = dot;
	}
	*size = (size_t)(end - name);
	return name;
}

/* A line of modules.dep is "kernel/net/nf-tables.ko.xz: ..." */
static bool try_modules_dep(struct search *s)
{
	const char *release = s->wanted->release;
	struct context ctx = { .budget = s->dirs->budget };
	const char *wanted, *name, *colon;
	size_t size, wanted_size, name_size;
	char *text, *next;
	bool over = false;
	int err;

	if (!is_release(release))
		return false;
	text_clear(&s->path);
	text_printf(&s->path, "%s/lib/modules/%s/modules.dep", s->root, release);
	if (s->path.failed)
		return true;
	err = file_slurp(&ctx, s->path.bytes, MOST_MODULES_DEP, &text, &size);
	s->path.failed |= err == -ENOMEM;
	if (err < 0)
		return s->path.failed;
	wanted = module_file_name(s->wanted->module, strlen(s->wanted->module),
				  &wanted_size);
	for (char *line = text; line < text + size && !over; line = next + 1) {
		bool same;

		next = memchr(line, '\n', (size_t)(text + size - line));
		if (!next)
			next = text + size;
		colon = memchr(line, ':', (size_t)(next - line));
		if (!colon)
			continue;
		name = module_file_name(line, (size_t)(colon - line), &name_size);
		same = name_size == wanted_size;
		/* The kernel makes no difference between '-' and '_' in them. */
		for (size_t i = 0; i < name_size && same; i++)
			same = (name[i] == '-' ? '_' : name[i]) ==
			       (wanted[i] == '-' ? '_' : wanted[i]);
		if (!same)
			continue;
		text_clear(&s->path);
		text_string(&s->path, s->root);
		if (*line != '/')
			text_printf(&s->path, "/lib/modules/%s/", release);
		text_add(&s->path, line, (size_t)(colon - line));
		over = s->path.failed ||
		       ((!*s->root || !path_climbs(s->path.bytes + strlen(s->root))) &&
			try_kernel_path(s));
	}
	free(text);
	return over;
}

int find_kernel_file(const struct search_dirs *dirs, const struct wanted_kernel *wanted,
		     struct found *ret)
{
	const char *module = wanted->module;
	struct found f = { .object.fd = -1, .debug.fd = -1 };
	struct search s = {
		.dirs = dirs,
		.wanted = wanted,
		.root = symfs_is_set(dirs) ? dirs->symfs : "",
		.found = &f,
	};
	int err;

	if (wanted->build_id_size == 0)
		goto out;
	if (wanted->remote) {
		/* A module has its symbols itself, the kernel that is booted has none. */
		const struct debuginfod_file file = {
			.kind = module ? DEBUGINFOD_OBJECT : DEBUGINFOD_DEBUG_FILE,
			.build_id = wanted->build_id,
			.build_id_size = wanted->build_id_size,
			.name = module ? module : "vmlinux",
		};

		if (debuginfod_find(dirs->debuginfod, &file, &s.path))
			try_kernel_path(&s);
		goto out;
	}
	if (module && *module == '/' && !(*s.root && path_climbs(module))) {
		text_string(&s.path, s.root);
		text_string(&s.path, module);
		if (try_kernel_path(&s))
			goto out;
	}
	if (try_kernel_by_build_id(&s, IN_CACHE) ||
	    try_kernel_by_build_id(&s, IN_DEBUG_DIR))
		goto out;
	if (module)
		try_modules_dep(&s);
	else
		try_vmlinux(&s);
out:
	err = s.path.failed || f.file.failed || f.problem.failed ? -ENOMEM : 0;
	text_release(&s.path);
	if (err < 0)
		found_release(&f);
	else
		*ret = f;
	return err;
}
