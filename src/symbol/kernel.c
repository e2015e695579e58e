#include "symbol/kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "object/kernel_id.h"
#include "symbol/kallsyms.h"
#include "symbol/kernel_file.h"

#define PROC_KALLSYMS "/proc/kallsyms"

enum {
	PAGE = 4096,
	MODULE_HEAD = 1 << 16, /* a module's first function lies no further in */
};

/* A kallsyms, read once. */
struct table {
	char *path; /* NULL: none is to be used */
	bool of_recorded; /* that it is of the recorded kernel needs no proof */
	bool loaded;
	int err; /* with a sentence in ctx */
	struct context ctx;
	struct kallsyms kallsyms;
};

/* perf's copy of a kallsyms, for a recorded kernel that is not this one. */
struct cached_table {
	uint8_t build_id_size;
	uint8_t build_id[BUILD_ID_MAX];
	struct table table; /* .path is NULL: there is none */
};

struct kernel {
	const struct symbol_options *options;
	atomic_bool asked;
	pthread_mutex_t lock; /* for what follows; what was loaded is read without it */
	pthread_t thread;
	bool has_thread;
	/* The one that was given, or perf's copy of this kernel's, or /proc's. */
	struct table table;
	/* /proc's, where table is a copy: modules may have come since that was made. */
	struct table modules;
	ARRAY(struct cached_table *) cached;
};

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
static char *find_copy(const struct object_places *places)
{
	char hex[2 * OBJECT_BUILD_ID_MAX + 1];
	struct text path = { 0 };

	if (kernel_build_id_here(hex) && add_build_id_cache(places, &path))
		text_printf(&path, "/[kernel.kallsyms]/%s/kallsyms", hex);
	return path_if_readable(&path);
}

static int find_tables(struct kernel *k)
{
	/* As perf has it: with a symfs nothing of this machine is used. */
	if (!k->options->kallsyms && symfs_is_set(&k->options->places))
		return 0;
	if (!k->options->kallsyms)
		k->table.path = find_copy(&k->options->places);
	if (k->table.path) {
		k->modules.path = strdup(PROC_KALLSYMS);
		return k->modules.path ? 0 : -ENOMEM;
	}
	k->table.of_recorded = k->options->kallsyms; /* who gives it has to know */
	k->table.path =
		strdup(k->options->kallsyms ? k->options->kallsyms : PROC_KALLSYMS);
	return k->table.path ? 0 : -ENOMEM;
}

int kernel_new(struct context *ctx, const struct symbol_options *options,
	       struct kernel **ret)
{
	struct kernel *k = calloc(1, sizeof(*k));

	if (!k)
		return fail_memory(ctx);
	k->options = options;
	pthread_mutex_init(&k->lock, NULL);
	if (find_tables(k) < 0) {
		kernel_free(k);
		return fail_memory(ctx);
	}
	*ret = k;
	return 0;
}

static void table_release(struct table *t)
{
	kallsyms_release(&t->kallsyms);
	free(t->path);
}

void kernel_free(struct kernel *k)
{
	if (!k)
		return;
	if (k->has_thread)
		pthread_join(k->thread, NULL);
	table_release(&k->table);
	table_release(&k->modules);
	for (size_t i = 0; i < k->cached.count; i++) {
		table_release(&k->cached.v[i]->table);
		free(k->cached.v[i]);
	}
	array_release(&k->cached);
	pthread_mutex_destroy(&k->lock);
	free(k);
}

static void read_table(struct table *t)
{
	t->err = kallsyms_read(&t->ctx, t->path, &t->kallsyms);
	t->loaded = true;
}

/* A copy may be of no use (made without permission, or cut): then /proc's it is. */
static void *read_first(void *arg)
{
	struct kernel *k = arg;

	read_table(&k->table);
	if (!k->modules.path || (k->table.err == 0 && !k->table.kallsyms.hidden &&
				 k->table.kallsyms.modules.v[0].symbols.symbols.count))
		return NULL;
	table_release(&k->table);
	k->table = k->modules;
	k->modules = (struct table){ 0 };
	read_table(&k->table);
	return NULL;
}

void kernel_expect(struct kernel *k)
{
	if (atomic_load_explicit(&k->asked, memory_order_relaxed) ||
	    atomic_exchange(&k->asked, true))
		return;
	if (!k->table.path || k->options->vmlinux)
		return;
	pthread_mutex_lock(&k->lock);
	if (!k->table.loaded)
		k->has_thread = pthread_create(&k->thread, NULL, read_first, k) == 0;
	pthread_mutex_unlock(&k->lock);
}

