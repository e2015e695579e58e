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
	const struct object_places *places;
	const struct wanted_kernel *wanted;
	const char *root;
	struct text path;
	struct found *found;
};

static bool has_id(const struct search *s, const struct object *o)
{
	return object_has_build_id(o, s->wanted->build_id, s->wanted->build_id_size);
}

/* The first one is told. */
static void refuse_kernel(struct search *s, const struct object *o)
{
	struct text *problem = &s->found->problem;

	if (problem->size)
		return;
	text_printf(problem, "'%s' has build id ", s->path.bytes);
	add_build_id(o->build_id, o->build_id_size, problem);
	text_string(problem, ", recorded was ");
	add_build_id(s->wanted->build_id, s->wanted->build_id_size, problem);
	s->found->refused = true;
}

static void take_kernel_file(struct search *s, const struct object *o)
{
	struct found *f = s->found;

	f->object = *o;
	f->refused = false;
	text_clear(&f->file);
	text_add(&f->file, s->path.bytes, s->path.size);
	text_clear(&f->problem);
}

/* The file at the path; true where the search is over. */
static bool try_kernel_path(struct search *s)
{
	struct context ctx = { .budget = s->places->budget };
	struct object o;
	int err;

	if (s->path.failed)
		return true;
	err = packed_object_open(&ctx, s->path.bytes, &o);
	s->path.failed |= err == -ENOMEM;
	/* One that is there but cannot be read is worth a sentence. */
	if (err < 0 && err != -ENOENT && err != -ENOTDIR && s->found->problem.size == 0)
		text_string(&s->found->problem, ctx.error);
	if (err < 0)
		return s->path.failed;
	if (object_has_symtab(&o)) {
		if (has_id(s, &o)) {
			take_kernel_file(s, &o);
			return true;
		}
		refuse_kernel(s, &o);
	}
	object_close(&o);
	return false;
}

static bool try_cached_kernel(struct search *s)
{
	static const char *const names[] = { "/elf", "/debug", "" };
	const struct wanted_kernel *w = s->wanted;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		text_clear(&s->path);
		if (!add_build_id_cache(s->places, &s->path) ||
		    !add_build_id_path(w->build_id, w->build_id_size, BUILD_ID_WHOLE,
				       &s->path))
			return false;
		text_string(&s->path, names[i]);
		if (try_kernel_path(s))
			return true;
	}
	return false;
}

static bool try_kernel_debug_dir(struct search *s)
{
	static const char *const ends[] = { ".debug", "" };
	const struct wanted_kernel *w = s->wanted;

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		text_clear(&s->path);
		add_debug_dir(s->places, s->root, &s->path);
		if (!add_build_id_path(w->build_id, w->build_id_size, BUILD_ID_WHOLE,
				       &s->path))
			return false;
		text_string(&s->path, ends[i]);
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
	} places[] = {
		{ true, "/boot/vmlinux-", "" },
		{ false, "/boot/vmlinux-", "" },
		{ false, "/lib/modules/", "/build/vmlinux" },
		{ true, "/lib/modules/", "/vmlinux" },
		{ false, "/lib/modules/", "/vmlinux" },
		{ true, "/boot/vmlinux-", ".debug" },
	};

	if (!is_release(s->wanted->release))
		return false;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		text_clear(&s->path);
		if (places[i].debug)
			add_debug_dir(s->places, s->root, &s->path);
		else
			text_string(&s->path, s->root);
		text_string(&s->path, places[i].before);
		text_string(&s->path, s->wanted->release);
		text_string(&s->path, places[i].behind);
		if (try_kernel_path(s))
			return true;
	}
	return false;
}

/* The name of a module in "[nf_tables]" or ".../nf-tables.ko.xz"; its size. */
static const char *module_name(const char *path, size_t path_size, size_t *size)
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

