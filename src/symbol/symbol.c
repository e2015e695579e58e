/*
 * Frames are grouped by image with a counting sort, and each image is a job that any
 * thread may do: it writes to memory of its own, and to places of its own frames.
 *
 *	frames    7:a 3:b 7:c 3:d          image:address
 *	grouped   3: b d | 7: a c
 *	jobs      in parallel, much work first, kernels last
 *	taken     in order of images, by one thread
 *
 * Strings and functions get their ids only in the last step, so they do not depend on
 * which job was done when. A later run of the same frames looks up new ones alone, and
 * code of runtimes that had no name, because runtimes tell late.
 */
#include "symbol/symbol.h"

#include <errno.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "symbol/clone.h"
#include "symbol/image_names.h"
#include "symbol/map_files.h"
#include "symbol/printed.h"

struct symbolizer {
	const struct images *images;
	struct intern *strings;
	struct symbol_options options;
	enum symbol_inlines inlines; /* that was asked for */
	struct arena texts; /* of the options */
	struct kernel *kernel;
	bool user_stacks; /* some recording has dumps of stacks */
	ARRAY(const struct recording *) recordings;
};

int symbolizer_new(struct context *ctx, const struct images *images,
		   struct intern *strings, const struct symbol_options *options,
		   struct symbolizer **ret)
{
	struct symbolizer *s = calloc(1, sizeof(*s));
	struct symbol_options *own;
	int err = 0;

	if (!s)
		return fail_memory(ctx);
	own = &s->options;
	*own = *options;
	const char **texts[] = {
		&own->dirs.symfs,   &own->dirs.debug_dir, &own->dirs.build_id_dir,
		&own->dirs.map_dir, &own->kallsyms,	  &own->vmlinux,
	};

	object_prepare();
	s->images = images;
	s->strings = strings;
	s->inlines = options->inlines;
	/* Texts of the options are copied: callers need not keep theirs. */
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && err == 0; i++) {
		const char *given = *texts[i];

		if (given)
			*texts[i] = arena_text(&s->texts, given, strlen(given));
		if (given && !*texts[i])
			err = -ENOMEM;
	}
	if (own->threads == 0)
		own->threads = (unsigned)parallel_processors();
	if (err == 0)
		err = kernel_new(ctx, &s->options, &s->kernel);
	if (err < 0) {
		symbolizer_free(s);
		return fail_memory(ctx);
	}
	*ret = s;
	return 0;
}

void symbolizer_free(struct symbolizer *s)
{
	if (!s)
		return;
	kernel_free(s->kernel);
	array_release(&s->recordings);
	arena_release(&s->texts);
	free(s);
}

int symbolizer_add_recording(struct symbolizer *s, const struct recording *rec)
{
	const struct recording **slot;

	s->user_stacks |= rec->user_stacks > 0;
	if (kernel_add_recording(s->kernel, rec, s->strings) < 0)
		return -ENOMEM;
	/* perf knows nothing of such names. */
	if (s->options.compat)
		return 0;
	slot = array_add(&s->recordings);
	if (!slot)
		return -ENOMEM;
	*slot = rec;
	return 0;
}

void symbolizer_expect_kernel(struct symbolizer *s)
{
	kernel_expect(s->kernel);
}

struct naming_run {
	struct context *ctx;
	struct symbolizer *s;
	const struct frames *frames;
	struct symbols *symbols;
	size_t named; /* frames that an earlier run has named */
	struct source_finder finder;
	struct keyed *grouped; /* frame ids, those of an image side by side */
	ARRAY(struct image_names) jobs; /* by image id */
	ARRAY(struct image_names *) order; /* as they are started */
	struct text label;
};

/* Runtimes tell late what they have compiled. */
static bool may_get_name(const struct naming_run *r, uint32_t frame)
{
	const struct image *image = &r->s->images->list.v[r->frames->list.v[frame].image];

	return image->owner &&
	       r->symbols->functions.v[r->symbols->of_frame.v[frame]].unnamed;
}

/* Has it to be looked up? Others have their names from an earlier run. */
static bool frame_is_wanted(const struct naming_run *r, size_t frame)
{
	return frame >= r->named || may_get_name(r, (uint32_t)frame);
}