static const struct table *load_kernel(struct kernel *k)
{
	pthread_mutex_lock(&k->lock);
	if (k->has_thread)
		pthread_join(k->thread, NULL);
	else if (!k->table.loaded)
		read_first(k);
	k->has_thread = false;
	pthread_mutex_unlock(&k->lock);
	return &k->table;
}

static const struct table *load_modules(struct kernel *k)
{
	const struct table *t = load_kernel(k);

	if (!k->modules.path)
		return t;
	pthread_mutex_lock(&k->lock);
	if (!k->modules.loaded)
		read_table(&k->modules);
	pthread_mutex_unlock(&k->lock);
	return &k->modules;
}

static struct cached_table *find_cached(const struct kernel *k, const struct image *image)
{
	for (size_t i = 0; i < k->cached.count; i++)
		if (k->cached.v[i]->build_id_size == image->build_id_size &&
		    memcmp(k->cached.v[i]->build_id, image->build_id, BUILD_ID_MAX) == 0)
			return k->cached.v[i];
	return NULL;
}

static void read_cached(const struct object_places *places, struct cached_table *c)
{
	struct text path = { 0 };

	if (add_build_id_cache(places, &path) &&
	    add_build_id_path(c->build_id, c->build_id_size, BUILD_ID_WHOLE, &path))
		text_string(&path, "/kallsyms");
	else
		text_clear(&path);
	c->table.path = path_if_readable(&path);
	if (c->table.path)
		read_table(&c->table);
}

static struct cached_table *add_cached(struct kernel *k, const struct image *image)
{
	struct cached_table *c = calloc(1, sizeof(*c)), **slot;

	slot = c ? array_add(&k->cached) : NULL;
	if (!slot) {
		free(c);
		return NULL;
	}
	*slot = c;
	c->build_id_size = image->build_id_size;
	memcpy(c->build_id, image->build_id, BUILD_ID_MAX);
	c->table.of_recorded = true;
	read_cached(&k->options->places, c);
	return c;
}

/* NULL where there is none, or without memory: then *@err is -ENOMEM. */
static const struct table *load_cached(struct kernel *k, const struct image *image,
				       int *err)
{
	struct cached_table *c;

	if (image->build_id_size == 0)
		return NULL;
	pthread_mutex_lock(&k->lock);
	c = find_cached(k, image);
	if (!c)
		c = add_cached(k, image);
	pthread_mutex_unlock(&k->lock);
	if (!c || c->table.err == -ENOMEM)
		*err = -ENOMEM;
	return c && c->table.path ? &c->table : NULL;
}

/* What is known of the kernel, and what has to be said about it. */
struct question {
	struct kernel *k;
	const struct image *image;
	const char *reference; /* the symbol whose address was recorded */
	struct text *problem;
	const struct intern *strings;
	int err; /* -ENOMEM */
};

static enum kernel_match match_here(const struct question *q)
{
	return kernel_match(q->image->build_id, q->image->build_id_size,
			    intern_text(q->strings, q->image->release));
}

/*
 * /proc/kallsyms is of the kernel that runs now. The recording's is the same one
 * where their build ids are; another boot of it is moved as a whole. Without a build
 * id there is no proof, so nothing may be odd: the reference symbol has to be where it
 * was, which the random place of each boot makes nearly impossible for another
 * kernel. Kernels that do not move are all in the same place; there the release has
 * to be the same, too.
 */
static bool fits_this_machine(const struct question *q, uint64_t shift)
{
	enum kernel_match match = match_here(q);

	if (match == KERNEL_SAME)
		return true;
	if (match == KERNEL_OTHER)
		text_string(q->problem,
			    "the recorded kernel is not the one that runs here");
	else if (shift != 0)
		text_printf(q->problem,
			    "'%s' was not where it is now, and without a build "
			    "id it may have been another kernel",
			    q->reference);
	else if (match == KERNEL_MAYBE &&
		 kernel_is_default_address(q->image->reference_address))
		text_string(q->problem,
			    "nothing tells whether the recorded kernel is the "
			    "one that runs here; --kallsyms decides");
	else
		return true;
	return false;
}

/* The distance from recorded addresses to those of a kallsyms; false with a problem
 * where its symbols must not be used. */