/* The kernel makes no difference between '-' and '_' in them. */
static bool is_same_module(const char *a, size_t a_size, const char *b, size_t b_size)
{
	for (size_t i = 0; i < a_size && i < b_size; i++)
		if ((a[i] == '-' ? '_' : a[i]) != (b[i] == '-' ? '_' : b[i]))
			return false;
	return a_size == b_size;
}

static bool try_module_path(struct search *s)
{
	const char *path = s->wanted->module;

	if (*path != '/' || (*s->root && path_climbs(path)))
		return false;
	text_clear(&s->path);
	text_string(&s->path, s->root);
	text_string(&s->path, path);
	return try_kernel_path(s);
}

/* Its line in modules.dep is "kernel/net/nf-tables.ko.xz: ..." */
static bool try_line(struct search *s, const char *line, size_t size)
{
	const char *colon = memchr(line, ':', size);
	const char *name, *wanted;
	size_t name_size, wanted_size;

	if (!colon)
		return false;
	size = (size_t)(colon - line);
	name = module_name(line, size, &name_size);
	wanted = module_name(s->wanted->module, strlen(s->wanted->module), &wanted_size);
	if (!is_same_module(name, name_size, wanted, wanted_size))
		return false;
	text_clear(&s->path);
	text_string(&s->path, s->root);
	if (*line != '/')
		text_printf(&s->path, "/lib/modules/%s/", s->wanted->release);
	text_add(&s->path, line, size);
	if (!s->path.failed && *s->root && path_climbs(s->path.bytes + strlen(s->root)))
		return false;
	return try_kernel_path(s);
}

static bool try_modules_dep(struct search *s)
{
	struct context ctx = { .budget = s->places->budget };
	char *text, *next;
	bool over = false;
	size_t size;
	int err;

	if (!is_release(s->wanted->release))
		return false;
	text_clear(&s->path);
	text_printf(&s->path, "%s/lib/modules/%s/modules.dep", s->root,
		    s->wanted->release);
	if (s->path.failed)
		return true;
	err = file_slurp(&ctx, s->path.bytes, MOST_MODULES_DEP, &text, &size);
	s->path.failed |= err == -ENOMEM;
	if (err < 0)
		return s->path.failed;
	for (char *line = text; line < text + size && !over; line = next + 1) {
		next = memchr(line, '\n', (size_t)(text + size - line));
		if (!next)
			next = text + size;
		over = try_line(s, line, (size_t)(next - line));
	}
	free(text);
	return over;
}

/* A module has its symbols itself, the kernel that is booted has none. */
static void ask_kernel_server(struct search *s)
{
	const struct wanted_kernel *w = s->wanted;
	enum debuginfod_kind kind = w->module ? DEBUGINFOD_OBJECT : DEBUGINFOD_DEBUG_FILE;

	text_clear(&s->path);
	if (debuginfod_find(s->places->debuginfod, kind, w->build_id, w->build_id_size,
			    w->module ? w->module : "vmlinux", &s->path))
		try_kernel_path(s);
}

static void search_kernel(struct search *s)
{
	if (s->wanted->remote) {
		ask_kernel_server(s);
		return;
	}
	if (s->wanted->module && try_module_path(s))
		return;
	if (try_cached_kernel(s) || try_kernel_debug_dir(s))
		return;
	if (s->wanted->module)
		try_modules_dep(s);
	else
		try_vmlinux(s);
}

int find_kernel_file(const struct object_places *places,
		     const struct wanted_kernel *wanted, struct found *ret)
{
	struct found f = { .object.fd = -1, .debug.fd = -1 };
	struct search s = {
		.places = places,
		.wanted = wanted,
		.root = symfs_is_set(places) ? places->symfs : "",
		.found = &f,
	};
	int err;

	if (wanted->build_id_size)
		search_kernel(&s);
	err = s.path.failed || f.file.failed || f.problem.failed ? -ENOMEM : 0;
	text_release(&s.path);
	if (err < 0)
		found_release(&f);
	else
		*ret = f;
	return err;
}
