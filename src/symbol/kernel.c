/*
 * A kernel's symbols may be in a table that was given, one that came with the recording,
 * perf's copy by build id, or this machine's kallsyms (or perf's copy of that). Each has
 * to prove that it is of the recorded kernel before a name is taken from it:
 *
 *	shift = address of the reference symbol in the table - its recorded address
 *
 * A kernel is moved by whole pages, so with any other shift it is another kernel. For
 * this machine's table the build id has to be equal, or else nothing at all may be odd;
 * modules count only if the shift is 0, since they are loaded anew at each boot. The
 * reasons why tables were refused are kept, for a user who gets no names.
 *
 * Tables are read when they are first asked for, under the lock, and never change after
 * that: names are found without it. /proc/kallsyms takes long, so a thread may have
 * begun before.
 */
#include "symbol/kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "find/find.h"
#include "symbol/kernel_file.h"
#include "symbol/kernel_table.h"

enum {
	PAGE = 4096,
	MODULE_HEAD = 1 << 16, /* a module's first function lies no further in */
	/* Each module asks each kernel whether it fits: more only hostile recordings have. */
	KERNELS_MOST = 64,
};

/* The kallsyms that came with a recording. */
struct recorded_table {
	uint32_t path, release; /* string ids */
	struct known_build_id build_id; /* of its kernel; its size is 0: not known */
	struct kernel_table table; /* .path is set when it is read */
};

/* perf's copy of a kallsyms, for a recorded kernel that is not this one. */
struct cached_table {
	uint8_t build_id_size;
	uint8_t build_id[BUILD_ID_MAX];
	struct kernel_table table; /* .path is NULL: there is none */
};

struct kernel {
	const struct symbol_options *options;
	bool has_table, here; /* there is one; it is of the kernel that runs now */
	atomic_bool asked;
	pthread_mutex_t lock; /* for what follows; what was loaded is read without it */
	pthread_t thread;
	bool has_thread;
	/* The one that was given, or perf's copy of this kernel's, or /proc's. */
	struct kernel_table table;
	/* /proc's, where table is a copy: modules may have come since that was made. */
	struct kernel_table modules;
	ARRAY(struct recorded_table *) recorded;
	ARRAY(struct cached_table *) cached;
	struct hash_set cached_by_id; /* of its build id */
	ARRAY(uint32_t)
	images; /* that are kernels, for modules: of the first looked ones */
	size_t looked;
};

int kernel_new(struct context *ctx, const struct symbol_options *options,
	       struct kernel **ret)
{
	struct kernel *k = calloc(1, sizeof(*k));

	if (!k)
		return fail_memory(ctx);
	k->options = options;
	pthread_mutex_init(&k->lock, NULL);
	/* As perf has it: with a symfs nothing of this machine is used. */
	k->has_table = options->kallsyms || !symfs_is_set(&options->dirs);
	if (options->kallsyms) {
		k->here = k->table.here = kernel_table_is_proc(options->kallsyms);
		k->table.origin = TABLE_GIVEN;
		k->table.ctx.budget = options->dirs.budget;
		k->table.path = strdup(options->kallsyms);
	} else if (k->has_table) {
		k->here = k->table.here = k->modules.here = true;
		k->table.origin = k->modules.origin = TABLE_HERE;
		k->table.path = kernel_table_copy_here(&options->dirs);
		if (!k->table.path)
			k->table.path = strdup(PROC_KALLSYMS);
		else if (!(k->modules.path = strdup(PROC_KALLSYMS)))
			goto no_memory;
	}
	if (k->has_table && !k->table.path)
		goto no_memory;
	*ret = k;
	return 0;
no_memory:
	kernel_free(k);
	return fail_memory(ctx);
}

