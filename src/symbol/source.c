/*
 * The kind of an image decides where its names may be: a file and its debug file, the
 * kernel's tables, or nothing but what a runtime wrote. Names that came with the
 * recording take the place of what was found here, unless that was given by hand, or is
 * all symbols of a file that is sure to be the recorded one. Whatever it is, it is a
 * symbol table and a way from recorded addresses to its own: who asks for names sees no
 * difference.
 */
#include "symbol/source.h"

#include <errno.h>
#include <string.h>

#include "elf/elf.h"

void source_add_inline_problem(struct source *s, const char *why)
{
	if (*why && s->files.problem.size == 0)
		text_printf(&s->files.problem,
			    "'%s' lacks functions that were inlined: %s",
			    s->files.file.bytes, why);
}

/* What has no debug information that can be read is named by its symbols alone. */
static int open_inlines(const struct source_finder *finder, struct source *s)
{
	const struct symbol_options *options = finder->options;
	struct inline_options how = {
		.dirs = { options->dirs.symfs, options->dirs.debug_dir },
		.lines = options->srcline,
		.declared = options->declared,
		.threads = options->threads,
	};
	struct found *f = &s->files;
	bool own = !f->debug.elf || object_has_debug_info(&f->object);
	struct context ctx = { .budget = options->dirs.budget };
	int err;

	how.name = own ? f->file.bytes : f->debug_file.bytes;
	if (options->inlines == SYMBOL_INLINES_NO && !options->srcline)
		return 0;
	err = inlines_open(&ctx, &f->object, own ? &f->object : &f->debug, &how,
			   &s->inlines);
	if (err < 0 && err != -ENODATA && err != -ENOMEM)
		source_add_inline_problem(s, ctx.error);
	f->trouble |= err == -EFAULT;
	return err == -ENOMEM ? err : 0;
}

/* What could not be read is not there for those who read it. */
static void note_failed_read(struct source *s, const struct object *o,
			     const struct text *file)
{
	int why = o->elf ? object_read_error(o) : 0;

	if (!why)
		return;
	text_clear(&s->files.problem);
	text_printf(&s->files.problem, "'%s' cannot be read whole: %s", file->bytes,
		    strerror(why));
	s->files.trouble = true;
}

void source_note_failed_reads(struct source *s)
{
	note_failed_read(s, &s->files.object, &s->files.file);
	note_failed_read(s, &s->files.debug, &s->files.debug_file);
}

static int find_recorded(const struct source_finder *finder, const struct image *image,
			 struct recorded_names *ret)
{
	*ret = (struct recorded_names){ 0 };
	return finder->recorded ? recorded_find(finder->recorded, image, ret) : 0;
}

/* Names that came with the recording take the place of what was found here. */
static void use_recorded(const struct recorded_names *names, struct source *s)
{
	inlines_close(s->inlines);
	s->inlines = NULL;
	s->symbols = names->symbols;
	s->shift = names->shift;
	s->by_offset = s->stripped = false;
	text_clear(&s->files.file);
	text_clear(&s->files.problem);
	text_string(&s->files.file, "[recording]");
}

/* What was given by hand, then what was recorded, then what this machine knows. */
static int open_kernel_side(const struct source_finder *finder, uint32_t id,
			    struct source *s)
{
	const struct image *image = &finder->images->list.v[id];
	bool given = finder->options->vmlinux || finder->options->kallsyms;
	struct recorded_names recorded;
	struct kernel_names names;
	int err = find_recorded(finder, image, &recorded);

	if (err == 0 && (given || !recorded.symbols)) {
		err = kernel_find(finder->kernel, finder->images, finder->strings, id,
				  &names);
		if (err == 0) {
			s->own = names.own;
			s->files = names.files;
			s->symbols = names.is_own ? &s->own : names.symbols;
			s->shift = names.shift;
		}
		/* What is inlined is known of vmlinux only: a module would have to be
		 * linked first. */
		if (err == 0 && names.is_own)
			err = open_inlines(finder, s);
	}
	s->raw = true;
	if (err == 0 && recorded.symbols && !s->symbols)
		use_recorded(&recorded, s);
	return err;
}