static bool is_kernel(const struct naming_run *r, const struct image_names *job)
{
	enum image_kind kind = r->s->images->list.v[job->image].kind;

	return kind == IMAGE_KERNEL || kind == IMAGE_MODULE;
}

/* Much work first. Kernel images last, because they may have to wait for kallsyms. */
static int compare_jobs(const void *a, const void *b, void *arg)
{
	const struct image_names *x = *(struct image_names *const *)a;
	const struct image_names *y = *(struct image_names *const *)b;
	bool kernel_x = is_kernel(arg, x), kernel_y = is_kernel(arg, y);

	if (kernel_x != kernel_y)
		return kernel_x - kernel_y;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->image < y->image ? -1 : x->image > y->image;
}

/* Counting sort of the frames by image; every image with frames becomes a job, and jobs get the order
 * in which they are started. */
static int make_jobs(struct naming_run *r)
{
	size_t images = r->s->images->list.count, sum = 0;
	const struct frame *frames = r->frames->list.v;

	r->grouped = malloc((r->frames->list.count + 1) * sizeof(*r->grouped));
	if (!r->grouped || !array_reserve(&r->jobs, images))
		return -ENOMEM;
	for (size_t i = 0; i < images; i++)
		*array_add(&r->jobs) = (struct image_names){ .image = (uint32_t)i };
	for (size_t i = 0; i < r->frames->list.count; i++)
		r->jobs.v[frames[i].image].count += frame_is_wanted(r, i);
	for (size_t i = 0; i < images; i++) {
		r->jobs.v[i].frames = r->grouped + sum;
		sum += r->jobs.v[i].count;
		/* It is counted again as frames are placed. */
		r->jobs.v[i].count = 0;
	}
	for (size_t i = 0; i < r->frames->list.count; i++) {
		struct image_names *job = &r->jobs.v[frames[i].image];

		if (!frame_is_wanted(r, i))
			continue;
		job->frames[job->count++] =
			(struct keyed){ frames[i].address, (uint32_t)i };
	}
	/* Those that are looked up again count again. */
	for (size_t i = 0; i < r->named; i++) {
		struct image_report *report = &r->symbols->images.v[frames[i].image];

		if (!may_get_name(r, (uint32_t)i))
			continue;
		report->frames--;
		report->unnamed--;
		r->symbols->inlined_of_frame.v[i] = 0;
	}
	for (size_t i = 0; i < images; i++) {
		struct image_names *job = &r->jobs.v[i], **slot;

		if (job->count == 0 || r->s->images->list.v[i].kind == IMAGE_LABEL)
			continue;
		slot = array_add(&r->order);
		if (!slot)
			return -ENOMEM;
		*slot = job;
		if (is_kernel(r, job))
			kernel_expect(r->s->kernel);
	}
	if (r->order.count > 0)
		qsort_r(r->order.v, r->order.count, sizeof(*r->order.v), compare_jobs, r);
	return 0;
}

static int name_image(void *arg, size_t i, size_t worker)
{
	struct naming_run *r = arg;

	(void)worker;
	return image_names_make(r->order.v[i], &r->finder, r->frames,
				r->symbols->of_frame.v, r->symbols->inlined_of_frame.v);
}

/* The function of that name, module and kind. */
static int intern_function(struct symbols *symbols, const struct function *f,
			   uint32_t *ret)
{
	uint64_t hash = hash_u64(((uint64_t)f->name << 32 | f->module) +
				 hash_u64(f->kind + (f->address << 8) + f->image));
	uint64_t i = hash_start(hash);
	struct function *slot;
	uint32_t id;

	while ((id = hash_find(&symbols->functions_by_key, hash, &i)) != HASH_NONE) {
		const struct function *known = &symbols->functions.v[id];

		if (known->name == f->name && known->module == f->module &&
		    known->kind == f->kind && known->dropped == f->dropped &&
		    known->image == f->image && known->address == f->address) {
			/* Of what is no part of the key, file and line, the first one's
			 * counts. */
			*ret = id;
			return 0;
		}
	}
	slot = array_add(&symbols->functions);
	if (!slot)
		return -ENOMEM;
	*slot = *f;
	*ret = (uint32_t)symbols->functions.count - 1;
	return hash_add(&symbols->functions_by_key, hash, *ret) ? 0 : -ENOMEM;
}