static bool accept_table(const struct question *q, const struct table *t, uint64_t *shift)
{
	const struct symtab *symbols;
	uint64_t address;

	*shift = 0;
	if (t->err < 0) {
		text_string(q->problem, t->ctx.error);
		return false;
	}
	symbols = &t->kallsyms.modules.v[0].symbols;
	if (t->kallsyms.hidden)
		text_printf(q->problem,
			    "addresses in '%s' are hidden (kptr_restrict): read as root, "
			    "or after sysctl kernel.kptr_restrict=0 "
			    "kernel.perf_event_paranoid=1",
			    t->path);
	else if (symbols->symbols.count == 0)
		text_printf(q->problem, "'%s' has no symbols", t->path);
	else if (q->image->reference_address == 0 && q->k->options->kallsyms)
		return true;
	else if (q->image->reference_address == 0)
		text_string(q->problem, KERNEL_HIDDEN);
	else if (!symtab_find(symbols, q->reference, &address))
		text_printf(q->problem, "'%s' has no symbol '%s'", t->path, q->reference);
	else if ((*shift = address - q->image->reference_address) % PAGE != 0)
		text_printf(q->problem, "'%s' is of another kernel", t->path);
	else
		return t->of_recorded || fits_this_machine(q, *shift);
	return false;
}

/* What is to be asked for the recorded kernel; NULL: nothing. */
static const struct table *table_of_kernel(struct question *q)
{
	struct kernel *k = q->k;
	const struct table *cached = NULL;

	if (!k->options->kallsyms && (!k->table.path || match_here(q) == KERNEL_OTHER))
		cached = load_cached(k, q->image, &q->err);
	if (cached)
		return cached;
	return k->table.path ? load_kernel(k) : NULL;
}

static void find_in_table(struct question *q, struct kernel_names *ret)
{
	const struct table *t = table_of_kernel(q);

	if (!t)
		text_string(q->problem, "no kernel symbols below the symfs");
	if (!t || !accept_table(q, t, &ret->shift))
		return;
	ret->symbols = &t->kallsyms.modules.v[0].symbols;
	text_string(&ret->files.file, t->path);
}

/* Keeps what is to be said, and drops what was opened. */
static void start_again(struct kernel_names *n)
{
	struct text problem = n->files.problem;
	bool other_build = n->files.other_build;

	n->files.problem = (struct text){ 0 };
	kernel_names_release(n);
	n->files.problem = problem;
	n->files.other_build = other_build;
}

/* What was found wrong with a file is worth to be said where nothing else helps. */
static void settle(struct kernel_names *n, const struct text *of_table)
{
	struct text *problem = &n->files.problem;

	if (n->symbols || n->is_own) {
		text_clear(problem);
		n->files.other_build = false;
		return;
	}
	start_again(n);
	if (of_table->size) {
		text_string(problem, problem->size ? "; " : "");
		text_add(problem, of_table->bytes, of_table->size);
	}
	problem->failed |= of_table->failed;
}

/* What was given decides. Else vmlinux comes first: it has the sizes of functions, and it
 * may have what was inlined. */
static int find_kernel(struct question *q, struct kernel_names *ret)
{
	const struct symbol_options *options = q->k->options;
	int err = 0;

	if (options->vmlinux || !options->kallsyms)
		err = kernel_file_vmlinux(options, q->strings, q->image, KERNEL_HERE,
					  ret);
	if (err < 0 || ret->is_own || options->vmlinux)
		return err;
	start_again(ret);
	find_in_table(q, ret);
	if (ret->symbols || q->err < 0 || options->kallsyms ||
	    !options->places.debuginfod)
		return q->err;
	start_again(ret);
	return kernel_file_vmlinux(options, q->strings, q->image, KERNEL_REMOTE, ret);
}

/* "[nf_tables]" or ".../nf-tables.ko.xz" -> nf_tables */
static void add_module_name(const char *path, struct text *out)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const char *end = slash ? strstr(name, ".ko") : strchr(name, ']');

	if (*name == '[')
		name++;
	if (!end || end < name)
		end = name + strlen(name);
	for (; name < end; name++)
		text_char(out, *name == '-' && slash ? '_' : *name);
}

/* About each kernel that was recorded, from *@i on. */
static bool next_kernel(struct question *q, const struct images *images, size_t *i)
{
	for (; *i < images->list.count; ++*i) {
		const struct image *image = &images->list.v[*i];

		if (image->kind != IMAGE_KERNEL)
			continue;
		q->image = image;
		q->reference = intern_text(q->strings, image->reference);
		++*i;
		return true;
	}
	return false;
}

/* A copy of another kernel's table has its modules, too. Nothing says which kernel a
 * module belonged to, so that has to be the only one. NULL: no table is to be asked. */