int kernel_add_recording(struct kernel *k, const struct recording *rec,
			 const struct intern *strings)
{
	static const char kernel[] = "[kernel.kallsyms]";
	struct recorded_table *r, **slot;

	/* What was given decides. */
	if (!rec->kallsyms || k->options->kallsyms)
		return 0;
	r = calloc(1, sizeof(*r));
	slot = r ? array_add(&k->recorded) : NULL;
	if (!slot) {
		free(r);
		return -ENOMEM;
	}
	r->path = rec->kallsyms;
	r->release = rec->kernel;
	/* The last build id counts, as it does for the kernel's image. */
	for (size_t i = 0; i < rec->build_ids.count; i++) {
		const struct known_build_id *known = &rec->build_ids.v[i];

		if (known->mode == MODE_KERNEL &&
		    strncmp(intern_text(strings, known->path), kernel,
			    sizeof(kernel) - 1) == 0)
			r->build_id = *known;
	}
	r->table.origin = TABLE_RECORDED;
	r->table.ctx.budget = k->options->dirs.budget;
	*slot = r;
	return 0;
}

void kernel_free(struct kernel *k)
{
	if (!k)
		return;
	/* It may still be reading into the table. */
	if (k->has_thread)
		pthread_join(k->thread, NULL);
	kernel_table_release(&k->table);
	kernel_table_release(&k->modules);
	for (size_t i = 0; i < k->recorded.count; i++) {
		kernel_table_release(&k->recorded.v[i]->table);
		free(k->recorded.v[i]);
	}
	array_release(&k->recorded);
	for (size_t i = 0; i < k->cached.count; i++) {
		kernel_table_release(&k->cached.v[i]->table);
		free(k->cached.v[i]);
	}
	array_release(&k->cached);
	hash_release(&k->cached_by_id);
	array_release(&k->images);
	pthread_mutex_destroy(&k->lock);
	free(k);
}

/* A copy may be of no use (made without permission, or cut): then /proc's it is. The
 * caller has the lock, or whoever has it waits for this thread in load_kernel(). */
static void *read_first(void *arg)
{
	struct kernel *k = arg;

	kernel_table_read(&k->table);
	if (!k->modules.path || (k->table.err == 0 && !k->table.kallsyms.hidden &&
				 k->table.kallsyms.modules.v[0].symbols.symbols.count))
		return NULL;
	kernel_table_release(&k->table);
	k->table = k->modules;
	k->modules = (struct kernel_table){ 0 };
	kernel_table_read(&k->table);
	return NULL;
}

void kernel_expect(struct kernel *k)
{
	if (atomic_load_explicit(&k->asked, memory_order_relaxed))
		return;
	/* One thread is one thread. */
	if (!k->has_table || k->recorded.count || k->options->vmlinux ||
	    k->options->threads == 1 || atomic_exchange(&k->asked, true))
		return;
	pthread_mutex_lock(&k->lock);
	if (!k->table.loaded)
		k->has_thread = pthread_create(&k->thread, NULL, read_first, k) == 0;
	pthread_mutex_unlock(&k->lock);
}

static struct kernel_table *load_kernel(struct kernel *k)
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

/* NULL without memory: then *@err is -ENOMEM. So it is with the next one. */
static struct kernel_table *load_recorded(struct kernel *k, struct recorded_table *r,
					  const struct intern *strings, int *err)
{
	struct kernel_table *t = &r->table;

	pthread_mutex_lock(&k->lock);
	if (!t->path)
		t->path = strdup(intern_text(strings, r->path));
	if (t->path && !t->loaded)
		kernel_table_read(t);
	pthread_mutex_unlock(&k->lock);
	if (!t->path)
		*err = -ENOMEM;
	return t->path ? t : NULL;
}