/* "comm-PID", or "comm-PID/TID". */
static void make_label(struct naming_run *r, const struct thread_label *label, bool tid)
{
	text_clear(&r->label);
	if (!label->comm)
		text_printf(&r->label, ":%d", (int)(tid ? label->tid : label->pid));
	text_string(&r->label, intern_text(r->s->strings, label->comm));
	for (size_t i = 0; i < r->label.size; i++)
		if (r->label.bytes[i] == ' ')
			r->label.bytes[i] = '_';
	if (label->pid == PID_NOT_PRINTED)
		text_string(&r->label, "-?");
	else
		text_printf(&r->label, "-%d", (int)label->pid);
	if (tid)
		text_printf(&r->label, "/%d", (int)label->tid);
}

/* One that was named when its tree was saved. */
static struct function saved_function(const struct saved_function *s)
{
	static const uint8_t kinds[SAVED_KIND + 1] = {
		[SAVED_TEXT] = FUNCTION_LABEL,	  [SAVED_USER] = FUNCTION_USER,
		[SAVED_KERNEL] = FUNCTION_KERNEL, [SAVED_JIT] = FUNCTION_JIT,
		[SAVED_GAP] = FUNCTION_GAP,
	};

	return (struct function){ .name = s->name,
				  .module = s->module,
				  .file = s->file,
				  .line = s->line,
				  .kind = kinds[s->kind & SAVED_KIND],
				  .unnamed = s->kind & SAVED_UNNAMED };
}

/* A frame that is no code: a process, a mark, a name that came as text. */
static int take_label(struct naming_run *r, uint32_t id)
{
	const struct frame *frame = &r->frames->list.v[id];
	struct function f = { .name = (uint32_t)frame->address,
			      .kind = frame->flags & FRAME_GAP ? FUNCTION_GAP
							       : FUNCTION_LABEL };
	struct thread_label pid = { (uint32_t)frame->address,
				    (uint32_t)(frame->address >> 32), 0 };
	bool makes_label = true;

	if (frame->flags & FRAME_PRINTED) {
		makes_label = false;
		if (printed_function(&r->s->options, r->s->strings,
				     (uint32_t)frame->address, &r->label, &f) < 0)
			return -ENOMEM;
	} else if (frame->flags & FRAME_FUNCTION) {
		f = saved_function(&r->frames->functions.v[frame->address]);
		makes_label = false;
	} else if (frame->flags & FRAME_TID) {
		make_label(r, &r->frames->threads.v[frame->address], true);
	} else if (frame->flags & FRAME_PID) {
		make_label(r, &pid, false);
	} else if (frame->flags & FRAME_NAMELESS) {
		text_clear(&r->label);
		text_printf(&r->label, ":%d", (int)frame->address);
	} else {
		makes_label = false;
	}
	if (makes_label && (r->label.failed || intern_add(r->s->strings, r->label.bytes,
							  r->label.size, &f.name) < 0))
		return -ENOMEM;
	if (r->s->options.merge_clones &&
	    frame->flags & (FRAME_TEXT | FRAME_FUNCTION | FRAME_PRINTED)) {
		const char *text = intern_text(r->s->strings, f.name);
		size_t size = strlen(text), mark = size, base;

		/* Names that came as text may have flamegraph.pl's marks, such as _[k],
		 * behind them. */
		if (size > 4 && memcmp(text + size - 4, "_[", 2) == 0 &&
		    text[size - 1] == ']')
			mark -= 4;
		base = clone_base(text, mark);
		if (base != mark) {
			text_clear(&r->label);
			text_add(&r->label, text, base);
			text_add(&r->label, text + mark, size - mark);
			if (r->label.failed || intern_add(r->s->strings, r->label.bytes,
							  r->label.size, &f.name) < 0)
				return -ENOMEM;
		}
	}
	return intern_function(r->symbols, &f, &r->symbols->of_frame.v[id]);
}

static int add_report_text(struct naming_run *r, const struct text *t, uint32_t *ret)
{
	return intern_add(r->s->strings, t->bytes ? t->bytes : "", t->size, ret);
}