int source_open(const struct source_finder *finder, uint32_t id, struct source *ret)
{
	struct source s = { .files = { .object.fd = -1, .debug.fd = -1 } };
	const struct symbol_options *options = finder->options;
	const struct image *image = &finder->images->list.v[id];
	bool lines = options->srcline || options->inlines != SYMBOL_INLINES_NO;
	bool is_object = image->kind == IMAGE_FILE || image->kind == IMAGE_VDSO;
	struct recorded_names names = { 0 };
	struct found *f = &s.files;
	const struct object *debug;
	bool trusted;
	int err = 0;

	if (image->kind == IMAGE_KERNEL || image->kind == IMAGE_MODULE)
		err = open_kernel_side(finder, id, &s);
	if (is_object)
		err = image_find_object(&options->dirs, finder->images, id,
					NEED_SYMBOLS | (lines ? NEED_LINES : 0),
					&s.files);
	debug = f->debug.elf && object_has_symtab(&f->debug) ? &f->debug : NULL;
	if (err == 0 && is_object && f->object.elf) {
		err = symtab_read(&s.own, &f->object, debug);
		s.symbols = &s.own;
		s.stripped = !debug && !object_has_symtab(&f->object) && !s.own.go;
		if (s.own.refused)
			text_printf(&f->problem,
				    "no memory is left for the symbols of '%s'",
				    f->file.bytes);
		else if (s.own.symbols.count == 0)
			text_printf(&f->problem, "'%s' has no symbols", f->file.bytes);
		if (err == 0)
			err = open_inlines(finder, &s);
	}
	s.by_offset = is_object || image->kind == IMAGE_ANON;
	if (err == 0 && s.by_offset)
		err = find_recorded(finder, image, &names);
	/* A file of that path may be another one: on the machine that is looked at now it counts
	 * only with the recorded build id. What lies below a symfs was put there on purpose. */
	trusted = image->build_id_size || symfs_is_set(&options->dirs);
	if (err == 0 && names.symbols &&
	    !(trusted && s.symbols && s.own.symbols.count > 0 && !s.stripped))
		use_recorded(&names, &s);
	if (err == 0 && (s.files.file.failed || s.files.problem.failed))
		err = -ENOMEM;
	/* Its symbol table moves with it, the one of the kernel stays where it is. */
	*ret = s;
	if (s.symbols == &s.own)
		ret->symbols = &ret->own;
	if (err < 0)
		source_close(ret);
	return err;
}

void source_close(struct source *s)
{
	inlines_close(s->inlines);
	symtab_release(&s->own);
	cfi_functions_release(&s->functions);
	unwind_single_release(&s->single);
	found_release(&s->files);
	*s = (struct source){ .files = { .object.fd = -1, .debug.fd = -1 } };
}

bool source_address(const struct source *s, uint64_t recorded, uint64_t *ret)
{
	if (s->by_offset)
		return object_address(&s->files.object, recorded, ret);
	*ret = recorded + s->shift;
	return true;
}

static bool read_source_bytes(void *arg, uint64_t offset, void *ret, size_t size)
{
	return object_read(arg, offset, ret, size);
}

int source_function(struct source *s, uint64_t address, uint64_t *ret)
{
	const struct object *debug = s->files.debug.elf ? &s->files.debug : NULL;
	struct object *o = &s->files.object;
	const struct unwind_file file = { read_source_bytes, o };
	const struct cfi_source *from;
	const struct span *span;
	int found = 0;

	if (!s->by_offset || !o->elf)
		return 0;
	/* By one entry, as long as few are asked for. */
	if (!s->has_functions && !s->has_single) {
		s->has_single = true;
		if (unwind_single_open(o, debug, &s->single) < 0)
			return -ENOMEM;
	}
	if (!s->has_functions)
		found = unwind_single_function(&s->single, address, &file, ret);
	if (found != 0)
		return found == -ENOENT ? 0 : found;
	if (!s->has_functions && cfi_functions_open(o, debug, &s->functions) < 0)
		return -ENOMEM;
	s->has_functions = true;
	span = spans_find(&s->functions.spans, address);
	if (span)
		*ret = cfi_functions_at(&s->functions, span, &from)->start;
	return span != NULL;
}

/* The bytes before @address are looked at, in the segment that has them: where no call
 * ends there, nobody returns to it. */
bool source_calls_not(const struct source *s, uint64_t address)
{
	const struct object *o = &s->files.object;
	size_t size = o->elf ? call_code_size(o->machine) : 0;
	uint8_t code[CALL_MOST];

	if (!s->by_offset || size == 0 || address < size)
		return false;
	for (size_t i = 0; i < o->segments.count; i++) {
		const struct segment *g = &o->segments.v[i];

		if (g->exec && address - size >= g->address &&
		    address - g->address <= g->size)
			return object_read(o, g->offset + (address - size - g->address),
					   code, size) &&
			       !call_code_ends(o->machine, code);
	}
	return false;
}

bool source_has_debug_info(const struct source *s)
{
	const struct found *f = &s->files;

	return (f->object.elf && object_has_debug_info(&f->object)) ||
	       (f->debug.elf && object_has_debug_info(&f->debug));
}

enum image_naming source_naming(const struct source *s)
{
	if (!s->symbols || s->symbols->symbols.count == 0)
		return SYMBOLS_NONE;
	return s->stripped ? SYMBOLS_EXPORTED : SYMBOLS_ALL;
}

bool source_is_go(const struct source *s)
{
	return s->own.go ||
	       (s->by_offset && s->files.object.elf && object_is_go(&s->files.object));
}