/* Where there is none, NULL; without memory, too, and *@err is -ENOMEM. */
static struct kernel_table *load_cached(struct kernel *k, const struct image *image,
					int *err)
{
	uint64_t hash = hash_bytes(image->build_id, image->build_id_size);
	uint64_t i = hash_start(hash);
	struct cached_table *c = NULL, **slot;
	uint32_t id;

	if (image->build_id_size == 0)
		return NULL;
	pthread_mutex_lock(&k->lock);
	while (!c && (id = hash_find(&k->cached_by_id, hash, &i)) != HASH_NONE) {
		c = k->cached.v[id];
		if (c->build_id_size != image->build_id_size ||
		    memcmp(c->build_id, image->build_id, BUILD_ID_MAX) != 0)
			c = NULL;
	}
	if (!c) {
		c = calloc(1, sizeof(*c));
		slot = c && hash_add(&k->cached_by_id, hash, (uint32_t)k->cached.count)
			       ? array_add(&k->cached)
			       : NULL;
		if (!slot) {
			free(c);
			*err = -ENOMEM;
			pthread_mutex_unlock(&k->lock);
			return NULL;
		}
		*slot = c;
		c->build_id_size = image->build_id_size;
		memcpy(c->build_id, image->build_id, BUILD_ID_MAX);
		c->table.origin = TABLE_OF_BUILD;
		c->table.ctx.budget = k->options->dirs.budget;
		c->table.path = kernel_table_copy_of(&k->options->dirs, c->build_id,
						     c->build_id_size);
		if (c->table.path)
			kernel_table_read(&c->table);
	}
	pthread_mutex_unlock(&k->lock);
	return c->table.path ? &c->table : NULL;
}

/* What is known of the kernel, and what has to be said about it. */
struct kernel_search {
	struct kernel *k;
	const struct image *image;
	const char *reference; /* the symbol whose address was recorded */
	struct text *problem;
	const struct images *images;
	const struct intern *strings;
	int err; /* -ENOMEM */
};

static enum kernel_match match_here(const struct kernel_search *q)
{
	return kernel_match(q->image->build_id, q->image->build_id_size,
			    intern_text(q->strings, q->image->release));
}

/* The distance from recorded addresses to those of a kallsyms. False with a problem where
 * the recording says that it is of another kernel, or nothing of where that was. */
static bool find_shift(const struct kernel_search *q, struct kernel_table *t,
		       uint64_t *shift)
{
	const struct image *image = q->image;
	uint64_t address;
	bool found;

	pthread_mutex_lock(&q->k->lock);
	found = kernel_table_find(t, q->strings, image->reference, &address);
	pthread_mutex_unlock(&q->k->lock);
	if (!found)
		text_printf(q->problem, "'%s' has no symbol '%s'", t->path, q->reference);
	else if ((*shift = address - image->reference_address) % PAGE != 0)
		text_printf(q->problem, "'%s' is of another kernel", t->path);
	else if (t->origin == TABLE_RECORDED && *shift != 0)
		text_printf(q->problem, "'%s' is not of the boot that was recorded",
			    t->path);
	else
		return true;
	return false;
}

/* Sentences about several tables are one. */
static void begin_problem(const struct kernel_search *q)
{
	const struct text *p = q->problem;

	if (p->size && p->bytes[p->size - 1] != ' ')
		text_string(q->problem, "; ");
}

#define OTHER_KERNEL "the recorded kernel is not the one that runs here"

/*
 * The shift of a kallsyms; false with a problem where its symbols must not be used.
 *
 * /proc/kallsyms is of the kernel that runs now. The recording's is the same one
 * where their build ids are; another boot of it is moved as a whole. Without a build
 * id there is no proof, so nothing may be odd: the reference symbol has to be where it
 * was, which the random place of each boot makes nearly impossible for another
 * kernel. Kernels that do not move are all in the same place; there the release has
 * to be the same, too.
 */