/* Its path, as recorded. Many files hold what one runtime compiled: they are one. */
static int module_of(struct naming_run *r, const struct image_names *job, uint32_t *ret)
{
	const struct image *image = &r->s->images->list.v[job->image];
	const char *jit = image->kind == IMAGE_ANON && !r->s->options.compat
				  ? jit_file_name(intern_text(r->s->strings, image->path))
				  : NULL;

	*ret = image->path;
	/* Processes with the same runtime have the same functions. */
	if (!jit && image->owner && !r->s->options.compat)
		jit = "jit";
	if (!jit)
		return 0;
	text_clear(&r->label);
	text_printf(&r->label, "[%s]", jit);
	if (r->label.failed)
		return -ENOMEM;
	return intern_add(r->s->strings, r->label.bytes, r->label.size, ret);
}

/* Short ones are a part of what a frame has claimed. */
static int keep_name(struct naming_run *r, const char *name, size_t size, uint32_t *ret)
{
	enum { SHORT = 64 };
	static const char limit[] = "[memory limit]";
	struct budget *budget = r->s->options.dirs.budget;

	if (size > SHORT && !intern_find(r->s->strings, name, size, ret) &&
	    !budget_take(budget, size)) {
		budget_refuse(budget, "names of functions", "all objects");
		name = limit;
		size = sizeof(limit) - 1;
	}
	return intern_add(r->s->strings, name, size, ret);
}

/* What has no name yet, or one from symbols alone, is a function of its own where it is. */
static int keep_address(struct naming_run *r, const struct image_names *job, uint32_t id)
{
	const struct image *image = &r->s->images->list.v[job->image];
	const struct frame *frame = &r->frames->list.v[id];
	uint32_t *of_frame = &r->symbols->of_frame.v[id];
	struct function f = r->symbols->functions.v[*of_frame];

	if (!r->s->options.keep_addresses || image->kind != IMAGE_FILE ||
	    !image->build_id_size || (job->debug_info && !f.unnamed) ||
	    frame->address > UINT64_MAX / 4)
		return 0;
	f.image = job->image;
	f.address = 2 * frame->address + 1 + (frame->flags & FRAME_CALLER ? 1 : 0);
	return intern_function(r->symbols, &f, of_frame);
}

/* Strings get their ids, and functions of all images become one set. The job's runs of what was
 * inlined go behind those of others; its frames say where they are now. */
static int take_functions(struct naming_run *r, const struct image_names *job)
{
	const struct symbol_options *options = &r->s->options;
	struct symbols *symbols = r->symbols;
	uint32_t base = (uint32_t)symbols->inlined.count, left = 0;
	uint32_t *ids = malloc((job->functions.count + 1) * sizeof(*ids)), module;
	int err = ids ? module_of(r, job, &module) : -ENOMEM;

	for (size_t i = 0; i < job->functions.count && err == 0; i++) {
		const struct image_function *from = &job->functions.v[i];
		struct function f = { .module = module,
				      .kind = (uint8_t)job->kind,
				      .unnamed = from->unnamed,
				      .dropped = from->dropped };

		/* perf script names no module with what was inlined, so it counts as
		 * nobody's. */
		if (from->inlined && options->compat)
			f.kind = FUNCTION_USER;
		else if (from->inlined && options->inline_mark)
			f.kind = FUNCTION_INLINED;
		err = keep_name(r, from->size ? job->names.bytes + from->name : "",
				from->size, &f.name);
		if (err == 0 && from->file_size)
			err = keep_name(r, job->names.bytes + from->file, from->file_size,
					&f.file);
		f.line = from->line;
		if (err == 0)
			err = intern_function(symbols, &f, &ids[i]);
	}
	if (err == 0 && !array_reserve(&symbols->inlined, job->inlined.count))
		err = -ENOMEM;
	for (size_t i = 0; i < job->count && err == 0; i++) {
		uint32_t id = job->frames[i].id;

		/* From the job's own numbers to those of all. */
		symbols->of_frame.v[id] = ids[symbols->of_frame.v[id]];
		symbols->inlined_of_frame.v[id] += job->inlined.count ? base : 0;
		err = keep_address(r, job, id);
	}
	for (size_t i = 0; i < job->inlined.count && err == 0; i++) {
		uint32_t value = job->inlined.v[i];

		/* A run is a count and so many functions. @left: how many of these are to
		 * come. */
		*array_add(&symbols->inlined) = left ? ids[value] : value;
		left = left ? left - 1 : value;
	}
	free(ids);
	return err;
}

