#include "symbol/kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>

#include "symbol/find_object.h"
#include "symbol/kallsyms.h"
#include "symbol/kernel_id.h"

#define PROC_KALLSYMS "/proc/kallsyms"

enum {
	PAGE = 4096,
	MODULE_HEAD = 1 << 16, /* a module's first function lies no further in */
};

struct kernel {
	const struct symbol_options *options;
	const char *path; /* of kallsyms; NULL: none is to be used */
	atomic_bool asked;
	pthread_mutex_t lock; /* for what follows; what was loaded is read without it */
	pthread_t thread;
	bool has_thread, has_kallsyms, has_vmlinux;
	struct kallsyms kallsyms;
	struct context kallsyms_ctx, vmlinux_ctx;
	int kallsyms_err, vmlinux_err;
	struct object vmlinux;
	struct symtab vmlinux_symbols;
};

int kernel_new(struct context *ctx, const struct symbol_options *options,
	       struct kernel **ret)
{
	struct kernel *k = calloc(1, sizeof(*k));

	if (!k)
		return fail_memory(ctx);
	k->options = options;
	k->path = options->kallsyms;
	/* As perf has it: with a symfs nothing of this machine is used. */
	if (!k->path && !symfs_is_set(options))
		k->path = PROC_KALLSYMS;
	k->vmlinux.fd = -1;
	pthread_mutex_init(&k->lock, NULL);
	*ret = k;
	return 0;
}

void kernel_free(struct kernel *k)
{
	if (!k)
		return;
	if (k->has_thread)
		pthread_join(k->thread, NULL);
	kallsyms_release(&k->kallsyms);
	symtab_release(&k->vmlinux_symbols);
	object_close(&k->vmlinux);
	pthread_mutex_destroy(&k->lock);
	free(k);
}

static void *read_kallsyms(void *arg)
{
	struct kernel *k = arg;

	k->kallsyms_err = kallsyms_read(&k->kallsyms_ctx, k->path, &k->kallsyms);
	return NULL;
}

void kernel_expect(struct kernel *k)
{
	if (atomic_load_explicit(&k->asked, memory_order_relaxed) ||
	    atomic_exchange(&k->asked, true))
		return;
	if (!k->path || k->options->vmlinux)
		return;
	pthread_mutex_lock(&k->lock);
	if (!k->has_kallsyms)
		k->has_thread = pthread_create(&k->thread, NULL, read_kallsyms, k) == 0;
	pthread_mutex_unlock(&k->lock);
}

/* 0 with the symbols there, or a negative errno with a sentence in kallsyms_ctx. */
static int load_kallsyms(struct kernel *k)
{
	pthread_mutex_lock(&k->lock);
	if (k->has_thread)
		pthread_join(k->thread, NULL);
	else if (!k->has_kallsyms)
		read_kallsyms(k);
	k->has_thread = false;
	k->has_kallsyms = true;
	pthread_mutex_unlock(&k->lock);
	return k->kallsyms_err;
}

static int load_vmlinux(struct kernel *k)
{
	pthread_mutex_lock(&k->lock);
	if (!k->has_vmlinux) {
		k->vmlinux_err =
			object_open(&k->vmlinux_ctx, k->options->vmlinux, &k->vmlinux);
		if (k->vmlinux_err == 0)
			k->vmlinux_err =
				symtab_read(&k->vmlinux_symbols, &k->vmlinux, NULL);
		symtab_load_names(&k->vmlinux_symbols);
	}
	k->has_vmlinux = true;
	pthread_mutex_unlock(&k->lock);
	return k->vmlinux_err;
}

/* What is known of the kernel, and what has to be said about it. */
struct question {
	struct kernel *k;
	const struct image *image;
	const char *reference; /* the symbol whose address was recorded */
	struct text *problem;
	const struct intern *strings;
};

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
	enum kernel_match match = kernel_match(q->image, q->strings);

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

/* The distance from recorded addresses to those of kallsyms; false with a problem
 * where its symbols must not be used. */
static bool accept_kallsyms(const struct question *q, uint64_t *shift)
{
	struct kernel *k = q->k;
	bool given = k->options->kallsyms;
	const struct symtab *symbols;
	uint64_t address;

	if (load_kallsyms(k) < 0) {
		text_string(q->problem, k->kallsyms_ctx.error);
		return false;
	}
	symbols = &k->kallsyms.modules.v[0].symbols;
	*shift = 0;
	if (k->kallsyms.hidden)
		text_printf(q->problem, "addresses in '%s' are hidden (kptr_restrict)",
			    k->path);
	else if (symbols->symbols.count == 0)
		text_printf(q->problem, "'%s' has no symbols", k->path);
	else if (q->image->reference_address == 0 && given)
		return true; /* who gives it has to know */
	else if (q->image->reference_address == 0)
		text_string(q->problem,
			    "where the kernel lay in memory was not recorded");
	else if (!symtab_find(symbols, q->reference, &address))
		text_printf(q->problem, "'%s' has no symbol '%s'", k->path, q->reference);
	else if ((*shift = address - q->image->reference_address) % PAGE != 0)
		text_printf(q->problem, "'%s' is of another kernel", k->path);
	else
		return given || fits_this_machine(q, *shift);
	return false;
}