static bool accept_table(struct kernel_search *q, struct kernel_table *t, uint64_t *shift)
{
	enum kernel_match match = t->here ? match_here(q) : KERNEL_MAYBE;

	*shift = 0;
	if (t->err == -ENOMEM)
		q->err = -ENOMEM;
	begin_problem(q);
	/* Another kernel comes first: what else is wrong with its table does not
	 * matter. */
	if (t->here && match == KERNEL_OTHER)
		text_string(q->problem, OTHER_KERNEL);
	else if (t->err < 0)
		text_string(q->problem, t->ctx.error);
	else if (t->kallsyms.hidden)
		text_printf(q->problem,
			    "addresses in '%s' are hidden (kptr_restrict): read after "
			    "'sudo sysctl kernel.kptr_restrict=0 "
			    "kernel.perf_event_paranoid=1'",
			    t->path);
	else if (t->kallsyms.modules.v[0].symbols.symbols.count == 0)
		text_printf(q->problem, "'%s' has no symbols", t->path);
	else if (q->image->reference_address == 0 &&
		 (t->origin == TABLE_GIVEN || t->origin == TABLE_RECORDED))
		return true;
	else if (q->image->reference_address == 0)
		text_string(q->problem, KERNEL_HIDDEN);
	else if (!find_shift(q, t, shift))
		return false;
	else if (t->origin != TABLE_HERE || match == KERNEL_SAME)
		return true;
	else if (*shift != 0)
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

/* Several recordings may be read, of several kernels. */
static bool is_of_recording(const struct kernel_search *q, const struct recorded_table *r)
{
	const struct image *image = q->image;

	if (image->release != r->release)
		return false;
	return r->build_id.size == 0 || image->build_id_size == 0 ||
	       (r->build_id.size == image->build_id_size &&
		memcmp(r->build_id.id, image->build_id, image->build_id_size) == 0);
}

static void refuse_table(const struct kernel_search *q, const char *why)
{
	begin_problem(q);
	text_string(q->problem, why);
}

#define BELOW_SYMFS "no kernel symbols below the symfs"

/* Where perf keeps kallsyms by build id, or where this machine has it. NULL with a problem
 * where nothing is to be asked. */
static struct kernel_table *table_of_kernel(struct kernel_search *q)
{
	struct kernel *k = q->k;
	bool here = k->has_table && k->here;
	enum kernel_match match = here ? match_here(q) : KERNEL_MAYBE;
	struct kernel_table *cached = NULL;

	if (!k->options->kallsyms && match != KERNEL_SAME)
		cached = load_cached(k, q->image, &q->err);
	if (cached)
		return cached;
	if (match == KERNEL_OTHER)
		refuse_table(q, OTHER_KERNEL);
	else if (k->has_table)
		return load_kernel(k);
	else
		refuse_table(q, BELOW_SYMFS);
	return NULL;
}

static bool take_table(struct kernel_search *q, struct kernel_table *t,
		       struct kernel_names *ret)
{
	int err = t ? t->err : 0;

	/* It is there, and its bytes are not to be had. */
	if (err < 0 && err != -ENOENT && err != -ENOTDIR && err != -EACCES &&
	    err != -EPERM && err != -EDQUOT)
		ret->files.trouble = true;
	if (!t || !accept_table(q, t, &ret->shift))
		return false;
	ret->symbols = &t->kallsyms.modules.v[0].symbols;
	text_string(&ret->files.file, t->path);
	return true;
}

/* Keeps what is to be said, and drops what was opened. */
static void start_again(struct kernel_names *n)
{
	struct text problem = n->files.problem;
	bool refused = n->files.refused, trouble = n->files.trouble;

	n->files.problem = (struct text){ 0 };
	kernel_names_release(n);
	n->files.problem = problem;
	n->files.refused = refused;
	n->files.trouble = trouble;
}

/* What was given decides. Else vmlinux comes first: it has the sizes of functions, and it
 * may have what was inlined. */
static int find_kernel(struct kernel_search *q, struct kernel_names *ret)
{
	const struct symbol_options *options = q->k->options;
	bool found = false;
	int err = 0;

	if (options->vmlinux || !options->kallsyms)
		err = kernel_file_vmlinux(options, q->strings, q->image, KERNEL_HERE,
					  ret);
	if (err < 0 || ret->is_own || options->vmlinux)
		return err;
	start_again(ret);
	/* What came with the recording needs no further proof, and no permission. */
	for (size_t i = 0; i < q->k->recorded.count && !found; i++) {
		struct recorded_table *r = q->k->recorded.v[i];

		found = is_of_recording(q, r) &&
			take_table(q, load_recorded(q->k, r, q->strings, &q->err), ret);
	}
	if (!found)
		take_table(q, table_of_kernel(q), ret);
	if (ret->symbols || q->err < 0 || options->kallsyms || !options->dirs.debuginfod)
		return q->err;
	start_again(ret);
	return kernel_file_vmlinux(options, q->strings, q->image, KERNEL_REMOTE, ret);
}

/* About each kernel that was recorded, from *@i on. */
static bool next_kernel(struct kernel_search *q, size_t *i)
{
	if (*i >= q->k->images.count)
		return false;
	q->image = &q->images->list.v[q->k->images.v[(*i)++]];
	q->reference = intern_text(q->strings, q->image->reference);
	return true;
}

/* A copy of another kernel's table has its modules, too. Nothing says which kernel a
 * module belonged to, so that has to be the only one. NULL with a problem: no table is to be
 * asked. */
static struct kernel_table *table_of_modules(struct kernel_search *q)
{
	struct kernel *k = q->k;
	struct kernel_table *t = NULL;
	size_t i = 0;

	if (next_kernel(q, &i)) {
		t = table_of_kernel(q);
		if (!t || t->origin == TABLE_GIVEN ||
		    (t->origin == TABLE_OF_BUILD && !next_kernel(q, &i)))
			return t;
	}
	if (!k->has_table) {
		refuse_table(q, BELOW_SYMFS);
		return NULL;
	}
	t = load_kernel(k);
	if (!k->modules.path)
		return t;
	pthread_mutex_lock(&k->lock);
	if (!k->modules.loaded)
		kernel_table_read(&k->modules);
	pthread_mutex_unlock(&k->lock);
	return &k->modules;
}

/*
 * Modules are loaded anew at each boot, so their lines count only where the kernel's
 * own are as they were: for every kernel that was recorded, because nothing says
 * which one a module belonged to. Where kernels are not moved each boot has them in the
 * same place, so that proves nothing: only where the modules were does. @r: the recording
 * that the table is of, or NULL.
 */
static bool accept_modules(struct kernel_search *q, struct kernel_table *t,
			   const struct recorded_table *r)
{
	bool any = false, says_boot = t->origin == TABLE_GIVEN ||
				      t->origin == TABLE_RECORDED || t->kallsyms.placed;
	uint64_t shift;

	for (size_t i = 0; next_kernel(q, &i);) {
		any = true;
		if (r && !is_of_recording(q, r))
			return false;
		if (!accept_table(q, t, &shift))
			return false;
		if (shift == 0 && (says_boot || !kernel_is_default_address(
							q->image->reference_address)))
			continue;
		text_string(q->problem,
			    shift ? "the kernel was booted again since"
				  : "nothing tells whether the kernel was booted again");
		return false;
	}
	if (!any && t->origin != TABLE_GIVEN)
		refuse_table(q, "the kernel was not recorded");
	return any || (t->origin == TABLE_GIVEN && t->err == 0);
}

/* @r: see accept_modules(). */
static bool take_module(struct kernel_search *q, struct kernel_table *t,
			const struct recorded_table *r, const struct image *image,
			struct kernel_names *ret)
{
	const struct kallsyms_module *module;
	const char *path = intern_text(q->strings, image->path);
	const char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path;
	const char *end = slash ? strstr(from, ".ko") : strchr(from, ']');
	uint64_t start = image->reference_address;
	struct text name = { 0 };
	bool moved = false;

	if (!t || !accept_modules(q, t, r))
		return false;
	/* "[nf_tables]" or ".../nf-tables.ko.xz" -> nf_tables */
	if (*from == '[')
		from++;
	if (!end || end < from)
		end = from + strlen(from);
	for (; from < end; from++)
		text_char(&name, *from == '-' && slash ? '_' : *from);
	module = name.size ? kallsyms_module(&t->kallsyms, name.bytes, name.size) : NULL;
	/* It may have been loaded again somewhere else. What is recorded as its start is
	 * where it was loaded to, or (s390) its code. */
	if (module && start && t->kallsyms.placed)
		moved = !module->start ||
			(start != module->start && start != module->code);
	else if (module && start)
		moved = module->code < start || module->code - start >= MODULE_HEAD;
	if (!module)
		text_printf(q->problem, "'%s' has nothing of this module", t->path);
	else if (moved)
		text_string(q->problem, "the module was loaded again since");
	else if (t->here && kernel_module_match(name.bytes, image->build_id,
						image->build_id_size) == KERNEL_OTHER)
		text_string(q->problem, "another build of the module is loaded now");
	else
		ret->symbols = &module->symbols;
	q->problem->failed |= name.failed;
	text_release(&name);
	if (ret->symbols)
		text_string(&ret->files.file, t->path);
	return ret->symbols;
}

/* kallsyms knows where each section was put, if it is of the same boot. */
static int find_module(struct kernel_search *q, const struct image *module,
		       struct kernel_names *ret)
{
	const struct images *images = q->images;
	const char *release = NULL, *next;
	struct kernel *k = q->k;
	int err = 0;

	/* Kernels among images that have come since are found once for all modules. */
	pthread_mutex_lock(&k->lock);
	for (; k->looked < images->list.count && err == 0; k->looked++) {
		uint32_t *slot;

		if (images->list.v[k->looked].kind != IMAGE_KERNEL ||
		    k->images.count > KERNELS_MOST)
			continue;
		slot = array_add(&k->images);
		if (slot)
			*slot = (uint32_t)k->looked;
		else
			err = -ENOMEM;
	}
	pthread_mutex_unlock(&k->lock);
	if (err < 0)
		return err;
	if (k->images.count > KERNELS_MOST) {
		refuse_table(q, "it may be of any of too many kernels");
		return 0;
	}
	for (size_t i = 0; i < k->recorded.count; i++) {
		struct recorded_table *r = k->recorded.v[i];

		if (take_module(q, load_recorded(k, r, q->strings, &q->err), r, module,
				ret))
			return q->err;
	}
	if (take_module(q, table_of_modules(q), NULL, module, ret) || q->err < 0 ||
	    k->options->kallsyms)
		return q->err;
	/* Where there are several kernels, of several releases, none is known. */
	for (size_t i = 0; next_kernel(q, &i);) {
		next = intern_text(q->strings, q->image->release);
		release = release && strcmp(release, next) != 0 ? "" : next;
	}
	return kernel_file_module(k->options, q->strings, module, release ? release : "",
				  ret);
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
	struct kernel_search q = {
		.k = k,
		.image = im,
		.reference = intern_text(strings, im->reference),
		.problem = &of_table,
		.images = images,
		.strings = strings,
	};
	struct text *problem = &names.files.problem;
	int err = im->kind == IMAGE_KERNEL ? find_kernel(&q, &names)
					   : find_module(&q, im, &names);

	/* What was found wrong with a file is worth to be said where nothing else helps. */
	if (names.symbols || names.is_own) {
		text_clear(problem);
		names.files.refused = false;
	} else {
		start_again(&names);
		if (of_table.size) {
			text_string(problem, problem->size ? "; " : "");
			text_add(problem, of_table.bytes, of_table.size);
		}
		problem->failed |= of_table.failed;
	}
	text_release(&of_table);
	if (err == 0)
		err = q.err;
	if (err < 0)
		kernel_names_release(&names);
	else
		*ret = names;
	return err;
}