/* What the jobs have found becomes the symbols', in the order of images. */
static int take_jobs(struct naming_run *r)
{
	int err = 0;

	for (size_t i = 0; i < r->jobs.count && err == 0; i++) {
		const struct image_names *job = &r->jobs.v[i];
		struct image_report *report = &r->symbols->images.v[i];
		uint32_t said = report->problem;

		if (job->count == 0)
			continue;
		if (r->s->images->list.v[i].kind != IMAGE_LABEL)
			err = take_functions(r, job);
		else
			for (size_t k = 0; k < job->count && err == 0; k++)
				err = take_label(r, job->frames[k].id);
		if (err < 0)
			break;
		report->frames += job->count;
		report->unnamed += job->unnamed;
		report->refused = job->refused;
		report->debug_info = job->debug_info;
		report->names = (uint8_t)job->known;
		report->entries = job->entries;
		if (add_report_text(r, &job->file, &report->file) < 0 ||
		    add_report_text(r, &job->debug_file, &report->debug_file) < 0 ||
		    add_report_text(r, &job->problem, &report->problem) < 0)
			return -ENOMEM;
		/* A later run finds the same problem again: it is said once. */
		if (job->trouble && report->problem != said)
			warn(r->ctx, "%s", job->problem.bytes);
	}
	return err;
}

int symbolizer_run(struct context *ctx, struct symbolizer *s, const struct frames *frames,
		   struct symbols *symbols)
{
	struct naming_run r = {
		.ctx = ctx,
		.s = s,
		.frames = frames,
		.symbols = symbols,
		.named = symbols->of_frame.count,
		.finder = { &s->options, s->images, s->strings, s->kernel },
	};
	size_t count = frames->list.count, more = count - r.named;
	int err;

	/* perf 6.1 looks for inlined functions only where it unwinds the stack itself. */
	s->options.inlines = s->inlines;
	if (s->inlines == SYMBOL_INLINES_AUTO && s->options.compat && !s->user_stacks)
		s->options.inlines = SYMBOL_INLINES_NO;
	err = recorded_new(s->strings, s->recordings.v, s->recordings.count,
			   &r.finder.recorded);
	/* Run 0 says that nothing was inlined, so the array is never empty. */
	if (err == 0 && (!array_reserve(&symbols->of_frame, more + 1) ||
			 !array_reserve(&symbols->inlined_of_frame, more + 1) ||
			 (symbols->inlined.count == 0 && !array_add(&symbols->inlined))))
		err = -ENOMEM;
	if (err == 0) {
		memset(symbols->inlined_of_frame.v + r.named, 0,
		       more * sizeof(*symbols->inlined_of_frame.v));
		symbols->inlined_of_frame.count = symbols->of_frame.count = count;
	}
	while (err == 0 && symbols->images.count < s->images->list.count)
		err = array_add(&symbols->images) ? 0 : -ENOMEM;
	if (err == 0)
		err = make_jobs(&r);
	if (err == 0)
		err = map_files_new(&r.finder, frames, r.order.v, r.order.count,
				    &r.finder.maps);
	if (err == 0)
		err = parallel_run(s->options.threads, r.order.count, name_image, &r);
	if (err == 0)
		err = take_jobs(&r);
	for (size_t i = 0; i < r.jobs.count; i++)
		image_names_release(&r.jobs.v[i]);
	array_release(&r.jobs);
	array_release(&r.order);
	text_release(&r.label);
	recorded_free(r.finder.recorded);
	map_files_free(r.finder.maps);
	free(r.grouped);
	if (err == 0)
		return 0;
	symbols_release(symbols);
	return fail_memory(ctx);
}

void symbols_forget(struct symbols *s)
{
	s->functions.count = s->of_frame.count = 0;
	s->inlined_of_frame.count = s->inlined.count = 0;
	hash_release(&s->functions_by_key);
	/* Problems stay, or they would be warned of once more. */
	for (size_t i = 0; i < s->images.count; i++)
		s->images.v[i] =
			(struct image_report){ .problem = s->images.v[i].problem };
}

void symbols_release(struct symbols *s)
{
	array_release(&s->functions);
	hash_release(&s->functions_by_key);
	array_release(&s->of_frame);
	array_release(&s->inlined_of_frame);
	array_release(&s->inlined);
	array_release(&s->images);
}