static const struct table *table_of_modules(struct question *q,
					    const struct images *images)
{
	const struct table *t = NULL;
	size_t i = 0;

	if (next_kernel(q, images, &i))
		t = table_of_kernel(q);
	if (t && t->of_recorded && !next_kernel(q, images, &i))
		return t;
	return q->k->table.path ? load_modules(q->k) : NULL;
}

/*
 * Modules are loaded anew at each boot, so their lines count only where the kernel's
 * own are as they were: for every kernel that was recorded, because nothing says
 * which one a module belonged to.
 */
static bool accept_modules(struct question *q, const struct table *t,
			   const struct images *images)
{
	bool any = false, given = q->k->options->kallsyms;
	uint64_t shift;

	for (size_t i = 0; next_kernel(q, images, &i);) {
		any = true;
		if (!accept_table(q, t, &shift))
			return false;
		if (shift != 0) {
			text_string(q->problem, "the kernel was booted again since");
			return false;
		}
	}
	if (!any && !given)
		text_string(q->problem, "the kernel was not recorded");
	return any || (given && t->err == 0);
}

/* It may have been loaded again somewhere else. */
static bool is_where_it_was(const struct symtab *symbols, uint64_t start)
{
	const struct symbol *all = symbols->symbols.v;

	for (size_t i = 0; i < symbols->symbols.count; i++)
		if (all[i].start >= start && all[i].start - start < MODULE_HEAD)
			return true;
	return start == 0;
}

static void find_module(const struct table *t, const struct image *image,
			const char *path, struct kernel_names *ret, struct text *problem)
{
	const struct kallsyms_module *module;
	struct text name = { 0 };

	add_module_name(path, &name);
	module = name.size ? kallsyms_module(&t->kallsyms, name.bytes, name.size) : NULL;
	if (!module)
		text_printf(problem, "'%s' has nothing of this module", t->path);
	else if (!is_where_it_was(&module->symbols, image->reference_address))
		text_string(problem, "the module was loaded again since");
	else
		ret->symbols = &module->symbols;
	problem->failed |= name.failed;
	text_release(&name);
}

/* The release of the recorded kernel: "" where there are several, or none is known. */
static const char *release_of(const struct question *q, const struct images *images)
{
	struct question other = *q;
	const char *release = NULL, *next;

	for (size_t i = 0; next_kernel(&other, images, &i);) {
		next = intern_text(q->strings, other.image->release);
		if (release && strcmp(release, next) != 0)
			return "";
		release = next;
	}
	return release ? release : "";
}

/* kallsyms knows where each section was put, if it is of the same boot. */
static int find_module_names(struct question *q, const struct images *images,
			     const struct image *module, struct kernel_names *ret)
{
	const struct table *t = table_of_modules(q, images);
	const char *path = intern_text(q->strings, module->path);

	if (!t)
		text_string(q->problem, "no kernel symbols below the symfs");
	else if (accept_modules(q, t, images))
		find_module(t, module, path, ret, q->problem);
	if (ret->symbols)
		text_string(&ret->files.file, t->path);
	if (ret->symbols || q->err < 0 || q->k->options->kallsyms)
		return q->err;
	return kernel_file_module(q->k->options, q->strings, module,
				  release_of(q, images), ret);
}

static bool is_out_of_memory(const struct kernel *k)
{
	return k->table.err == -ENOMEM || k->modules.err == -ENOMEM;
}

void kernel_names_release(struct kernel_names *n)
{
	symtab_release(&n->own);
	found_release(&n->files);
	*n = (struct kernel_names){ .files = { .object.fd = -1, .debug.fd = -1 } };
}

int kernel_find(struct kernel *k, const struct images *images,
		const struct intern *strings, uint32_t image, struct kernel_names *ret)
{
	const struct image *im = &images->list.v[image];
	struct kernel_names names = { .files = { .object.fd = -1, .debug.fd = -1 } };
	struct text of_table = { 0 };
	struct question q = {
		.k = k,
		.image = im,
		.reference = intern_text(strings, im->reference),
		.problem = &of_table,
		.strings = strings,
	};
	int err = im->kind == IMAGE_KERNEL ? find_kernel(&q, &names)
					   : find_module_names(&q, images, im, &names);

	settle(&names, &of_table);
	text_release(&of_table);
	if (err == 0 && is_out_of_memory(k))
		err = -ENOMEM;
	if (err < 0)
		kernel_names_release(&names);
	else
		*ret = names;
	return err;
}