static bool accept_vmlinux(const struct question *q, uint64_t *shift)
{
	struct kernel *k = q->k;
	const char *path = k->options->vmlinux;
	uint64_t address;

	*shift = 0;
	if (load_vmlinux(k) < 0)
		text_string(q->problem, k->vmlinux_ctx.error);
	else if (q->image->build_id_size && k->vmlinux.build_id_size &&
		 !object_has_build_id(&k->vmlinux, q->image->build_id,
				      q->image->build_id_size))
		text_printf(q->problem, "'%s' has not the recorded build id", path);
	else if (k->vmlinux_symbols.symbols.count == 0)
		text_printf(q->problem, "'%s' has no symbols", path);
	else if (q->image->reference_address == 0)
		return true;
	else if (!symtab_find(&k->vmlinux_symbols, q->reference, &address))
		text_printf(q->problem, "'%s' has no symbol '%s'", path, q->reference);
	else if ((*shift = address - q->image->reference_address) % PAGE != 0)
		text_printf(q->problem, "'%s' is of another kernel", path);
	else
		return true;
	return false;
}

static void find_kernel(const struct question *q, struct kernel_names *ret,
			struct text *file)
{
	struct kernel *k = q->k;
	const char *path = k->options->vmlinux ? k->options->vmlinux : k->path;

	if (!path) {
		text_string(q->problem, "no kernel symbols below the symfs");
		return;
	}
	if (k->options->vmlinux) {
		if (accept_vmlinux(q, &ret->shift))
			ret->symbols = &k->vmlinux_symbols;
	} else if (accept_kallsyms(q, &ret->shift)) {
		ret->symbols = &k->kallsyms.modules.v[0].symbols;
	}
	if (ret->symbols)
		text_string(file, path);
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

/*
 * Modules are loaded anew at each boot, so their lines count only where the kernel's
 * own are as they were: for every kernel that was recorded, because nothing says
 * which one a module belonged to.
 */
static bool accept_modules(struct kernel *k, const struct images *images,
			   const struct intern *strings, struct text *problem)
{
	bool any = false;

	for (size_t i = 0; i < images->list.count; i++) {
		const struct image *image = &images->list.v[i];
		struct question q = { k, image, intern_text(strings, image->reference),
				      problem, strings };
		uint64_t shift;

		if (image->kind != IMAGE_KERNEL)
			continue;
		any = true;
		if (!accept_kallsyms(&q, &shift))
			return false;
		if (shift != 0) {
			text_string(problem, "the kernel was booted again since");
			return false;
		}
	}
	if (!any && !k->options->kallsyms)
		text_string(problem, "the kernel was not recorded");
	return any || (k->options->kallsyms && load_kallsyms(k) == 0);
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

static void find_module(struct kernel *k, const struct image *image, const char *path,
			struct kernel_names *ret, struct text *problem)
{
	const struct kallsyms_module *module;
	struct text name = { 0 };

	add_module_name(path, &name);
	module = name.size ? kallsyms_module(&k->kallsyms, name.bytes, name.size) : NULL;
	if (!module)
		text_printf(problem, "'%s' has nothing of this module", k->path);
	else if (!is_where_it_was(&module->symbols, image->reference_address))
		text_string(problem, "the module was loaded again since");
	else
		ret->symbols = &module->symbols;
	problem->failed |= name.failed;
	text_release(&name);
}

int kernel_find(struct kernel *k, const struct images *images,
		const struct intern *strings, uint32_t image, struct kernel_names *ret,
		struct text *file, struct text *problem)
{
	const struct image *im = &images->list.v[image];
	struct question q = { k, im, intern_text(strings, im->reference), problem,
			      strings };

	*ret = (struct kernel_names){ 0 };
	if (im->kind == IMAGE_KERNEL) {
		find_kernel(&q, ret, file);
	} else if (!k->path) {
		text_string(problem, "no kernel symbols below the symfs");
	} else if (accept_modules(k, images, strings, problem)) {
		find_module(k, im, intern_text(strings, im->path), ret, problem);
		if (ret->symbols)
			text_string(file, k->path);
	}
	return k->kallsyms_err == -ENOMEM || k->vmlinux_err == -ENOMEM ? -ENOMEM : 0;
}
